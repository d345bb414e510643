/* SPDX-License-Identifier: Apache-2.0 */
#include "loop.h"

#include <string.h>

#ifdef BENCH_SCALAR
#define NAME(type) bench_scalar_##type
#else
#define NAME(type) bench_loop_##type
#endif

void NAME(f32)(const int8_t *const input, float *const output, const size_t count,
               const bench_loop_params params)
{
    const float zero_point = (float)params.zero_point;
    for (size_t i = 0; i < count; ++i) {
        const float difference = (float)input[i] - zero_point;
        output[i] = difference * params.scale;
    }
}

void NAME(bf16)(const int8_t *const input, uint16_t *const output, const size_t count,
                const bench_loop_params params)
{
    const float zero_point = (float)params.zero_point;
    for (size_t i = 0; i < count; ++i) {
        const float difference = (float)input[i] - zero_point;
        const float result = difference * params.scale;
        uint32_t bits;
        memcpy(&bits, &result, sizeof bits);
        output[i] = (uint16_t)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
    }
}
