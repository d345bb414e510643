/* SPDX-License-Identifier: Apache-2.0 */
#include "select.h"

#include <string.h>

/* binary32: 23 fraction bits, then the exponent with this bias. The sign is known to be clear. */
enum { SIMA_FRACTION_BITS = 23, SIMA_EXPONENT_BIAS = 127 };

static size_t zero_point_class(const sima_a65_dequant_family *const family,
                               const int32_t zero_point)
{
    size_t class = 0;
    while (class + 1 < family->zero_point_count && (zero_point < family->zero_points[class].min ||
                                                    zero_point > family->zero_points[class].max)) {
        ++class;
    }
    return class;
}

/* Slot 0, any scale, unless the scale is a normal power of two that the family has a slot for. */
static size_t scale_slot(const sima_a65_dequant_family *const family, const float *const scale)
{
    uint32_t bits;
    memcpy(&bits, scale, sizeof bits);
    const uint32_t fraction = bits & ((UINT32_C(1) << SIMA_FRACTION_BITS) - 1);
    const int32_t field = (int32_t)(bits >> SIMA_FRACTION_BITS);
    if (fraction != 0 || field == 0) {
        return 0;
    }
    const int32_t slot = 1 + field - SIMA_EXPONENT_BIAS - family->exponent_min;
    return slot >= 1 && (size_t)slot < family->scale_count ? (size_t)slot : 0;
}

static sima_a65_dequant_length length_of(const int64_t span)
{
    if (span < SIMA_A65_DEQUANT_BLOCK) {
        return SIMA_A65_DEQUANT_SHORT;
    }
    return span % SIMA_A65_DEQUANT_BLOCK == 0 ? SIMA_A65_DEQUANT_WHOLE : SIMA_A65_DEQUANT_RAGGED;
}

const sima_a65_dequant_kernel *sima_a65_dequant_select(const sima_a65_dequant_family *const family,
                                                       const sima_a65_dequant_output output,
                                                       const sima_dequant_params *const params,
                                                       const int64_t span)
{
    const size_t class = zero_point_class(family, params->zero_point);
    const size_t slot = scale_slot(family, &params->scale);
    const size_t row = ((size_t)output * family->zero_point_count + class) * family->scale_count;
    return &family->kernels[family->rows[row + slot].kernel[length_of(span)]];
}
