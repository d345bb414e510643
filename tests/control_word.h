/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMA_TESTS_CONTROL_WORD_H
#define SIMA_TESTS_CONTROL_WORD_H

/* The thread's floating-point control register, without its status flags. */

#include <stdint.h>

#if defined(__aarch64__)

static inline uint64_t control_word_read(void)
{
    uint64_t value;
    __asm__ volatile("mrs %0, fpcr" : "=r"(value));
    return value;
}

static inline void control_word_write(const uint64_t value)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(value));
}

#elif defined(__SSE__)

#include <xmmintrin.h>

enum { CONTROL_WORD_FLAGS = 0x3f };

static inline uint64_t control_word_read(void)
{
    return _mm_getcsr() & ~(unsigned)CONTROL_WORD_FLAGS;
}

static inline void control_word_write(const uint64_t value)
{
    _mm_setcsr((unsigned)value);
}

#else
#error "the tests know the control registers of AArch64 and x86 only"
#endif

#endif /* SIMA_TESTS_CONTROL_WORD_H */
