/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMA_TESTS_EXHAUSTIVE_CHECKS_H
#define SIMA_TESTS_EXHAUSTIVE_CHECKS_H

/*
 * Whole domains, one check each. A check goes over an index space of its own; a slice is what one
 * process takes of it, so that several can share the work and a short run can take a sample.
 */

#include "harness.h"

#include <stdbool.h>
#include <stdint.h>

/* The indices (part + k * parts) * stride, k = 0, 1, ... A stride of 1, over all parts, is all. */
typedef struct slice {
    uint64_t stride;
    uint64_t part;
    uint64_t parts;
} slice;

static inline uint64_t slice_first(const slice of)
{
    return of.part * of.stride;
}

static inline uint64_t slice_step(const slice of)
{
    return of.parts * of.stride;
}

/* What has been compared, and what was found different. Only the first difference is printed. */
typedef struct tally {
    uint64_t compared;
    uint64_t different;
} tally;

void count_one(tally *count, bool agrees, const char *what, int64_t first, int64_t second);

/* Kernels against the definition in integers, see reference.h. */
void check_int8(slice of, tally *count);
void check_any(slice of, tally *count);
void check_fields(slice of, tally *count);
void check_exact(slice of, tally *count);
void check_wide(slice of, tally *count);
void check_outside(slice of, tally *count);
void check_hash(slice of, tally *count);

/* BF16 narrowing of all bit patterns. */
void check_narrow(slice of, tally *count);

/* What preparation proves. */
void check_ties(slice of, tally *count);
void check_distant_ties(slice of, tally *count);
void check_bias(slice of, tally *count);

#endif /* SIMA_TESTS_EXHAUSTIVE_CHECKS_H */
