/* SPDX-License-Identifier: Apache-2.0 */
#include <simaai/kernels/a65/dequant.h>

#include <stdio.h>

int main(void)
{
    const int8_t x[6] = {-128, -3, 0, 1, 2, 127};
    const float expected[6] = {-31.25f, 0.0f, 0.75f, 1.0f, 1.25f, 32.5f};
    float y[6] = {0};
    const sima_tensor_spec in = {.dtype = SIMA_DTYPE_INT8, .rank = 2, .extent = {2, 3}};
    const sima_tensor_spec out = {.dtype = SIMA_DTYPE_FLOAT32, .rank = 2, .extent = {2, 3}};
    const sima_dequant_request request = {SIMA_OP_DEQUANT, &in, 1, &out, 1, {0.25f, -3}};
    const sima_const_host_buffer input = {x, sizeof x};
    const sima_host_buffer output = {y, sizeof y};
    sima_a65_dequant_plan plan;
    sima_error error;
    if (sima_a65_dequant_check_inference(&request, &plan, &error) != SIMA_OK ||
        sima_a65_dequant_execute(&plan, &input, 1, &output, 1, &error) != SIMA_OK) {
        fprintf(stderr, "%s: %s\n", sima_status_name(error.status), error.message);
        return 1;
    }
    for (int i = 0; i < 6; ++i) {
        if (y[i] != expected[i]) {
            fprintf(stderr, "%d gives %g, expected %g\n", x[i], (double)y[i], (double)expected[i]);
            return 1;
        }
    }
    printf("6 numbers as expected, by %s\n", sima_a65_dequant_kernel_name(&plan));
    return 0;
}
