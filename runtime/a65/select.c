/* SPDX-License-Identifier: Apache-2.0 */
#include "select.h"

#include "binary32.h"

/* Bits of 2^-126, the smallest normal number, of 2^104, from which on a scale times 2^24 overflows,
 * and of 2^96. */
#define SIMA_BITS_OF_2_M126 UINT32_C(0x00800000)
#define SIMA_BITS_OF_2_104 UINT32_C(0x73800000)
#define SIMA_BITS_OF_2_96 UINT32_C(0x6f800000)

/* What a byte in the FP32 pattern of 2^23 counts from. */
#define SIMA_INPUT_BIAS (INT64_C(8388608) + 128)

/* Zero points whose sum with the bias stays within the integers that binary32 counts one by one. */
#define SIMA_BIAS_NEAR_LOW (-(INT64_C(1) << SIMA_SIGNIFICAND_BITS) - SIMA_INPUT_BIAS)
#define SIMA_BIAS_NEAR_HIGH ((INT64_C(1) << SIMA_SIGNIFICAND_BITS) - SIMA_INPUT_BIAS)

bool sima_a65_dequant_has_bias(const int32_t zero_point)
{
    if (zero_point >= SIMA_BIAS_NEAR_LOW && zero_point <= SIMA_BIAS_NEAR_HIGH) {
        return true;
    }
    return sima_is_binary32(SIMA_INPUT_BIAS + sima_round_to_binary32(zero_point));
}

static bool is_in_class(const sima_a65_dequant_zero_points *const class, const int32_t zero_point)
{
    return zero_point >= class->min && zero_point <= class->max &&
           (!class->biased || sima_a65_dequant_has_bias(zero_point));
}

static size_t zero_point_class(const sima_a65_dequant_family *const family,
                               const int32_t zero_point)
{
    size_t class = 0;
    while (class + 1 < family->zero_point_count &&
           !is_in_class(&family->zero_points[class], zero_point)) {
        ++class;
    }
    return class;
}

static size_t scale_slot(const sima_a65_dequant_family *const family, const float *const scale)
{
    const uint32_t bits = sima_bits_of(scale);
    const int32_t field = (int32_t)(bits >> SIMA_FRACTION_BITS);
    const int32_t slot =
        SIMA_A65_DEQUANT_SCALE_EXPONENTS + field - SIMA_EXPONENT_BIAS - family->exponent_min;
    if ((bits & SIMA_FRACTION_MASK) != 0 || field == 0 || bits > SIMA_BITS_OF_2_96) {
        return bits < SIMA_BITS_OF_2_M126  ? SIMA_A65_DEQUANT_SCALE_SUBNORMAL
               : bits < SIMA_BITS_OF_2_104 ? SIMA_A65_DEQUANT_SCALE_UNDER_2_104
                                           : SIMA_A65_DEQUANT_SCALE_HUGE;
    }
    if (slot < SIMA_A65_DEQUANT_SCALE_EXPONENTS || (size_t)slot >= family->scale_count) {
        return SIMA_A65_DEQUANT_SCALE_POWER_OF_TWO;
    }
    return (size_t)slot;
}

sima_a65_dequant_length sima_a65_dequant_length_of(const int64_t span)
{
    if (span >= SIMA_A65_DEQUANT_LONG_SPAN) {
        return SIMA_A65_DEQUANT_LONG;
    }
    if (span < SIMA_A65_DEQUANT_BLOCK) {
        return SIMA_A65_DEQUANT_SHORT;
    }
    return span % SIMA_A65_DEQUANT_BLOCK == 0 ? SIMA_A65_DEQUANT_WHOLE : SIMA_A65_DEQUANT_RAGGED;
}

const sima_a65_dequant_kernel *sima_a65_dequant_select_for(
    const sima_a65_dequant_family *const family, const sima_a65_dequant_output output,
    const sima_dequant_params *const params, const sima_a65_dequant_length length)
{
    const size_t class = zero_point_class(family, params->zero_point);
    const size_t slot = scale_slot(family, &params->scale);
    const size_t row = ((size_t)output * family->zero_point_count + class) * family->scale_count;
    return &family->kernels[family->rows[row + slot].kernel[length]];
}

const sima_a65_dequant_kernel *sima_a65_dequant_select(const sima_a65_dequant_family *const family,
                                                       const sima_a65_dequant_output output,
                                                       const sima_dequant_params *const params,
                                                       const int64_t span)
{
    return sima_a65_dequant_select_for(family, output, params, sima_a65_dequant_length_of(span));
}

const sima_a65_dequant_kernel *sima_a65_dequant_select_plane(
    const sima_a65_dequant_family *const family, const sima_a65_dequant_output output,
    const sima_dequant_params *const params, const sima_a65_dequant_shape shape)
{
    if (family->plane_count == 0) {
        return NULL;
    }
    const size_t class = zero_point_class(family, params->zero_point);
    const size_t row = (size_t)output * family->zero_point_count + class;
    const size_t kernel = family->plane_rows[row].kernel[shape];
    return kernel < family->plane_count ? &family->planes[kernel] : NULL;
}
