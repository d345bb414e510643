/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMA_TESTS_FUZZ_FUZZ_H
#define SIMA_TESTS_FUZZ_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What libFuzzer calls, once an input. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What must hold whatever the input. Stands in every build, unlike assert(). */
#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* Takes bytes off the front of an input; zeros once it is used up. */
typedef struct bytes {
    const uint8_t *next;
    size_t left;
} bytes;

static inline void take(bytes *const from, void *const to, const size_t size)
{
    const size_t count = size < from->left ? size : from->left;
    memset(to, 0, size);
    if (count > 0) {
        memcpy(to, from->next, count);
        from->next += count;
        from->left -= count;
    }
}

static inline uint32_t take_u32(bytes *const from)
{
    uint32_t value;
    take(from, &value, sizeof value);
    return value;
}

static inline uint8_t take_u8(bytes *const from)
{
    uint8_t value;
    take(from, &value, sizeof value);
    return value;
}

#endif /* SIMA_TESTS_FUZZ_FUZZ_H */
