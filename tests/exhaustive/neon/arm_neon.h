/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMA_TESTS_EXHAUSTIVE_ARM_NEON_H
#define SIMA_TESTS_EXHAUSTIVE_ARM_NEON_H

/*
 * What the NEON intrinsics in use compute, lane by lane, for any little-endian machine: with it the
 * generated kernels run natively, fast enough for whole domains. That it says what the instructions
 * do is tested, not assumed: the same hashes are demanded of it and of AArch64. Exact, not general:
 * what no kernel needs is not here, and a kernel that needs more does not compile. For gcc.
 *
 * Floating point is the host's binary32, in the default mode. Half precision is worked out from its
 * bits, so that the host need not have it.
 */

#include <stdint.h>
#include <string.h>

/* Empty statements for a compiler's benefit name registers that the host has not. */
#define __asm__(...)

#define VECTOR(name, type, size) typedef type name __attribute__((vector_size(size)))
VECTOR(int8x8_t, int8_t, 8);
VECTOR(int8x16_t, int8_t, 16);
VECTOR(uint8x8_t, uint8_t, 8);
VECTOR(uint8x16_t, uint8_t, 16);
VECTOR(int16x4_t, int16_t, 8);
VECTOR(int16x8_t, int16_t, 16);
VECTOR(uint16x4_t, uint16_t, 8);
VECTOR(uint16x8_t, uint16_t, 16);
VECTOR(int32x2_t, int32_t, 8);
VECTOR(int32x4_t, int32_t, 16);
VECTOR(uint32x2_t, uint32_t, 8);
VECTOR(uint32x4_t, uint32_t, 16);
VECTOR(int64x2_t, int64_t, 16);
VECTOR(float32x2_t, float, 8);
VECTOR(float32x4_t, float, 16);
VECTOR(model_u32x8, uint32_t, 32);
VECTOR(model_s32x8, int32_t, 32);
VECTOR(model_f32x8, float, 32);

typedef struct float16x4_t {
    uint16x4_t bits;
} float16x4_t;
typedef struct float16x8_t {
    uint16x8_t bits;
} float16x8_t;

#define TUPLE(name, vector, count)                                                                 \
    typedef struct name {                                                                          \
        vector val[count];                                                                         \
    } name
TUPLE(float32x4x4_t, float32x4_t, 4);
TUPLE(int32x4x4_t, int32x4_t, 4);
TUPLE(uint8x16x4_t, uint8x16_t, 4);
TUPLE(int8x16x2_t, int8x16_t, 2);
TUPLE(int8x16x3_t, int8x16_t, 3);
TUPLE(int8x16x4_t, int8x16_t, 4);
TUPLE(uint16x8x2_t, uint16x8_t, 2);
TUPLE(uint16x8x3_t, uint16x8_t, 3);
TUPLE(uint16x8x4_t, uint16x8_t, 4);
TUPLE(uint32x4x2_t, uint32x4_t, 2);
TUPLE(uint32x4x3_t, uint32x4_t, 3);
TUPLE(uint32x4x4_t, uint32x4_t, 4);

#define MODEL static inline __attribute__((always_inline))

/* ---- moves: bits stay ---- */

#define MODEL_REINTERPRET(name, to, from)                                                          \
    MODEL to name(const from a)                                                                    \
    {                                                                                              \
        return (to)a;                                                                              \
    }
MODEL_REINTERPRET(vreinterpretq_f32_s16, float32x4_t, int16x8_t)
MODEL_REINTERPRET(vreinterpretq_u16_f32, uint16x8_t, float32x4_t)
MODEL_REINTERPRET(vreinterpretq_u32_f32, uint32x4_t, float32x4_t)
MODEL_REINTERPRET(vreinterpretq_u32_u16, uint32x4_t, uint16x8_t)
MODEL_REINTERPRET(vreinterpretq_s32_u8, int32x4_t, uint8x16_t)
MODEL_REINTERPRET(vreinterpretq_u8_u32, uint8x16_t, uint32x4_t)
MODEL_REINTERPRET(vreinterpretq_u8_s8, uint8x16_t, int8x16_t)
MODEL_REINTERPRET(vreinterpretq_u8_f32, uint8x16_t, float32x4_t)
MODEL_REINTERPRET(vreinterpretq_u8_u16, uint8x16_t, uint16x8_t)
MODEL_REINTERPRET(vreinterpretq_u16_u8, uint16x8_t, uint8x16_t)
MODEL_REINTERPRET(vreinterpretq_u32_u8, uint32x4_t, uint8x16_t)
MODEL_REINTERPRET(vreinterpretq_u32_s32, uint32x4_t, int32x4_t)
MODEL_REINTERPRET(vreinterpretq_s8_s16, int8x16_t, int16x8_t)
MODEL_REINTERPRET(vreinterpretq_s8_s32, int8x16_t, int32x4_t)
MODEL_REINTERPRET(vreinterpretq_s8_s64, int8x16_t, int64x2_t)
MODEL_REINTERPRET(vreinterpret_s8_u32, int8x8_t, uint32x2_t)
MODEL_REINTERPRET(vreinterpret_s8_u16, int8x8_t, uint16x4_t)

