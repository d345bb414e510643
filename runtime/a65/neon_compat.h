/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMAAI_KERNELS_RUNTIME_A65_NEON_COMPAT_H
#define SIMAAI_KERNELS_RUNTIME_A65_NEON_COMPAT_H

/*
 * The few lines that differ between compilers so that both emit the instruction that is meant. No
 * result depends on them.
 */

#include <arm_neon.h>

#define SIMA_NEON_INLINE static inline __attribute__((always_inline))

/* fcvtl2. clang up to 19 turns the intrinsic into ext and fcvtl, and gcc the generic form into a
 * hundred instructions. */
SIMA_NEON_INLINE float32x4_t sima_neon_widen_high_f16(const float16x8_t half)
{
#if defined(__clang__)
    return __builtin_convertvector(__builtin_shufflevector(half, half, 4, 5, 6, 7), float32x4_t);
#else
    return vcvt_high_f32_f16(half);
#endif
}

/* Keeps a constant in the register that it was set up in. Without this gcc 12 takes it for known
 * and loads it again at every use. */
SIMA_NEON_INLINE uint8x16_t sima_neon_keep_u8(uint8x16_t vector)
{
    __asm__("" : "+w"(vector));
    return vector;
}

/* Keeps the lower half of a pair of narrowings where the second will complete it. Without this
 * gcc 12 schedules the two apart and moves the half between registers. */
SIMA_NEON_INLINE uint16x4_t sima_neon_in_place_u16(uint16x4_t vector)
{
#if !defined(__clang__)
    __asm__("" : "+w"(vector));
#endif
    return vector;
}

/*
 * Accesses to one lane, or to a whole vector, that move the address on in the same instruction. gcc
 * 12 has no way to say so, and pays an addition for each. Macros, since a lane is an immediate; an
 * <arm_neon.h> that models the intrinsics elsewhere brings its own.
 */
#if !defined(SIMA_NEON_TAKE)

/* The first element, in every lane. */
#define SIMA_NEON_TAKE_FIRST(vector, arrangement, from, step)                                      \
    __asm__ volatile("ld1r {%0." #arrangement "}, [%1], %2"                                        \
                     : "=w"(vector), "+r"(from)                                                    \
                     : "r"(step)                                                                   \
                     : "memory")

#define SIMA_NEON_TAKE(vector, type, lane, from, step)                                             \
    __asm__ volatile("ld1 {%0." #type "}[" #lane "], [%1], %2"                                     \
                     : "+w"(vector), "+r"(from)                                                    \
                     : "r"(step)                                                                   \
                     : "memory")

#define SIMA_NEON_PUT(vector, type, lane, to, step)                                                \
    __asm__ volatile("st1 {%1." #type "}[" #lane "], [%0], %2"                                     \
                     : "+r"(to)                                                                    \
                     : "w"(vector), "r"(step)                                                      \
                     : "memory")

#define SIMA_NEON_PUT_ALL(vector, to, step)                                                        \
    __asm__ volatile("st1 {%1.16b}, [%0], %2" : "+r"(to) : "w"(vector), "r"(step) : "memory")

/* The same, with the next vector adjacent. */
#define SIMA_NEON_PUT_NEXT(vector, to)                                                             \
    __asm__ volatile("st1 {%1.16b}, [%0], #16" : "+r"(to) : "w"(vector) : "memory")

#endif

#endif /* SIMAAI_KERNELS_RUNTIME_A65_NEON_COMPAT_H */
