/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMA_TESTS_RANDOM_LAYOUT_H
#define SIMA_TESTS_RANDOM_LAYOUT_H

/*
 * Random requests, each made from a seed and an index alone, the same on every machine. Every one
 * is admissible: strides are built from the fastest axis on.
 */

#include "suites.h"

/* The most bytes that a port of such a request spans, and the most elements it has. */
enum { RANDOM_LAYOUT_BYTES = 1 << 16, RANDOM_LAYOUT_ELEMENTS = 4096 };

/* What a layout is made to look like before extents of 0 and 1 are mixed in. */
typedef enum layout_kind {
    LAYOUT_FREE,         /* any order of the axes on either port */
    LAYOUT_SAME_ORDER,   /* a permutation that both ports share */
    LAYOUT_ROWS,         /* row-major rows with holes after them */
    LAYOUT_TRANSPOSED,   /* matrices whose rows are the other port's columns */
    LAYOUT_INNER_STEP,   /* a constant step between elements, on one port or both */
    LAYOUT_CHANNELS,     /* planes on one port, interleaved channels on the other */
    LAYOUT_ONE_CHANNEL,  /* one channel of interleaved ones, dense on the other port */
    LAYOUT_TILES,        /* a matrix on one port, its tiles one after the other on the other */
    LAYOUT_CROP,         /* a part of a larger tensor, on one port or both */
    LAYOUT_SMALL_RANK_6, /* six axes of two or three, any order */
    LAYOUT_MERGEABLE,    /* axes that are one, seen from memory, but for one of them at most */
    LAYOUT_KINDS
} layout_kind;

const char *layout_kind_name(layout_kind kind);

/* A generator whose stream is that of one index of one seed. */
random_state random_layout_stream(uint64_t seed, uint64_t index);

/* Fills shapes, strides, types and parameters. */
layout_kind random_layout(random_state *random, sample_request *sample);

#endif /* SIMA_TESTS_RANDOM_LAYOUT_H */
