/* SPDX-License-Identifier: Apache-2.0 */
#include "random_layout.h"

#include "geometry.h"

#include <string.h>

const char *layout_kind_name(const layout_kind kind)
{
    static const char *const names[] = {
        [LAYOUT_FREE] = "any order",
        [LAYOUT_SAME_ORDER] = "same order",
        [LAYOUT_ROWS] = "rows",
        [LAYOUT_TRANSPOSED] = "transposed",
        [LAYOUT_INNER_STEP] = "inner step",
        [LAYOUT_CHANNELS] = "channels",
        [LAYOUT_ONE_CHANNEL] = "one channel",
        [LAYOUT_TILES] = "tiles",
        [LAYOUT_CROP] = "crop",
        [LAYOUT_SMALL_RANK_6] = "small rank 6",
        [LAYOUT_MERGEABLE] = "mergeable",
    };
    return names[kind];
}

/* No expression here draws twice: the order would be the compiler's. */

random_state random_layout_stream(const uint64_t seed, const uint64_t index)
{
    /* Neighbouring indices must not give similar streams. */
    uint64_t mixed = seed * UINT64_C(0x9e3779b97f4a7c15) + index;
    for (int round = 0; round < 3; ++round) {
        mixed ^= mixed >> 29;
        mixed *= UINT64_C(0xd1342543de82ef95);
    }
    return (random_state){mixed};
}

static bool one_in(random_state *const random, const uint32_t count)
{
    return random_below(random, count) == 0;
}

static int64_t between(random_state *const random, const uint32_t least, const uint32_t most)
{
    return least + random_below(random, most - least + 1);
}

/* ---- both ports, before extents of 0 and 1 ---- */

typedef struct draft {
    int32_t rank;
    int64_t extent[SIMA_MAX_RANK];
    arrangement port[2];
} draft;

static void begin(draft *const made, const int32_t rank)
{
    made->rank = rank;
    made->port[0] = geometry_row_major(rank);
    made->port[1] = made->port[0];
}

/* Short rows most of all; then lengths next to those at which kernels change their ways. */
static int64_t random_length(random_state *const random)
{
    static const uint32_t edges[] = {16, 32, 64, 128, 256};
    switch (random_below(random, 8)) {
    case 0:
    case 1:
        return between(random, 2, 5);
    case 2:
    case 3:
    case 4:
        return between(random, 1, 20);
    case 5:
    case 6: {
        const uint32_t edge = edges[random_below(random, 5)];
        return between(random, edge - 1, edge + 1);
    }
    default:
        return between(random, 100, 1000);
    }
}

static void random_extents(random_state *const random, draft *const made)
{
    for (int32_t axis = 0; axis < made->rank; ++axis) {
        made->extent[axis] = random_length(random);
    }
}

static void shuffle(random_state *const random, const int32_t rank, arrangement *const how)
{
    for (int32_t last = rank - 1; last > 0; --last) {
        const int32_t other = (int32_t)random_below(random, (uint32_t)last + 1);
        const int32_t axis = how->axis[last];
        how->axis[last] = how->axis[other];
        how->axis[other] = axis;
    }
}

/* 1 to 20, the small ones more often. */
static int64_t random_step(random_state *const random)
{
    return one_in(random, 2) ? between(random, 2, 4) : between(random, 1, 20);
}

/* None, some, or all places with holes up to `most` elements long; or none, not even for steps. */
static void random_pads(random_state *const random, const int32_t rank, const uint32_t most,
                        arrangement *const how)
{
    const uint32_t style = random_below(random, 4);
    for (int32_t place = 0; place < rank; ++place) {
        const bool pads = style == 1 ? one_in(random, 3) : style == 2;
        how->pad[place] = style == 3 ? TIGHT : pads ? between(random, 1, most) : 0;
    }
    how->pad[0] = how->pad[0] > 0 ? 0 : how->pad[0];
}

/* Bit 0: the input; bit 1: the output. Never neither. */
static uint32_t some_ports(random_state *const random)
{
    return 1 + random_below(random, 3);
}

static void pad_some_ports(random_state *const random, const uint32_t most, draft *const made)
{
    const uint32_t ports = some_ports(random);
    for (int port = 0; port < 2; ++port) {
        if ((ports >> port & 1) != 0) {
            random_pads(random, made->rank, most, &made->port[port]);
        }
    }
}

