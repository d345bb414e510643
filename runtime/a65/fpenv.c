/* SPDX-License-Identifier: Apache-2.0 */

/* fegetexcept() is an extension of glibc. Must stand before any header. */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include "fpenv.h"

#include "build_policy.h"

#include <stddef.h>
#include <stdint.h>

/* Complaints: the bit found, what is admitted, and what to do. Each has one of the words rounds,
 * flushes, traps, alternate, and none of the others. */
#define SIMA_ROUNDING_COMPLAINT(where)                                                             \
    where "the thread rounds other than to nearest, the only direction admitted; call "            \
          "fesetround(FE_TONEAREST) first"
#define SIMA_FLUSH_COMPLAINT(where)                                                                \
    where                                                                                          \
        "the thread flushes subnormal numbers to zero, and they must be kept; usual causes are "   \
        "a program or library linked with -ffast-math and a thread pool that switches denormals "  \
        "off: clear that mode first"
#define SIMA_TRAP_COMPLAINT(where, what)                                                           \
    where "the thread traps on " what ", and every exception must be masked; call "                \
          "fedisableexcept(FE_ALL_EXCEPT) or clear the mode first"
#define SIMA_ALTERNATE_COMPLAINT(where)                                                            \
    where "the thread uses alternate floating-point behaviour, for which exact results have not "  \
          "been shown; clear the bit first"

#if !defined(SIMA_FPENV_FORCE_GENERIC) && (defined(__aarch64__) || defined(__SSE__))

/* Bits of the control register that, where set, refuse the thread, and what is said then. */
typedef struct sima_fpenv_fault {
    uint32_t bits;
    const char *complaint;
} sima_fpenv_fault;

/* The first fault found in `faulty`; the last of the table where none is: a thread whose mode has
 * changed since it was refused. */
static const char *complaint_of(const sima_fpenv_fault *const faults, const size_t count,
                                const uint32_t faulty)
{
    size_t i = 0;
    while (i + 1 < count && (faulty & faults[i].bits) == 0) {
        ++i;
    }
    return faults[i].complaint;
}

#endif

#if defined(__aarch64__) && !defined(SIMA_FPENV_FORCE_GENERIC)

/*
 * FPCR. Not looked at: DN (25) acts on NaNs and AHP (26) on half-precision NaNs and infinities,
 * neither of which occurs; FZ16 (19) acts on half-precision arithmetic and spares conversions.
 * Refused besides the obvious: FIZ (0) flushes inputs; AH (1) and NEP (2) change what denormal
 * handling and scalar instructions do, and the kernels have not been shown exact under them.
 */
#define SIMA_FPCR_FIZ (UINT32_C(1) << 0)
#define SIMA_FPCR_AH (UINT32_C(1) << 1)
#define SIMA_FPCR_NEP (UINT32_C(1) << 2)
#define SIMA_FPCR_IOE (UINT32_C(1) << 8)
#define SIMA_FPCR_DZE (UINT32_C(1) << 9)
#define SIMA_FPCR_OFE (UINT32_C(1) << 10)
#define SIMA_FPCR_UFE (UINT32_C(1) << 11)
#define SIMA_FPCR_IXE (UINT32_C(1) << 12)
#define SIMA_FPCR_IDE (UINT32_C(1) << 15)
#define SIMA_FPCR_RMODE (UINT32_C(3) << 22)
#define SIMA_FPCR_FZ (UINT32_C(1) << 24)
#define SIMA_FPCR_REFUSED                                                                          \
    (SIMA_FPCR_FIZ | SIMA_FPCR_AH | SIMA_FPCR_NEP | SIMA_FPCR_IOE | SIMA_FPCR_DZE |                \
     SIMA_FPCR_OFE | SIMA_FPCR_UFE | SIMA_FPCR_IXE | SIMA_FPCR_IDE | SIMA_FPCR_RMODE |             \
     SIMA_FPCR_FZ)

static const sima_fpenv_fault faults[] = {
    {SIMA_FPCR_RMODE, SIMA_ROUNDING_COMPLAINT("FPCR.RMode is not 0: ")},
    {SIMA_FPCR_FZ, SIMA_FLUSH_COMPLAINT("FPCR.FZ is set: ")},
    {SIMA_FPCR_FIZ, SIMA_FLUSH_COMPLAINT("FPCR.FIZ is set: ")},
    {SIMA_FPCR_IOE, SIMA_TRAP_COMPLAINT("FPCR.IOE is set: ", "invalid operations")},
    {SIMA_FPCR_DZE, SIMA_TRAP_COMPLAINT("FPCR.DZE is set: ", "division by zero")},
    {SIMA_FPCR_OFE, SIMA_TRAP_COMPLAINT("FPCR.OFE is set: ", "overflow")},
    {SIMA_FPCR_UFE, SIMA_TRAP_COMPLAINT("FPCR.UFE is set: ", "underflow")},
    {SIMA_FPCR_IXE, SIMA_TRAP_COMPLAINT("FPCR.IXE is set: ", "inexact results")},
    {SIMA_FPCR_IDE, SIMA_TRAP_COMPLAINT("FPCR.IDE is set: ", "subnormal operands")},
    {SIMA_FPCR_AH, SIMA_ALTERNATE_COMPLAINT("FPCR.AH is set: ")},
    {SIMA_FPCR_NEP, SIMA_ALTERNATE_COMPLAINT("FPCR.NEP is set: ")},
};

