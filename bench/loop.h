/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMAAI_KERNELS_BENCH_LOOP_H
#define SIMAAI_KERNELS_BENCH_LOOP_H

/*
 * The operation as a user would write it: one plain loop. loop.c is compiled twice: as
 * bench_loop_* for whatever the compiler makes of it, and as bench_scalar_* with vectorization
 * switched off, so that "scalar" is true.
 */

#include <stddef.h>
#include <stdint.h>

typedef struct bench_loop_params {
    float scale;
    int32_t zero_point;
} bench_loop_params;

void bench_loop_f32(const int8_t *input, float *output, size_t count, bench_loop_params params);
void bench_loop_bf16(const int8_t *input, uint16_t *output, size_t count, bench_loop_params params);
void bench_scalar_f32(const int8_t *input, float *output, size_t count, bench_loop_params params);
void bench_scalar_bf16(const int8_t *input, uint16_t *output, size_t count,
                       bench_loop_params params);

#endif /* SIMAAI_KERNELS_BENCH_LOOP_H */
