/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMA_TESTS_GUARD_H
#define SIMA_TESTS_GUARD_H

/* Memory between two pages that fault on any access. */

#include <stdbool.h>
#include <stddef.h>

typedef struct guarded {
    unsigned char *begin;
    size_t size; /* bytes between the two protected pages */
} guarded;

/* Maps at least `size` bytes; ends the program if that fails. */
guarded guard_map(size_t size);
void guard_unmap(guarded memory);

/* Makes the memory read-only for the rest of the program. */
void guard_forbid_writes(guarded memory);

/* Pages that may be accessed, each between two that fault: for holes that are never touched. */
typedef struct striped {
    unsigned char *begin; /* of the first page that may be accessed */
    size_t page;          /* its size; the next one begins two of these further on */
    size_t count;
} striped;

striped guard_map_stripes(size_t count);
void guard_unmap_stripes(striped memory);

/* Runs action(context). True if an access of it faulted; it was left at once then. */
bool guard_catches_fault(void (*action)(void *), void *context);

/* Fills all of it with a byte pattern that depends on the position. */
void guard_fill(guarded memory);
/* The byte of that pattern at a position. */
unsigned char guard_pattern(size_t position);
/* Whether every byte outside [first, first + size) still holds that pattern. */
bool guard_is_untouched_outside(guarded memory, const unsigned char *first, size_t size);

#endif /* SIMA_TESTS_GUARD_H */
