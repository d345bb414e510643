/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMAAI_KERNELS_RUNTIME_A65_STAGED_H
#define SIMAAI_KERNELS_RUNTIME_A65_STAGED_H

/* The operation on one element, as scalar kernels and scalar remainders use it. */

#include "build_policy.h"

#include <stdint.h>
#include <string.h>

/* One rounding in each step; the zero point has been converted, and rounded, before. */
static inline float sima_staged_f32(const int8_t input, const float zero_point, const float scale)
{
    const float difference = (float)input - zero_point;
    return difference * scale;
}

/* Narrows to nearest even on the bits. Infinity stays infinity; the value is never a NaN. */
static inline uint16_t sima_narrow_even(const float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint32_t lowest_kept = (bits >> 16) & 1u;
    return (uint16_t)((bits + 0x7fffu + lowest_kept) >> 16);
}

#endif /* SIMAAI_KERNELS_RUNTIME_A65_STAGED_H */
