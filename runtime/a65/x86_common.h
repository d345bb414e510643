/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMAAI_KERNELS_RUNTIME_A65_X86_COMMON_H
#define SIMAAI_KERNELS_RUNTIME_A65_X86_COMMON_H

/* What the x86-64 kernels of all instruction sets share. */

#include <stdint.h>
#include <string.h>

/* Without optimization, gcc refuses to inline what is called through a pointer. */
#if defined(__OPTIMIZE__)
#define SIMA_X86_INLINE static inline __attribute__((always_inline))
#else
#define SIMA_X86_INLINE static inline
#endif

/* Elements from which on a span begins its whole blocks with a cache line of the output: stores
 * that cross lines cost more than the block that is done twice. */
enum { SIMA_X86_ALIGNED_FROM = 256 };

/* The FP32 pattern of 2^23, whose lowest bit counts 1: a byte is put there. */
#define SIMA_X86_PATTERN 0x4b000000

/* What a byte x + 128 in the pattern amounts to, less x. */
#define SIMA_X86_INPUT_BIAS 0x1.0001p23f

/* The pattern of 2^23 * scale, for a scale that is a power of two: 23 more in the exponent field.
 */
static inline int32_t sima_x86_scaled_pattern(const float scale)
{
    int32_t bits;
    memcpy(&bits, &scale, sizeof bits);
    return bits + (23 << 23);
}

#endif /* SIMAAI_KERNELS_RUNTIME_A65_X86_COMMON_H */
