/* SPDX-License-Identifier: Apache-2.0 */
#include "walk.h"

#include <stdbool.h>

/* Where the walk stands: the coordinates of the outer axes, and both offsets in bytes. */
typedef struct sima_cursor {
    int64_t index[SIMA_MAX_RANK];
    size_t input;
    size_t output;
} sima_cursor;

/* Moves to the next span. False when the last one is done; the cursor is back at the start then. */
static bool advance(const sima_dequant_plan *const plan, const int32_t outer_axes,
                    sima_cursor *const cursor)
{
    for (int32_t axis = outer_axes - 1; axis >= 0; --axis) {
        const size_t input_stride = (size_t)plan->input.stride[axis];
        const size_t output_stride = (size_t)plan->output.stride[axis];
        if (++cursor->index[axis] < plan->extent[axis]) {
            cursor->input += input_stride;
            cursor->output += output_stride;
            return true;
        }
        cursor->index[axis] = 0;
        cursor->input -= input_stride * (size_t)(plan->extent[axis] - 1);
        cursor->output -= output_stride * (size_t)(plan->extent[axis] - 1);
    }
    return false;
}

void sima_a65_dequant_walk(const sima_a65_dequant_plan *const plan, const int8_t *const input,
                           unsigned char *const output)
{
    const sima_dequant_plan *const shared = &plan->shared;
    const int32_t outer_axes = shared->rank - shared->span_axes;
    const size_t span = (size_t)shared->span;
    sima_cursor cursor = {{0}, 0, 0};
    do {
        plan->kernel->run(input + cursor.input, output + cursor.output, span, &plan->operands);
    } while (advance(shared, outer_axes, &cursor));
}
