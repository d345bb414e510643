/* SPDX-License-Identifier: Apache-2.0 */

/* For Frama-C's Eva: admission of a request of which every field is any value. Not run. */

#include <simaai/kernels/ops/dequant.h>

#include "__fc_builtin.h"

static void any_spec(sima_tensor_spec *const spec)
{
    Frama_C_make_unknown((char *)spec, sizeof *spec);
}

int main(void)
{
    sima_tensor_spec input;
    sima_tensor_spec output;
    sima_dequant_request request;
    sima_dequant_plan plan;
    sima_error error;
    any_spec(&input);
    any_spec(&output);
    request.op = (sima_op)Frama_C_interval(-2147483647 - 1, 2147483647);
    request.inputs = Frama_C_nondet(0, 1) ? &input : 0;
    request.input_count = (size_t)Frama_C_unsigned_long_interval(0, (unsigned long)-1);
    request.outputs = Frama_C_nondet(0, 1) ? &output : 0;
    request.output_count = (size_t)Frama_C_unsigned_long_interval(0, (unsigned long)-1);
    Frama_C_make_unknown((char *)&request.params, sizeof request.params);
    return (int)sima_dequant_check_inference(Frama_C_nondet(0, 1) ? &request : 0,
                                             Frama_C_nondet(0, 1) ? &plan : 0,
                                             Frama_C_nondet(0, 1) ? &error : 0);
}
