/* SPDX-License-Identifier: Apache-2.0 */

/* fegetexcept() is an extension of glibc. Must stand before any header. */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include "fpenv.h"

#include "build_policy.h"

#include <stdint.h>

#define SIMA_ROUNDING_COMPLAINT                                                                    \
    "the thread does not round to nearest; call fesetround(FE_TONEAREST) first"
#define SIMA_FLUSH_COMPLAINT                                                                       \
    "the thread flushes subnormal numbers to zero; usual causes are a program or library linked "  \
    "with -ffast-math and a thread pool that switches denormals off: clear that mode first"
#define SIMA_TRAP_COMPLAINT                                                                        \
    "the thread traps on a floating-point exception; mask all of them first, as with "             \
    "fedisableexcept(FE_ALL_EXCEPT)"

#if defined(__aarch64__) && !defined(SIMA_FPENV_FORCE_GENERIC)

/*
 * FPCR. Not looked at: DN (25) acts on NaNs and AHP (26) on half-precision NaNs and infinities,
 * neither of which occurs; FZ16 (19) acts on half-precision arithmetic and spares conversions.
 * Refused besides the obvious: FIZ (0) flushes inputs; AH (1) and NEP (2) change what denormal
 * handling and scalar instructions do, and the kernels have not been shown exact under them.
 */
#define SIMA_FPCR_ALTERNATE ((UINT64_C(1) << 1) | (UINT64_C(1) << 2))
#define SIMA_FPCR_FLUSH ((UINT64_C(1) << 24) | UINT64_C(1))
#define SIMA_FPCR_ROUNDING (UINT64_C(3) << 22)
#define SIMA_FPCR_TRAPS ((UINT64_C(0x1f) << 8) | (UINT64_C(1) << 15))

static uint64_t read_fpcr(void)
{
    uint64_t fpcr;
    __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
    return fpcr;
}

bool sima_fpenv_is_admitted(void)
{
    return (read_fpcr() &
            (SIMA_FPCR_ALTERNATE | SIMA_FPCR_FLUSH | SIMA_FPCR_ROUNDING | SIMA_FPCR_TRAPS)) == 0;
}

const char *sima_fpenv_complaint(void)
{
    const uint64_t fpcr = read_fpcr();
    if (fpcr & SIMA_FPCR_ROUNDING) {
        return SIMA_ROUNDING_COMPLAINT;
    }
    if (fpcr & SIMA_FPCR_FLUSH) {
        return SIMA_FLUSH_COMPLAINT;
    }
    if (fpcr & SIMA_FPCR_TRAPS) {
        return SIMA_TRAP_COMPLAINT;
    }
    return "the thread uses alternate floating-point behaviour (FPCR.AH or FPCR.NEP); clear both "
           "bits first";
}

#elif defined(__SSE__) && !defined(SIMA_FPENV_FORCE_GENERIC)

#include <xmmintrin.h>

/* MXCSR. The x87 control word does not matter: FLT_EVAL_METHOD 0 means SSE arithmetic. */
#define SIMA_MXCSR_FLUSH ((1u << 15) | (1u << 6))
#define SIMA_MXCSR_ROUNDING (3u << 13)
#define SIMA_MXCSR_MASKS (0x3fu << 7)

bool sima_fpenv_is_admitted(void)
{
    return (_mm_getcsr() & (SIMA_MXCSR_FLUSH | SIMA_MXCSR_ROUNDING | SIMA_MXCSR_MASKS)) ==
           SIMA_MXCSR_MASKS;
}

const char *sima_fpenv_complaint(void)
{
    const unsigned mxcsr = _mm_getcsr();
    if (mxcsr & SIMA_MXCSR_ROUNDING) {
        return SIMA_ROUNDING_COMPLAINT;
    }
    return mxcsr & SIMA_MXCSR_FLUSH ? SIMA_FLUSH_COMPLAINT : SIMA_TRAP_COMPLAINT;
}

#else

#include <fenv.h>

/* ISO C cannot ask whether a trap is enabled; glibc can. */
static bool traps_are_masked(void)
{
#if defined(__GLIBC__)
    return fegetexcept() == 0;
#else
    return true;
#endif
}

/* Arithmetic whose result tells the mode. Volatile, so that it is done here and now. */
static bool rounds_to_nearest(void)
{
    const volatile float one = 1.0f;
    const volatile float quarter_step = 0x1p-25f;
    const volatile float three_quarter_steps = 0x3p-25f;
    return fegetround() == FE_TONEAREST && one + quarter_step == one &&
           one + three_quarter_steps == 0x1.000002p0f;
}

static bool keeps_subnormals(void)
{
    const volatile float smallest_normal = FLT_MIN;
    const volatile float half = 0.5f;
    const volatile float subnormal = 0x1p-149f;
    const volatile float two_to_24 = 0x1p24f;
    const volatile float made = smallest_normal * half;
    const volatile float used = subnormal * two_to_24;
    return made > 0.0f && used > 0.0f;
}

/* Runs a probe with exceptions masked, and puts the whole state back: no flag stays. */
static bool probe(bool (*const holds)(void))
{
    fenv_t saved;
    if (feholdexcept(&saved) != 0) {
        return false;
    }
    const bool answer = holds();
    return fesetenv(&saved) == 0 && answer;
}

bool sima_fpenv_is_admitted(void)
{
    return traps_are_masked() && probe(rounds_to_nearest) && probe(keeps_subnormals);
}

const char *sima_fpenv_complaint(void)
{
    if (!probe(rounds_to_nearest)) {
        return SIMA_ROUNDING_COMPLAINT;
    }
    return traps_are_masked() ? SIMA_FLUSH_COMPLAINT : SIMA_TRAP_COMPLAINT;
}

#endif
