/* SPDX-License-Identifier: Apache-2.0 */
#include "cpu.h"

/*
 * The compiler's runtime has asked CPUID and XGETBV before main() and keeps the answer, so a
 * question costs a few instructions. CPUID itself traps to the hypervisor in virtual machines:
 * microseconds for each leaf, many times the rest of a preparation.
 */
#if defined(__x86_64__)

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2");
}

/* What SIMA_AVX512_KERNEL tells the compiler. */
static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512bf16");
}

bool sima_a65_dequant_runs_here(const sima_a65_dequant_family *const family)
{
    /* For callers that run before the compiler's own constructor; later it returns at once. */
    __builtin_cpu_init();
    switch (family->needs) {
    case SIMA_A65_DEQUANT_NEEDS_AVX512:
        return has_avx512();
    case SIMA_A65_DEQUANT_NEEDS_AVX2:
        return has_avx2();
    case SIMA_A65_DEQUANT_NEEDS_NOTHING:
        return true;
    }
    return false;
}

#else

bool sima_a65_dequant_runs_here(const sima_a65_dequant_family *const family)
{
    return family->needs == SIMA_A65_DEQUANT_NEEDS_NOTHING;
}

#endif

const sima_a65_dequant_family *sima_a65_dequant_best_family(void)
{
    size_t best = 0;
    /* The last one, portable, needs nothing. */
    while (!sima_a65_dequant_runs_here(sima_a65_dequant_families[best])) {
        ++best;
    }
    return sima_a65_dequant_families[best];
}
