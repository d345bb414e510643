/* SPDX-License-Identifier: Apache-2.0 */

/*
 * a65_dequant_exhaustive CHECK [STRIDE [PART PARTS]]
 *
 * Goes over a whole domain (STRIDE 1), or over each STRIDE-th point of it, and compares what the
 * library gives with plain definitions in integers. PART of PARTS, from 0, shares the work.
 */

#include "checks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct check {
    const char *name;
    void (*run)(slice of, tally *count);
} check;

static const check checks[] = {
    {"int8", check_int8},       {"any", check_any},
    {"fields", check_fields},   {"exact", check_exact},
    {"wide", check_wide},       {"hash", check_hash},
    {"outside", check_outside}, {"narrow", check_narrow},
    {"ties", check_ties},       {"distant_ties", check_distant_ties},
    {"bias", check_bias},
};

void count_one(tally *const count, const bool agrees, const char *const what, const int64_t first,
               const int64_t second)
{
    ++count->compared;
    if (agrees) {
        return;
    }
    if (count->different++ == 0) {
        printf("different: %s at %" PRId64 " (0x%" PRIx64 "), %" PRId64 " (0x%" PRIx64 ")\n", what,
               first, (uint64_t)first, second, (uint64_t)second);
    }
}

static const check *find_check(const char *const name)
{
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; ++i) {
        if (strcmp(checks[i].name, name) == 0) {
            return &checks[i];
        }
    }
    return NULL;
}

static int usage(void)
{
    fputs("usage: a65_dequant_exhaustive CHECK [STRIDE [PART PARTS]]\nchecks:", stderr);
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; ++i) {
        fprintf(stderr, " %s", checks[i].name);
    }
    fputs("\n", stderr);
    return 2;
}

static uint64_t number(const int argc, char *const *const argv, const int index,
                       const uint64_t otherwise)
{
    return index < argc ? strtoull(argv[index], NULL, 10) : otherwise;
}

int main(const int argc, char **const argv)
{
    const check *const chosen = argc > 1 ? find_check(argv[1]) : NULL;
    const slice of = {number(argc, argv, 2, 1), number(argc, argv, 3, 0), number(argc, argv, 4, 1)};
    if (chosen == NULL || argc == 4 || argc > 5 || of.stride == 0 || of.part >= of.parts) {
        return usage();
    }
    tally count = {0, 0};
    chosen->run(of, &count);
    printf("%s, stride %" PRIu64 ", part %" PRIu64 " of %" PRIu64 ": %" PRIu64 " compared, %" PRIu64
           " different\n",
           chosen->name, of.stride, of.part, of.parts, count.compared, count.different);
    return count.compared > 0 && count.different == 0 ? 0 : 1;
}
