/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMA_TESTS_HARNESS_H
#define SIMA_TESTS_HARNESS_H

/*
 * One kernel call under watch: guard pages around both buffers, a pattern in every byte that may
 * not be written, results compared bit for bit, registers and control word compared.
 */

#include "dequant_kernel.h"
#include "guard.h"

typedef enum verdict {
    VERDICT_OK,
    VERDICT_WRONG_RESULT,
    VERDICT_WROTE_OUTSIDE,
    VERDICT_WROTE_INPUT,
    VERDICT_FAULT,
    VERDICT_CLOBBERED_REGISTER,
    VERDICT_CHANGED_MODE
} verdict;

const char *verdict_name(verdict value);

/* Where a span lies between the guard pages. */
typedef enum placement {
    PLACE_AT_END,   /* last byte before the upper guard page */
    PLACE_AT_START, /* first byte after the lower guard page */
    PLACE_AT_OFFSET /* offset bytes after the lower guard page */
} placement;

typedef struct harness {
    guarded input;
    guarded output;
} harness;

/* All 256 results for one zero point and scale; [i] belongs to the input i - 128. */
typedef struct expected {
    uint32_t f32[256];
    uint16_t bf16[256];
} expected;

void expected_fill(expected *table, int32_t zero_point, uint32_t scale_bits);

harness harness_open(void);
void harness_close(harness watch);

float float_from_bits(uint32_t bits);

/*
 * Runs `run` on `count` values, which are `inputs` repeated from index `first` on, 256 in a cycle.
 * Offsets are in bytes and matter with PLACE_AT_OFFSET only.
 */
verdict harness_call(harness watch, sima_a65_dequant_span_fn run, sima_a65_dequant_result result,
                     const sima_a65_dequant_operands *operands, const expected *table, size_t count,
                     size_t first, placement place, size_t input_offset, size_t output_offset);

size_t output_width(sima_a65_dequant_result result);

#endif /* SIMA_TESTS_HARNESS_H */