static void step_some_ports(random_state *const random, draft *const made)
{
    const uint32_t ports = some_ports(random);
    for (int port = 0; port < 2; ++port) {
        if ((ports >> port & 1) != 0) {
            made->port[port].step = random_step(random);
        }
    }
}

static void make_free(random_state *const random, draft *const made)
{
    begin(made, (int32_t)random_below(random, SIMA_MAX_RANK + 1));
    random_extents(random, made);
    for (int port = 0; port < 2; ++port) {
        shuffle(random, made->rank, &made->port[port]);
        random_pads(random, made->rank, 8, &made->port[port]);
    }
    if (one_in(random, 2)) {
        step_some_ports(random, made);
    }
}

static void make_same_order(random_state *const random, draft *const made)
{
    begin(made, (int32_t)between(random, 2, SIMA_MAX_RANK));
    random_extents(random, made);
    shuffle(random, made->rank, &made->port[0]);
    made->port[1] = made->port[0];
    if (one_in(random, 2)) {
        pad_some_ports(random, 8, made);
    }
    if (one_in(random, 4)) {
        step_some_ports(random, made);
    }
}

static void make_rows(random_state *const random, draft *const made)
{
    begin(made, (int32_t)between(random, 2, 4));
    random_extents(random, made);
    pad_some_ports(random, 70, made);
}

static void swap_fastest(arrangement *const how)
{
    const int32_t axis = how->axis[0];
    how->axis[0] = how->axis[1];
    how->axis[1] = axis;
}

static void make_transposed(random_state *const random, draft *const made)
{
    begin(made, (int32_t)between(random, 2, 3));
    random_extents(random, made);
    swap_fastest(&made->port[random_below(random, 2)]);
    pad_some_ports(random, 20, made);
}

static void make_inner_step(random_state *const random, draft *const made)
{
    begin(made, (int32_t)between(random, 1, 3));
    random_extents(random, made);
    if (one_in(random, 2)) {
        pad_some_ports(random, 8, made);
    }
    step_some_ports(random, made);
}

/* Logically planes or interleaved; in memory planes on one port and interleaved on the other. */
static void make_channels(random_state *const random, draft *const made)
{
    static const int32_t channels_fastest[] = {0, 2, 1};
    static const int32_t channels_slowest[] = {1, 0, 2};
    const bool planes_first = one_in(random, 2);
    begin(made, 3);
    random_extents(random, made);
    made->extent[planes_first ? 0 : 2] = between(random, 2, 5);
    memcpy(made->port[random_below(random, 2)].axis,
           planes_first ? channels_fastest : channels_slowest, sizeof channels_fastest);
    if (one_in(random, 3)) {
        pad_some_ports(random, 8, made);
    }
}

static void make_one_channel(random_state *const random, draft *const made)
{
    begin(made, (int32_t)between(random, 1, 3));
    random_extents(random, made);
    const uint32_t port = random_below(random, 2);
    made->port[port].step = between(random, 2, 5);
    if (one_in(random, 2)) {
        pad_some_ports(random, 12, made);
    }
}

/* Axes: rows of tiles, tiles in such a row, rows in a tile, elements in such a row. */
static void make_tiles(random_state *const random, draft *const made)
{
    static const int32_t matrix[] = {3, 1, 2, 0};
    begin(made, 4);
    made->extent[0] = between(random, 1, 6);
    made->extent[1] = between(random, 1, 6);
    made->extent[2] = between(random, 1, 16);
    made->extent[3] = one_in(random, 2) ? between(random, 1, 20) : 16;
    memcpy(made->port[random_below(random, 2)].axis, matrix, sizeof matrix);
    if (one_in(random, 3)) {
        pad_some_ports(random, 16, made);
    }
}

static void make_crop(random_state *const random, draft *const made)
{
    begin(made, (int32_t)between(random, 2, 4));
    random_extents(random, made);
    for (int port = 0; port < 2; ++port) {
        for (int32_t place = 1; place < made->rank; ++place) {
            made->port[port].pad[place] = between(random, 0, 40);
        }
    }
}