MODEL float16x8_t vreinterpretq_f16_s16(const int16x8_t a)
{
    return (float16x8_t){(uint16x8_t)a};
}

#define MODEL_HALVES(suffix, half, full)                                                           \
    MODEL half vget_low_##suffix(const full a)                                                     \
    {                                                                                              \
        half r;                                                                                    \
        memcpy(&r, &a, sizeof r);                                                                  \
        return r;                                                                                  \
    }                                                                                              \
    MODEL half vget_high_##suffix(const full a)                                                    \
    {                                                                                              \
        half r;                                                                                    \
        memcpy(&r, (const char *)&a + sizeof r, sizeof r);                                         \
        return r;                                                                                  \
    }                                                                                              \
    MODEL full vcombine_##suffix(const half low, const half high)                                  \
    {                                                                                              \
        full r;                                                                                    \
        memcpy(&r, &low, sizeof low);                                                              \
        memcpy((char *)&r + sizeof low, &high, sizeof high);                                       \
        return r;                                                                                  \
    }
MODEL_HALVES(s8, int8x8_t, int8x16_t)
MODEL_HALVES(u8, uint8x8_t, uint8x16_t)
MODEL_HALVES(s16, int16x4_t, int16x8_t)
MODEL_HALVES(u16, uint16x4_t, uint16x8_t)
MODEL_HALVES(f16, float16x4_t, float16x8_t)
MODEL_HALVES(f32, float32x2_t, float32x4_t)

#define MODEL_DUPLICATE(name, vector, scalar)                                                      \
    MODEL vector name(const scalar a)                                                              \
    {                                                                                              \
        vector r;                                                                                  \
        for (size_t i = 0; i < sizeof r / sizeof a; ++i) {                                         \
            r[i] = a;                                                                              \
        }                                                                                          \
        return r;                                                                                  \
    }
MODEL_DUPLICATE(vdup_n_s8, int8x8_t, int8_t)
MODEL_DUPLICATE(vdupq_n_s8, int8x16_t, int8_t)
MODEL_DUPLICATE(vdup_n_u16, uint16x4_t, uint16_t)
MODEL_DUPLICATE(vdup_n_u32, uint32x2_t, uint32_t)
MODEL_DUPLICATE(vdupq_n_s16, int16x8_t, int16_t)
MODEL_DUPLICATE(vdupq_n_u16, uint16x8_t, uint16_t)
MODEL_DUPLICATE(vdupq_n_u32, uint32x4_t, uint32_t)
MODEL_DUPLICATE(vdupq_n_f32, float32x4_t, float)

#define MODEL_MEMORY(suffix, vector, scalar)                                                       \
    MODEL vector vld1##suffix(const scalar *const from)                                            \
    {                                                                                              \
        vector r;                                                                                  \
        memcpy(&r, from, sizeof r);                                                                \
        return r;                                                                                  \
    }                                                                                              \
    MODEL void vst1##suffix(scalar *const to, const vector a)                                      \
    {                                                                                              \
        memcpy(to, &a, sizeof a);                                                                  \
    }
MODEL_MEMORY(_s8, int8x8_t, int8_t)
MODEL_MEMORY(q_s8, int8x16_t, int8_t)
MODEL_MEMORY(_u8, uint8x8_t, uint8_t)
MODEL_MEMORY(q_u8, uint8x16_t, uint8_t)
MODEL_MEMORY(_u16, uint16x4_t, uint16_t)
MODEL_MEMORY(q_u16, uint16x8_t, uint16_t)
MODEL_MEMORY(_f32, float32x2_t, float)
MODEL_MEMORY(q_f32, float32x4_t, float)

MODEL int8x8_t vld1_dup_s8(const int8_t *const from)
{
    return vdup_n_s8(*from);
}

MODEL void vst1q_lane_u16(uint16_t *const to, const uint16x8_t a, const int lane)
{
    *to = a[lane];
}

MODEL void vst1q_lane_u32(uint32_t *const to, const uint32x4_t a, const int lane)
{
    memcpy(to, (const char *)&a + 4 * lane, 4);
}

