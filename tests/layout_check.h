/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMA_TESTS_LAYOUT_CHECK_H
#define SIMA_TESTS_LAYOUT_CHECK_H

/*
 * One request through the public interface, under watch: random bytes in every byte that may be
 * touched, protected pages around them, and every byte of the output's memory compared with what
 * the plainest loop over the logical coordinates puts there.
 */

#include "guard.h"
#include "suites.h"

/* Pieces of memory between pages that fault, mapped once for any number of requests. All of a
 * piece is filled and compared each time, so the smallest that holds a request is taken. */
enum { LAYOUT_MEMORY_SIZES = 5, LAYOUT_MEMORY_BYTES = 1 << 20 };

typedef struct layout_memory {
    striped sizes[LAYOUT_MEMORY_SIZES];
} layout_memory;

layout_memory layout_memory_open(void);
void layout_memory_close(layout_memory memory);

/* Where a port's first byte lies, and what is said of the storage. */
typedef struct layout_place {
    striped memory;
    size_t base; /* from memory.begin */
    size_t size; /* bytes said to be there, from `base` on */
} layout_place;

typedef enum layout_position {
    LAYOUT_AT_START,  /* first byte after a page that faults */
    LAYOUT_AT_END,    /* last byte before one */
    LAYOUT_IN_BETWEEN /* neither, and no more aligned than it must be */
} layout_position;

layout_place layout_place_in(const layout_memory *memory, const sima_tensor_spec *spec,
                             layout_position position);

/* What is run and watched: sima_a65_dequant_execute(), but for tests of this check itself. */
typedef sima_status (*layout_execute_fn)(const sima_a65_dequant_plan *plan,
                                         const sima_const_host_buffer *inputs, size_t input_count,
                                         const sima_host_buffer *outputs, size_t output_count,
                                         sima_error *error);

/*
 * Admits, prepares and executes. NULL if every byte is what it should be, or else a text with all
 * that is needed to see why, good until the next call. `title` names the request; `salt` selects
 * the bytes of the input.
 */
const char *layout_complaint(const sample_request *sample, const char *title, layout_place input,
                             layout_place output, uint32_t salt, layout_execute_fn executes);

/* Fails the test with that text. */
void layout_check(const sample_request *sample, const char *title, layout_place input,
                  layout_place output, uint32_t salt);

#endif /* SIMA_TESTS_LAYOUT_CHECK_H */