static void make_small_rank_6(random_state *const random, draft *const made)
{
    begin(made, 6);
    for (int32_t axis = 0; axis < 6; ++axis) {
        made->extent[axis] = between(random, 2, 3);
    }
    shuffle(random, 6, &made->port[0]);
    shuffle(random, 6, &made->port[1]);
    if (one_in(random, 3)) {
        pad_some_ports(random, 4, made);
    }
}

static void make_mergeable(random_state *const random, draft *const made)
{
    begin(made, (int32_t)between(random, 3, SIMA_MAX_RANK));
    for (int32_t axis = 0; axis < made->rank; ++axis) {
        made->extent[axis] = between(random, 2, 7);
    }
    if (one_in(random, 2)) {
        shuffle(random, made->rank, &made->port[0]);
        made->port[1] = made->port[0];
    }
    if (one_in(random, 2)) {
        const int64_t place = between(random, 1, (uint32_t)made->rank - 1);
        const uint32_t port = random_below(random, 2);
        made->port[port].pad[place] = between(random, 1, 8);
    }
    if (one_in(random, 3)) {
        made->port[0].step = random_step(random);
        made->port[1].step = one_in(random, 2) ? made->port[0].step : 1;
    }
}

/* ---- size ---- */

static int64_t elements_of(const draft *const made)
{
    int64_t elements = 1;
    for (int32_t axis = 0; axis < made->rank; ++axis) {
        elements *= made->extent[axis];
    }
    return elements;
}

static void halve_longest(draft *const made)
{
    int32_t longest = 0;
    for (int32_t axis = 1; axis < made->rank; ++axis) {
        longest = made->extent[axis] > made->extent[longest] ? axis : longest;
    }
    made->extent[longest] = (made->extent[longest] + 1) / 2;
}

/* Small ones mostly; one in ten has the 2,048 elements from which BF16 has other kernels. */
static void fit_size(random_state *const random, draft *const made)
{
    const uint32_t size = random_below(random, 10);
    const bool large = size == 9 && made->rank > 0;
    const int64_t most = large ? RANDOM_LAYOUT_ELEMENTS : size < 6 ? 300 : 1500;
    while (large && elements_of(made) < RANDOM_LAYOUT_ELEMENTS / 2) {
        made->extent[random_below(random, (uint32_t)made->rank)] *= 2;
    }
    while (elements_of(made) > most) {
        halve_longest(made);
    }
}

/* ---- parameters ---- */

static int32_t random_zero_point(random_state *const random)
{
    static const int32_t wide[] = {16777217, -16777217, 33554435, INT32_MAX, INT32_MIN};
    switch (random_below(random, 7)) {
    case 0:
        return 0;
    case 1:
        return -128;
    case 2:
    case 3:
        return (int32_t)random_below(random, 256) - 128;
    case 4:
        return (int32_t)random_below(random, 1u << 23) - (1 << 22);
    case 5:
        return wide[random_below(random, 5)];
    default:
        return (int32_t)((int64_t)random_next(random) + INT32_MIN);
    }
}

static uint32_t random_scale_bits(random_state *const random)
{
    /* A tie that goes to even, scales with few significant bits, and the least of all. */
    static const uint32_t chosen[] = {0x4037ced9, 0x40400000, 0x3dcccccd, 0x00000001};
    const uint32_t fraction = random_next(random) >> 9;
    switch (random_below(random, 7)) {
    case 0:
        return (uint32_t)between(random, 119, 135) << 23; /* powers of two with kernels */
    case 1:
        return (uint32_t)between(random, 1, 254) << 23;
    case 2:
    case 3:
        return (uint32_t)between(random, 107, 147) << 23 | fraction;
    case 4:
        return (uint32_t)between(random, 117, 137) << 23 | (fraction & 0x7c0000);
    case 5:
        return 1 + random_below(random, 0x7f7fffff); /* any that is admitted */
    default:
        return chosen[random_below(random, 4)];
    }
}

/* ---- the request ---- */

static void arrange_ports(const draft *const made, sample_request *const sample)
{
    sima_tensor_spec *const spec[] = {&sample->input, &sample->output};
    for (int port = 0; port < 2; ++port) {
        spec[port]->rank = made->rank;
        memcpy(spec[port]->extent, made->extent, sizeof made->extent);
        geometry_arrange(spec[port], &made->port[port]);
    }
}

