/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMA_TESTS_REFERENCE_H
#define SIMA_TESTS_REFERENCE_H

/*
 * What dequantization should give, worked out in integers alone: no compiler flag, rounding mode
 * or instruction can change it. Shares nothing with the kernels.
 */

#include <stdint.h>

/* Bits of (float)input - (float)zero_point, times the scale with these bits. */
uint32_t reference_f32(int8_t input, int32_t zero_point, uint32_t scale_bits);

/* The BF16 word nearest to a binary32 value that is not a NaN, ties to even. */
uint16_t reference_narrow(uint32_t bits);

uint16_t reference_bf16(int8_t input, int32_t zero_point, uint32_t scale_bits);

#endif /* SIMA_TESTS_REFERENCE_H */