/* All bits that matter are in the lower half. */
static uint32_t read_faulty_bits(void)
{
    uint64_t fpcr;
    __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
    return (uint32_t)fpcr & SIMA_FPCR_REFUSED;
}

bool sima_fpenv_is_admitted(void)
{
    return read_faulty_bits() == 0;
}

const char *sima_fpenv_complaint(void)
{
    return complaint_of(faults, sizeof faults / sizeof faults[0], read_faulty_bits());
}

#elif defined(__SSE__) && !defined(SIMA_FPENV_FORCE_GENERIC)

#include <xmmintrin.h>

/* MXCSR. The x87 control word does not matter: FLT_EVAL_METHOD 0 means SSE arithmetic. Its
 * exception bits mask where they are set. */
#define SIMA_MXCSR_DAZ (UINT32_C(1) << 6)
#define SIMA_MXCSR_IM (UINT32_C(1) << 7)
#define SIMA_MXCSR_DM (UINT32_C(1) << 8)
#define SIMA_MXCSR_ZM (UINT32_C(1) << 9)
#define SIMA_MXCSR_OM (UINT32_C(1) << 10)
#define SIMA_MXCSR_UM (UINT32_C(1) << 11)
#define SIMA_MXCSR_PM (UINT32_C(1) << 12)
#define SIMA_MXCSR_RC (UINT32_C(3) << 13)
#define SIMA_MXCSR_FTZ (UINT32_C(1) << 15)
#define SIMA_MXCSR_MASKS                                                                           \
    (SIMA_MXCSR_IM | SIMA_MXCSR_DM | SIMA_MXCSR_ZM | SIMA_MXCSR_OM | SIMA_MXCSR_UM | SIMA_MXCSR_PM)

static const sima_fpenv_fault faults[] = {
    {SIMA_MXCSR_RC, SIMA_ROUNDING_COMPLAINT("MXCSR.RC is not 0: ")},
    {SIMA_MXCSR_FTZ, SIMA_FLUSH_COMPLAINT("MXCSR.FTZ is set: ")},
    {SIMA_MXCSR_DAZ, SIMA_FLUSH_COMPLAINT("MXCSR.DAZ is set: ")},
    {SIMA_MXCSR_IM, SIMA_TRAP_COMPLAINT("MXCSR.IM is clear: ", "invalid operations")},
    {SIMA_MXCSR_DM, SIMA_TRAP_COMPLAINT("MXCSR.DM is clear: ", "subnormal operands")},
    {SIMA_MXCSR_ZM, SIMA_TRAP_COMPLAINT("MXCSR.ZM is clear: ", "division by zero")},
    {SIMA_MXCSR_OM, SIMA_TRAP_COMPLAINT("MXCSR.OM is clear: ", "overflow")},
    {SIMA_MXCSR_UM, SIMA_TRAP_COMPLAINT("MXCSR.UM is clear: ", "underflow")},
    {SIMA_MXCSR_PM, SIMA_TRAP_COMPLAINT("MXCSR.PM is clear: ", "inexact results")},
};

/* The bits that are not as they must be; the status flags are left aside. */
static uint32_t read_faulty_bits(void)
{
    return (_mm_getcsr() ^ SIMA_MXCSR_MASKS) &
           (SIMA_MXCSR_MASKS | SIMA_MXCSR_RC | SIMA_MXCSR_FTZ | SIMA_MXCSR_DAZ);
}

bool sima_fpenv_is_admitted(void)
{
    return read_faulty_bits() == 0;
}

const char *sima_fpenv_complaint(void)
{
    return complaint_of(faults, sizeof faults / sizeof faults[0], read_faulty_bits());
}

#else

#include <fenv.h>

/*
 * What ISO C can tell: the rounding direction; and, by trying, whether subnormals survive. What it
 * cannot: which exceptions trap, and vendors' modes beyond IEEE 754. glibc tells the traps of the
 * five standard exceptions as it set them; one on subnormal operands, or one set behind its back,
 * stays unseen.
 */
static bool traps_are_masked(void)
{
#if defined(__GLIBC__)
    return fegetexcept() == 0;
#else
    return true;
#endif
}

/* Arithmetic whose result tells the mode. Every value is volatile, so that no step is done before
 * or after the state is put away: compilers know nothing of the state. */
static bool rounds_to_nearest(void)
{
    const volatile float one = 1.0f;
    const volatile float quarter_step = 0x1p-25f;
    const volatile float three_quarter_steps = 0x3p-25f;
    const volatile float down = one + quarter_step;
    const volatile float up = one + three_quarter_steps;
    const volatile bool nearest = down == 1.0f && up == 0x1.000002p0f;
    return nearest && fegetround() == FE_TONEAREST;
}

static bool keeps_subnormals(void)
{
    const volatile float smallest_normal = FLT_MIN;
    const volatile float half = 0.5f;
    const volatile float subnormal = 0x1p-149f;
    const volatile float two_to_24 = 0x1p24f;
    const volatile float made = smallest_normal * half;
    const volatile float used = subnormal * two_to_24;
    const volatile bool kept = made > 0.0f && used > 0.0f;
    return kept;
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
        return SIMA_ROUNDING_COMPLAINT("rounding was tried: ");
    }
    if (!traps_are_masked()) {
        return SIMA_TRAP_COMPLAINT("fegetexcept() is not 0: ", "floating-point exceptions");
    }
    return SIMA_FLUSH_COMPLAINT("a subnormal was tried and lost: ");
}

#endif
