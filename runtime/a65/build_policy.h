/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMAAI_KERNELS_RUNTIME_A65_BUILD_POLICY_H
#define SIMAAI_KERNELS_RUNTIME_A65_BUILD_POLICY_H

/*
 * What the compiler must promise so that C arithmetic is binary32 arithmetic, one rounding an
 * operation. Included by every file that computes.
 */

#include <float.h>
#include <limits.h>

#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) ||     \
    defined(__NO_SIGNED_ZEROS__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ > 0)
#error "compile the kernels without -ffast-math, -Ofast or parts of them: results would differ"
#endif
/* clang has no macro for parts such as -fassociative-math alone; they pass unseen here. */

/* 0: float operations are evaluated as float. 16: the same, and half precision as itself; gcc says
 * so where the core has half-precision arithmetic. */
#if defined(__FLT_EVAL_METHOD_TS_18661_3__)
#define SIMA_EVAL_METHOD __FLT_EVAL_METHOD_TS_18661_3__
#else
#define SIMA_EVAL_METHOD FLT_EVAL_METHOD
#endif
#if SIMA_EVAL_METHOD != 0 && SIMA_EVAL_METHOD != 16
#error "float arithmetic has excess precision; on 32-bit x86 compile with -msse2 -mfpmath=sse"
#endif

#if FLT_RADIX != 2 || FLT_MANT_DIG != 24 || FLT_MIN_EXP != -125 || FLT_MAX_EXP != 128
#error "float is not IEEE 754 binary32"
#endif

#if CHAR_BIT != 8
#error "bytes must have 8 bits"
#endif

/* gcc has no such pragma; there, -ffp-contract=off comes from the build. The staged expression
 * multiplies last and gives nothing to contract; where a kernel scales the zero point before it
 * subtracts, that product is exact. Both are so by construction, and this keeps it so. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif

#endif /* SIMAAI_KERNELS_RUNTIME_A65_BUILD_POLICY_H */
