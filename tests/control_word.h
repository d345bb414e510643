/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMA_TESTS_CONTROL_WORD_H
#define SIMA_TESTS_CONTROL_WORD_H

/* The thread's floating-point control register, without its status flags. */

#include <stdbool.h>
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

/* The status flags: which exceptions have happened. */
static inline uint64_t control_word_flags(void)
{
    uint64_t value;
    __asm__ volatile("mrs %0, fpsr" : "=r"(value));
    return value & 0x9f;
}

static inline void control_word_clear_flags(void)
{
    __asm__ volatile("msr fpsr, xzr");
}

/* Modes that change no result of this operation: DN (which NaN), AHP (another half precision for
 * NaNs and infinities) and FZ16 (flushing in half-precision arithmetic). */
#define CONTROL_WORD_HARMLESS                                                                      \
    {                                                                                              \
        UINT64_C(1) << 25, UINT64_C(1) << 26, UINT64_C(1) << 19,                                   \
            UINT64_C(1) << 25 | UINT64_C(1) << 26 | UINT64_C(1) << 19                              \
    }

#elif defined(__SSE__)

#include <xmmintrin.h>

enum { CONTROL_WORD_FLAGS = 0x3f };

/* There is none on x86 besides the usual one. */
#define CONTROL_WORD_HARMLESS                                                                      \
    {                                                                                              \
        0                                                                                          \
    }

static inline uint64_t control_word_read(void)
{
    return _mm_getcsr() & ~(unsigned)CONTROL_WORD_FLAGS;
}

/* Clears the status flags as well: they share the register. */
static inline void control_word_write(const uint64_t value)
{
    _mm_setcsr((unsigned)value);
}

/* The status flags: which exceptions have happened. */
static inline uint64_t control_word_flags(void)
{
    return _mm_getcsr() & (unsigned)CONTROL_WORD_FLAGS;
}

static inline void control_word_clear_flags(void)
{
    _mm_setcsr(_mm_getcsr() & ~(unsigned)CONTROL_WORD_FLAGS);
}

#else
#error "the tests know the control registers of AArch64 and x86 only"
#endif

/* Whether the machine lets one set these bits. The mode is as before afterwards. */
static inline bool control_word_holds(const uint64_t value)
{
    const uint64_t usual = control_word_read();
    control_word_write(value);
    const bool held = control_word_read() == value;
    control_word_write(usual);
    return held;
}

#endif /* SIMA_TESTS_CONTROL_WORD_H */