static bool is_too_large(const sample_request *const sample)
{
    return geometry_bytes(&sample->input) > RANDOM_LAYOUT_BYTES ||
           geometry_bytes(&sample->output) > RANDOM_LAYOUT_BYTES;
}

/* Any multiple of the width is admitted where nothing moves, and means nothing. */
static int64_t idle_stride(random_state *const random, const int64_t width)
{
    switch (random_below(random, 4)) {
    case 0:
        return 0;
    case 1:
        return width;
    case 2:
        return (INT64_MAX >> random_below(random, 40)) / width * width;
    default:
        return random_below(random, 100) * width;
    }
}

static void randomize_idle_strides(random_state *const random, sima_tensor_spec *const spec)
{
    for (int32_t axis = 0; axis < spec->rank; ++axis) {
        if (spec->extent[axis] < 2) {
            spec->stride[axis] = idle_stride(random, geometry_width(spec->dtype));
        }
    }
}

static void insert_axis(sima_tensor_spec *const spec, const int32_t place)
{
    for (int32_t axis = spec->rank; axis > place; --axis) {
        spec->extent[axis] = spec->extent[axis - 1];
        spec->stride[axis] = spec->stride[axis - 1];
    }
    spec->extent[place] = 1;
    ++spec->rank;
}

static void mix_in_idle_axes(random_state *const random, sample_request *const sample)
{
    while (sample->input.rank < SIMA_MAX_RANK && one_in(random, 4)) {
        const int32_t place = (int32_t)random_below(random, (uint32_t)sample->input.rank + 1);
        insert_axis(&sample->input, place);
        insert_axis(&sample->output, place);
    }
    if (sample->input.rank > 0 && one_in(random, 64)) {
        const uint32_t axis = random_below(random, (uint32_t)sample->input.rank);
        sample->input.extent[axis] = 0;
        sample->output.extent[axis] = 0;
    }
    randomize_idle_strides(random, &sample->input);
    randomize_idle_strides(random, &sample->output);
}

/* Row-major without holes, half of the time said in the short way, in which no stride is read. */
static void say_contiguous(random_state *const random, sima_tensor_spec *const spec)
{
    sima_tensor_spec dense = *spec;
    const arrangement how = geometry_row_major(spec->rank);
    geometry_arrange(&dense, &how);
    for (int32_t axis = 0; axis < spec->rank; ++axis) {
        if (spec->extent[axis] > 1 && spec->stride[axis] != dense.stride[axis]) {
            return;
        }
    }
    if (one_in(random, 2)) {
        spec->layout = SIMA_LAYOUT_CONTIGUOUS;
    }
}

layout_kind random_layout(random_state *const random, sample_request *const sample)
{
    static void (*const makers[])(random_state *, draft *) = {
        [LAYOUT_FREE] = make_free,
        [LAYOUT_SAME_ORDER] = make_same_order,
        [LAYOUT_ROWS] = make_rows,
        [LAYOUT_TRANSPOSED] = make_transposed,
        [LAYOUT_INNER_STEP] = make_inner_step,
        [LAYOUT_CHANNELS] = make_channels,
        [LAYOUT_ONE_CHANNEL] = make_one_channel,
        [LAYOUT_TILES] = make_tiles,
        [LAYOUT_CROP] = make_crop,
        [LAYOUT_SMALL_RANK_6] = make_small_rank_6,
        [LAYOUT_MERGEABLE] = make_mergeable,
    };
    const layout_kind kind = (layout_kind)random_below(random, LAYOUT_KINDS);
    draft made;
    memset(&made, 0, sizeof made);
    makers[kind](random, &made);
    fit_size(random, &made);
    const sima_dtype output = one_in(random, 2) ? SIMA_DTYPE_FLOAT32 : SIMA_DTYPE_BFLOAT16;
    sample_init(sample, 0, output, 1.0f, random_zero_point(random));
    const uint32_t scale = random_scale_bits(random);
    memcpy(&sample->request.params.scale, &scale, sizeof scale);
    arrange_ports(&made, sample);
    while (is_too_large(sample)) {
        halve_longest(&made);
        arrange_ports(&made, sample);
    }
    mix_in_idle_axes(random, sample);
    say_contiguous(random, &sample->input);
    say_contiguous(random, &sample->output);
    return kind;
}