MODEL void vst1q_lane_f32(float *const to, const float32x4_t a, const int lane)
{
    *to = a[lane];
}

MODEL uint16x4_t vset_lane_u16(const uint16_t value, uint16x4_t a, const int lane)
{
    a[lane] = value;
    return a;
}

MODEL uint32x2_t vset_lane_u32(const uint32_t value, uint32x2_t a, const int lane)
{
    a[lane] = value;
    return a;
}

MODEL uint32_t vgetq_lane_u32(const uint32x4_t a, const int lane)
{
    return a[lane];
}

/* Structures: element i of vector v is number count * i + v in memory. */
#define MODEL_TAKE_APART(name, tuple, vector, scalar)                                              \
    MODEL tuple name(const scalar *const from)                                                     \
    {                                                                                              \
        enum { COUNT = sizeof(tuple) / sizeof(vector), LANES = sizeof(vector) / sizeof(scalar) };  \
        tuple r;                                                                                   \
        for (int i = 0; i < COUNT * LANES; ++i) {                                                  \
            r.val[i % COUNT][i / COUNT] = from[i];                                                 \
        }                                                                                          \
        return r;                                                                                  \
    }
MODEL_TAKE_APART(vld2q_s8, int8x16x2_t, int8x16_t, int8_t)
MODEL_TAKE_APART(vld3q_s8, int8x16x3_t, int8x16_t, int8_t)
MODEL_TAKE_APART(vld4q_s8, int8x16x4_t, int8x16_t, int8_t)

#define MODEL_PUT_TOGETHER(name, tuple, vector, scalar)                                            \
    MODEL void name(void *const to, const tuple a)                                                 \
    {                                                                                              \
        enum { COUNT = sizeof(tuple) / sizeof(vector), LANES = sizeof(vector) / sizeof(scalar) };  \
        for (int i = 0; i < COUNT * LANES; ++i) {                                                  \
            const scalar one = a.val[i % COUNT][i / COUNT];                                        \
            memcpy((char *)to + (size_t)i * sizeof one, &one, sizeof one);                         \
        }                                                                                          \
    }
MODEL_PUT_TOGETHER(vst2q_u16, uint16x8x2_t, uint16x8_t, uint16_t)
MODEL_PUT_TOGETHER(vst3q_u16, uint16x8x3_t, uint16x8_t, uint16_t)
MODEL_PUT_TOGETHER(vst4q_u16, uint16x8x4_t, uint16x8_t, uint16_t)
MODEL_PUT_TOGETHER(vst2q_u32, uint32x4x2_t, uint32x4_t, uint32_t)
MODEL_PUT_TOGETHER(vst3q_u32, uint32x4x3_t, uint32x4_t, uint32_t)
MODEL_PUT_TOGETHER(vst4q_u32, uint32x4x4_t, uint32x4_t, uint32_t)

/* What neon_compat.h says in assembly: one lane's bytes, and the address moved on. */
#define MODEL_BYTES_b 1
#define MODEL_BYTES_h 2
#define MODEL_BYTES_s 4
#define MODEL_BYTES_d 8
#define MODEL_BYTES_16b 1
#define MODEL_BYTES_8h 2
#define MODEL_BYTES_4s 4
#define MODEL_BYTES_2d 8
#define SIMA_NEON_TAKE_FIRST(vector, arrangement, from, step)                                      \
    do {                                                                                           \
        for (size_t byte = 0; byte < 16; byte += MODEL_BYTES_##arrangement) {                      \
            memcpy((char *)&(vector) + byte, (from), MODEL_BYTES_##arrangement);                   \
        }                                                                                          \
        (from) += (step);                                                                          \
    } while (0)
#define SIMA_NEON_TAKE(vector, type, lane, from, step)                                             \
    do {                                                                                           \
        memcpy((char *)&(vector) + (lane)*MODEL_BYTES_##type, (from), MODEL_BYTES_##type);         \
        (from) += (step);                                                                          \
    } while (0)
#define SIMA_NEON_PUT(vector, type, lane, to, step)                                                \
    do {                                                                                           \
        memcpy((to), (const char *)&(vector) + (lane)*MODEL_BYTES_##type, MODEL_BYTES_##type);     \
        (to) += (step);                                                                            \
    } while (0)
#define SIMA_NEON_PUT_ALL(vector, to, step)                                                        \
    do {                                                                                           \
        memcpy((to), &(vector), 16);                                                               \
        (to) += (step);                                                                            \
    } while (0)
#define SIMA_NEON_PUT_NEXT(vector, to) SIMA_NEON_PUT_ALL(vector, to, 16)

MODEL int8x16_t vzip1q_s8(const int8x16_t a, const int8x16_t b)
{
    return __builtin_shuffle(a, b,
                             (uint8x16_t){0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23});
}

MODEL int8x16_t vzip2q_s8(const int8x16_t a, const int8x16_t b)
{
    return __builtin_shuffle(
        a, b, (uint8x16_t){8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31});
}

#define MODEL_SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (uint16x8_t){__VA_ARGS__})

MODEL int16x8_t vzip1q_s16(const int16x8_t a, const int16x8_t b)
{
    return MODEL_SHUFFLE(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
}

MODEL int16x8_t vzip2q_s16(const int16x8_t a, const int16x8_t b)
{
    return MODEL_SHUFFLE(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
}

MODEL uint16x8_t vuzp1q_u16(const uint16x8_t a, const uint16x8_t b)
{
    return MODEL_SHUFFLE(a, b, 0, 2, 4, 6, 8, 10, 12, 14);
}

MODEL uint16x8_t vuzp2q_u16(const uint16x8_t a, const uint16x8_t b)
{
    return MODEL_SHUFFLE(a, b, 1, 3, 5, 7, 9, 11, 13, 15);
}

/* An index past the table gives zero. */
MODEL uint8x16_t vqtbl1q_u8(const uint8x16_t table, const uint8x16_t index)
{
    return __builtin_shuffle(table, index & 15) & (uint8x16_t)(index < 16);
}

/* ---- integers: sums wrap ---- */

MODEL int16x8_t vmovl_s8(const int8x8_t a)
{
    return __builtin_convertvector(a, int16x8_t);
}

MODEL int16x8_t vmovl_high_s8(const int8x16_t a)
{
    return vmovl_s8(vget_high_s8(a));
}

MODEL int32x4_t vmovl_s16(const int16x4_t a)
{
    return __builtin_convertvector(a, int32x4_t);
}

MODEL int32x4_t vmovl_high_s16(const int16x8_t a)
{
    return vmovl_s16(vget_high_s16(a));
}

MODEL int16x8_t vaddw_s8(const int16x8_t a, const int8x8_t b)
{
    return (int16x8_t)((uint16x8_t)a + (uint16x8_t)vmovl_s8(b));
}

MODEL int16x8_t vaddw_high_s8(const int16x8_t a, const int8x16_t b)
{
    return vaddw_s8(a, vget_high_s8(b));
}

MODEL int32x4_t vshll_n_s16(const int16x4_t a, const int shift)
{
    return (int32x4_t)((uint32x4_t)vmovl_s16(a) << (uint32_t)shift);
}

MODEL int32x4_t vshll_high_n_s16(const int16x8_t a, const int shift)
{
    return vshll_n_s16(vget_high_s16(a), shift);
}

MODEL uint8x16_t vaddq_u8(const uint8x16_t a, const uint8x16_t b)
{
    return a + b;
}

MODEL uint16x8_t vaddq_u16(const uint16x8_t a, const uint16x8_t b)
{
    return a + b;
}

MODEL int8x16_t veorq_s8(const int8x16_t a, const int8x16_t b)
{
    return a ^ b;
}

MODEL uint16x8_t vandq_u16(const uint16x8_t a, const uint16x8_t b)
{
    return a & b;
}

/* The sum keeps its carry until it is halved. */
MODEL uint16x8_t vhaddq_u16(const uint16x8_t a, const uint16x8_t b)
{
    const model_u32x8 sum =
        __builtin_convertvector(a, model_u32x8) + __builtin_convertvector(b, model_u32x8);
    return __builtin_convertvector(sum >> 1, uint16x8_t);
}

MODEL uint16x8_t vsraq_n_u16(const uint16x8_t a, const uint16x8_t b, const int shift)
{
    return a + (b >> (uint16_t)shift);
}

/* The upper half of the sum, rounded: a carry out of 32 bits is lost. */
MODEL uint16x4_t vraddhn_u32(const uint32x4_t a, const uint32x4_t b)
{
    return __builtin_convertvector((a + b + 0x8000u) >> 16, uint16x4_t);
}

MODEL uint16x8_t vraddhn_high_u32(const uint16x4_t low, const uint32x4_t a, const uint32x4_t b)
{
    return vcombine_u16(low, vraddhn_u32(a, b));
}

/* ---- binary32: each operation rounds once, to nearest even ---- */

MODEL float32x4_t vsubq_f32(const float32x4_t a, const float32x4_t b)
{
    return a - b;
}

MODEL float32x4_t vmulq_f32(const float32x4_t a, const float32x4_t b)
{
    return a * b;
}

MODEL float32x4_t vcvtq_f32_s32(const int32x4_t a)
{
    return __builtin_convertvector(a, float32x4_t);
}

MODEL float model_power_of_two(const int exponent)
{
    const uint32_t bits = (uint32_t)(exponent + 127) << 23;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* An integer divided by 2^bits: the quotient is normal, so it has rounded in the conversion. */
MODEL float32x4_t vcvtq_n_f32_s32(const int32x4_t a, const int bits)
{
    return vcvtq_f32_s32(a) * model_power_of_two(-bits);
}

MODEL float32x4_t vcvtq_n_f32_u32(const uint32x4_t a, const int bits)
{
    return __builtin_convertvector(a, float32x4_t) * model_power_of_two(-bits);
}

/* ---- half precision ---- */

/* Every half-precision number is 2^112 times the binary32 whose exponent field it fills; infinities
 * and NaNs, whose field is all ones, keep it so. */
MODEL model_f32x8 model_widen(const uint16x8_t half)
{
    const model_u32x8 bits = __builtin_convertvector(half, model_u32x8);
    const model_u32x8 magnitude = (bits & 0x7fff) << 13;
    const model_u32x8 scaled = (model_u32x8)((model_f32x8)magnitude * 0x1p112f);
    const model_u32x8 is_special = (model_u32x8)(magnitude >= 0x0f800000u);
    const model_u32x8 special = magnitude | 0x7f800000u;
    return (model_f32x8)((scaled & ~is_special) | (special & is_special) | (bits & 0x8000) << 16);
}

/* To nearest even. A number that would be subnormal is rounded by a sum whose last place is the
 * smallest subnormal; any other by a sum on its bits, which carries into the exponent and, past the
 * largest number, to infinity. No NaN comes here. */
MODEL uint16x8_t model_narrow(const model_f32x8 value)
{
    const model_u32x8 bits = (model_u32x8)value;
    const model_u32x8 magnitude = bits & 0x7fffffff;
    const model_u32x8 is_small = (model_u32x8)(magnitude < (113u << 23));
    const model_u32x8 is_large = (model_u32x8)(magnitude >= 0x477ff000u);
    const model_u32x8 small = (model_u32x8)((model_f32x8)magnitude + 0.5f) - (126u << 23);
    const model_u32x8 odd = (magnitude >> 13) & 1;
    const model_u32x8 usual = (magnitude - (112u << 23) + 0xfff + odd) >> 13;
    const model_u32x8 finite = (small & is_small) | (usual & ~is_small);
    const model_u32x8 result = (finite & ~is_large) | (0x7c00u & is_large);
    return __builtin_convertvector(result | (bits >> 16 & 0x8000), uint16x8_t);
}

MODEL model_f32x8 model_pad(const float32x4_t a)
{
    return (model_f32x8){a[0], a[1], a[2], a[3]};
}

MODEL float32x4_t model_low(const model_f32x8 a)
{
    float32x4_t r;
    memcpy(&r, &a, sizeof r);
    return r;
}

MODEL float32x4_t vcvt_f32_f16(const float16x4_t a)
{
    return model_low(model_widen(vcombine_u16(a.bits, vdup_n_u16(0))));
}

MODEL float32x4_t vcvt_high_f32_f16(const float16x8_t a)
{
    return vcvt_f32_f16(vget_high_f16(a));
}

MODEL float16x4_t vcvt_f16_f32(const float32x4_t a)
{
    return (float16x4_t){vget_low_u16(model_narrow(model_pad(a)))};
}

/* Any int16 is a binary32, so is its quotient, and one rounding is left. */
MODEL float16x8_t vcvtq_n_f16_s16(const int16x8_t a, const int bits)
{
    const model_f32x8 exact =
        __builtin_convertvector(__builtin_convertvector(a, model_s32x8), model_f32x8);
    return (float16x8_t){model_narrow(exact * model_power_of_two(-bits))};
}

MODEL float16x8_t vcvtq_f16_s16(const int16x8_t a)
{
    return vcvtq_n_f16_s16(a, 0);
}

/* binary32 has more than twice the significant bits of half precision, and two more: that a sum
 * rounds there first changes nothing. */
MODEL float16x8_t vsubq_f16(const float16x8_t a, const float16x8_t b)
{
    return (float16x8_t){model_narrow(model_widen(a.bits) - model_widen(b.bits))};
}

#endif /* SIMA_TESTS_EXHAUSTIVE_ARM_NEON_H */
