/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Clauses A10, E2 and T2 and T3 on the layouts that go wrong first, by name; and holes so large
 * that an access to them faults. Random layouts are in test_random_layouts.c.
 */

#include "suites.h"

#include "geometry.h"
#include "layout_check.h"

#include <stdio.h>
#include <string.h>

/* ---- one layout, all the ways it is run ---- */

/* Both ports have these extents; how they lie is said for each. */
typedef struct pair {
    int32_t rank;
    int64_t extent[SIMA_MAX_RANK];
    arrangement input;
    arrangement output;
} pair;

/* Every class of zero points, with powers of two and other scales; the last has ties to even. */
static const sima_dequant_params params_of[] = {
    {0.25f, 0},  {0.1f, 0},      {0.25f, -128},    {0.1f, -128},      {8.0f, 5}, {0.3f, 5},
    {2.0f, 300}, {0.1f, -70000}, {1.0f, 16777217}, {0.3f, INT32_MIN}, {3.0f, 5}, {2.8719695f, -123},
};
enum { PARAMS = sizeof params_of / sizeof params_of[0] };

static const sima_dtype outputs[] = {SIMA_DTYPE_FLOAT32, SIMA_DTYPE_BFLOAT16};

/* What each test of this suite works in. */
static layout_memory input_memory;
static layout_memory output_memory;

static void open_memory(void)
{
    input_memory = layout_memory_open();
    output_memory = layout_memory_open();
}

static void close_memory(void)
{
    layout_memory_close(input_memory);
    layout_memory_close(output_memory);
}

static void make_sample(sample_request *const sample, const pair *const both,
                        const sima_dtype output, const size_t params)
{
    sample_init(sample, 0, output, params_of[params].scale, params_of[params].zero_point);
    sample->input.rank = sample->output.rank = both->rank;
    memcpy(sample->input.extent, both->extent, sizeof both->extent);
    memcpy(sample->output.extent, both->extent, sizeof both->extent);
    geometry_arrange(&sample->input, &both->input);
    geometry_arrange(&sample->output, &both->output);
}

static void run_at(const char *const name, const pair *const both, const sima_dtype output,
                   const size_t params, const layout_position from, const layout_position to)
{
    sample_request sample;
    make_sample(&sample, both, output, params);
    layout_check(&sample, name, layout_place_in(&input_memory, &sample.input, from),
                 layout_place_in(&output_memory, &sample.output, to), (uint32_t)params);
}

/* Every type, parameter set and placement. */
static void run_fully(const char *const name, const pair *const both)
{
    for (size_t params = 0; params < PARAMS; ++params) {
        for (int way = 0; way < 8; ++way) {
            run_at(name, both, outputs[way & 1], params, way & 2 ? LAYOUT_AT_START : LAYOUT_AT_END,
                   way & 4 ? LAYOUT_AT_START : LAYOUT_AT_END);
        }
    }
}

/* For large families: every type, at both ends, with the next parameter set each time. */
static void run_in_turn(const char *const name, const pair *const both)
{
    static size_t turn = 0;
    for (int way = 0; way < 4; ++way) {
        const layout_position position = way & 2 ? LAYOUT_AT_START : LAYOUT_AT_END;
        run_at(name, both, outputs[way & 1], turn % PARAMS, position, position);
    }
    ++turn;
}

/* The same with the two arrangements exchanged. */
static pair exchanged(const pair *const both)
{
    pair other = *both;
    other.input = both->output;
    other.output = both->input;
    return other;
}

static void run_both_ways(void (*const run)(const char *, const pair *), const char *const name,
                          const pair *const both)
{
    const pair other = exchanged(both);
    run(name, both);
    run(name, &other);
}

/* ---- how ports lie ---- */

/* Axes given fastest first, as digits. */
static arrangement ordered(const char *const axes)
{
    arrangement how = {.step = 1};
    for (size_t place = 0; axes[place] != '\0'; ++place) {
        how.axis[place] = axes[place] - '0';
    }
    return how;
}

static arrangement stepped(const char *const axes, const int64_t step)
{
    arrangement how = ordered(axes);
    how.step = step;
    return how;
}

static arrangement padded(const char *const axes, const int place, const int64_t pad)
{
    arrangement how = ordered(axes);
    how.pad[place] = pad;
    return how;
}

static pair matrix(const int64_t rows, const int64_t columns, const arrangement input,
                   const arrangement output)
{
    return (pair){2, {rows, columns}, input, output};
}

/* Next to where kernels change their ways. */
static const int64_t edges[] = {15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129};
enum { EDGES = sizeof edges / sizeof edges[0] };

/* ---- by name ---- */

START_TEST(t3_matrices_transposed_up_to_40_by_40)
{
    for (int64_t rows = 1; rows <= 40; ++rows) {
        for (int64_t columns = 1; columns <= 40; ++columns) {
            const pair both = matrix(rows, columns, ordered("10"), ordered("01"));
            run_both_ways(run_in_turn, "transposed", &both);
        }
    }
}
END_TEST

START_TEST(t3_matrices_transposed_next_to_block_sizes)
{
    for (int row = 0; row < EDGES; ++row) {
        for (int column = 0; column < EDGES; ++column) {
            const pair both = matrix(edges[row], edges[column], ordered("10"), ordered("01"));
            run_both_ways(run_in_turn, "transposed", &both);
        }
    }
}
END_TEST

START_TEST(t3_large_matrices_transposed)
{
    const pair square = matrix(256, 256, ordered("10"), ordered("01"));
    const pair wide = matrix(3, 4000, ordered("10"), ordered("01"));
    const pair tall = matrix(4000, 5, ordered("10"), ordered("01"));
    run_both_ways(run_in_turn, "256 x 256, transposed", &square);
    run_both_ways(run_in_turn, "3 x 4000, transposed", &wide);
    run_both_ways(run_in_turn, "4000 x 5, transposed", &tall);
}
END_TEST

START_TEST(t3_padded_matrices_transposed)
{
    for (int64_t pad = 1; pad <= 16; ++pad) {
        const pair source = matrix(21, 19, padded("10", 1, pad), ordered("01"));
        const pair target = matrix(21, 19, ordered("10"), padded("01", 1, pad));
        const pair either = matrix(32, 48, padded("10", 1, pad), padded("01", 1, 17 - pad));
        const pair batch = {3, {3, 18, 20}, padded("210", 2, pad), padded("120", 1, pad)};
        run_both_ways(run_in_turn, "transposed, input padded", &source);
        run_both_ways(run_in_turn, "transposed, output padded", &target);
        run_both_ways(run_in_turn, "transposed, both padded", &either);
        run_both_ways(run_in_turn, "batch of transposes, padded", &batch);
    }
}
END_TEST

START_TEST(t3_padded_rows)
{
    static const int64_t pads[] = {1, 2, 3, 7, 16, 61};
    for (int64_t length = 1; length <= 40 + EDGES; ++length) {
        const int64_t row = length <= 40 ? length : edges[length - 41];
        for (int pad = 0; pad < 6; ++pad) {
            const pair source = matrix(9, row, padded("10", 1, pads[pad]), ordered("10"));
            const pair both =
                matrix(33, row, padded("10", 1, pads[pad]), padded("10", 1, pads[(pad + 1) % 6]));
            run_both_ways(run_in_turn, "rows, one port padded", &source);
            run_in_turn("rows, both ports padded", &both);
        }
    }
}
END_TEST

START_TEST(t3_two_rows_and_planes_of_rows)
{
    for (int64_t length = 1; length <= 20; ++length) {
        const pair two = matrix(2, length, padded("10", 1, 1), ordered("10"));
        const pair planes = {3, {3, 4, length}, padded("210", 2, 5), padded("210", 1, 2)};
        const pair columns = {3, {length, 4, 3}, padded("012", 2, 5), padded("012", 1, 2)};
        run_both_ways(run_in_turn, "two rows", &two);
        run_both_ways(run_in_turn, "planes of rows", &planes);
        run_both_ways(run_in_turn, "planes of columns", &columns);
    }
}
END_TEST

START_TEST(t3_planes_to_interleaved_and_back)
{
    static const int64_t sizes[][2] = {{1, 1},  {1, 2},  {3, 5},   {4, 4},   {5, 7},
                                       {3, 16}, {17, 3}, {16, 16}, {1, 128}, {9, 43}};
    for (int64_t channels = 1; channels <= 5; ++channels) {
        for (int size = 0; size < 10; ++size) {
            const int64_t height = sizes[size][0];
            const int64_t width = sizes[size][1];
            const pair chw = {3, {channels, height, width}, ordered("210"), ordered("021")};
            const pair hwc = {3, {height, width, channels}, ordered("102"), ordered("210")};
            run_both_ways(run_in_turn, "planes and interleaved, logically planes", &chw);
            run_both_ways(run_in_turn, "planes and interleaved, logically interleaved", &hwc);
        }
    }
}
END_TEST

START_TEST(t3_three_planes_with_all_parameters)
{
    const pair even = {3, {3, 16, 16}, ordered("210"), ordered("021")};
    const pair odd = {3, {3, 7, 13}, padded("210", 1, 3), padded("021", 2, 2)};
    run_both_ways(run_fully, "three planes, 16 x 16", &even);
    run_both_ways(run_fully, "three planes, padded 7 x 13", &odd);
}
END_TEST

START_TEST(t3_constant_steps)
{
    for (int64_t step = 2; step <= 20; ++step) {
        for (int64_t length = 1; length <= 36 + EDGES; ++length) {
            const int64_t count = length <= 36 ? length : edges[length - 37];
            const pair one = {1, {count}, stepped("0", step), ordered("0")};
            const pair two = {1, {count}, stepped("0", step), stepped("0", 22 - step)};
            run_both_ways(run_in_turn, "step on one port", &one);
            run_in_turn("step on both ports", &two);
        }
    }
}
END_TEST

START_TEST(t3_steps_in_rows)
{
    static const int64_t lengths[] = {1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 33};
    for (int64_t step = 2; step <= 5; ++step) {
        for (int i = 0; i < 13; ++i) {
            /* Of the pads, none makes one axis of the two; TIGHT ends a row with its last element.
             */
            for (int64_t pad = TIGHT; pad <= 1; ++pad) {
                pair both = matrix(11, lengths[i], stepped("10", step), ordered("10"));
                both.input.pad[1] = pad;
                run_both_ways(run_in_turn, "rows of steps", &both);
            }
        }
    }
}
END_TEST

START_TEST(t3_one_channel_of_interleaved)
{
    for (int64_t channels = 2; channels <= 5; ++channels) {
        pair image = {3, {2, 9, 21}, stepped("210", channels), ordered("210")};
        run_both_ways(run_fully, "one channel", &image);
        image.input.pad[1] = 3 * channels;
        run_both_ways(run_in_turn, "one channel of a crop", &image);
    }
}
END_TEST

START_TEST(t3_two_channels_with_all_parameters)
{
    const pair iq = {1, {99}, stepped("0", 2), ordered("0")};
    run_both_ways(run_fully, "one of I and Q", &iq);
}
END_TEST

START_TEST(t2_nchw_and_nhwc)
{
    static const int64_t shapes[][4] = {{1, 3, 5, 7},  {2, 4, 3, 16}, {2, 16, 4, 4},
                                        {1, 17, 3, 5}, {2, 5, 1, 9},  {3, 1, 4, 5}};
    for (int i = 0; i < 6; ++i) {
        pair both = {4, {0}, ordered("3210"), ordered("1320")};
        memcpy(both.extent, shapes[i], sizeof shapes[i]);
        run_both_ways(run_fully, "NCHW and NHWC", &both);
        both.input = both.output;
        run_fully("NHWC on both ports, logically NCHW", &both);
        both.input = both.output = ordered("2130");
        run_fully("NHWC read as NCHW on both ports", &both);
    }
}
END_TEST

START_TEST(t2_fortran_order_on_both_ports)
{
    static const char *const orders[] = {"0", "01", "012", "0123", "01234", "012345"};
    for (int32_t rank = 1; rank <= SIMA_MAX_RANK; ++rank) {
        pair both = {
            rank, {5, 2, 3, 2, 4, 2}, ordered(orders[rank - 1]), ordered(orders[rank - 1])};
        run_fully("Fortran order on both ports", &both);
        both.output.pad[rank - 1] = rank > 1 ? 3 : 0;
        run_both_ways(run_in_turn, "Fortran order, one padded", &both);
        both.output = geometry_row_major(rank);
        run_both_ways(run_in_turn, "Fortran order and row-major", &both);
    }
}
END_TEST

/* The permutation with this number, 0..719, fastest axis first. */
static arrangement permuted(int64_t number)
{
    arrangement how = geometry_row_major(SIMA_MAX_RANK);
    for (int32_t left = SIMA_MAX_RANK; left > 1; --left) {
        const int32_t other = (int32_t)(number % left);
        const int32_t axis = how.axis[left - 1];
        how.axis[left - 1] = how.axis[other];
        how.axis[other] = axis;
        number /= left;
    }
    return how;
}

START_TEST(t2_every_order_of_six_axes)
{
    for (int64_t number = 0; number < 720; ++number) {
        const pair one = {6, {2, 3, 2, 3, 2, 2}, permuted(number), geometry_row_major(6)};
        const pair same = {6, {3, 2, 2, 2, 3, 2}, permuted(number), permuted(number)};
        const pair any = {6, {2, 2, 3, 2, 2, 3}, permuted(number), permuted(number * 7 % 720)};
        run_both_ways(run_in_turn, "six axes, one port permuted", &one);
        run_in_turn("six axes, both permuted alike", &same);
        run_in_turn("six axes, both permuted", &any);
    }
}
END_TEST

START_TEST(t2_axes_of_extent_one_anywhere)
{
    for (int where = 0; where < 64; ++where) {
        for (int64_t number = 0; number < 720; number += 37) {
            pair both = {6, {2, 3, 4, 2, 5, 3}, permuted(number), permuted(number * 11 % 720)};
            for (int axis = 0; axis < 6; ++axis) {
                both.extent[axis] = where >> axis & 1 ? 1 : both.extent[axis];
            }
            run_in_turn("extents of one", &both);
            both.output = both.input;
            run_in_turn("extents of one, same order", &both);
        }
    }
}
END_TEST

START_TEST(t2_axes_that_are_one_in_memory)
{
    for (int place = 1; place < 4; ++place) {
        for (int64_t step = 1; step <= 3; ++step) {
            pair both = {4, {2, 3, 4, 5}, stepped("3210", step), stepped("3210", step)};
            run_in_turn("four axes that are one", &both);
            both.input.pad[place] = 2;
            run_both_ways(run_in_turn, "four axes, a hole in one port", &both);
            both.output.pad[4 - place] = 1;
            run_both_ways(run_in_turn, "four axes, a hole in each port", &both);
            both.output = stepped("3210", 4 - step);
            run_both_ways(run_in_turn, "four axes, steps that differ", &both);
        }
    }
}
END_TEST

START_TEST(t2_tiles_and_matrices)
{
    static const int64_t tiles[][2] = {{2, 2}, {4, 4}, {3, 5}, {8, 8}, {16, 4}, {4, 16}, {1, 16}};
    for (int i = 0; i < 7; ++i) {
        pair both = {4, {3, 2, tiles[i][0], tiles[i][1]}, ordered("3210"), ordered("3120")};
        run_both_ways(run_fully, "tiles and a matrix", &both);
        both.output = ordered("2310");
        run_both_ways(run_in_turn, "tiles, transposed inside", &both);
    }
}
END_TEST

START_TEST(e2_one_element_and_none)
{
    for (int32_t rank = 0; rank <= SIMA_MAX_RANK; ++rank) {
        pair both = {rank, {1, 1, 1, 1, 1, 1}, geometry_row_major(rank), geometry_row_major(rank)};
        run_fully("one element", &both);
        for (int32_t axis = 0; axis < rank; ++axis) {
            pair none = {rank, {2, 1, 3, 2, 1, 4}, geometry_row_major(rank), both.output};
            none.extent[axis] = 0;
            run_in_turn("no element", &none);
        }
    }
}
END_TEST

/* Reversed rows and columns would be negative strides, which nothing admits. */
START_TEST(a6_reversed_axes_are_refused)
{
    const pair both = matrix(4, 6, ordered("10"), ordered("10"));
    for (int way = 0; way < 8; ++way) {
        const int32_t axis = way & 1;
        const sima_port port = way & 2 ? SIMA_PORT_OUTPUT : SIMA_PORT_INPUT;
        sample_request sample;
        sima_a65_dequant_plan plan;
        sima_error error;
        make_sample(&sample, &both, outputs[way >> 2], 0);
        int64_t *const stride =
            port == SIMA_PORT_INPUT ? &sample.input.stride[axis] : &sample.output.stride[axis];
        *stride = -*stride;
        ck_assert_int_eq(sima_a65_dequant_check_inference(&sample.request, &plan, &error),
                         SIMA_INVALID_LAYOUT);
        ck_assert_int_eq(error.port, port);
        ck_assert_int_eq(error.axis, axis);
    }
}
END_TEST

/* ---- holes that fault ---- */

enum { ROWS = 24, ROW_MAX = 80 };

/* Which ports have a page of their own for each index of the outer axis. */
enum { PAGED_INPUT = 1, PAGED_OUTPUT = 2 };

static striped input_pages;
static striped output_pages;

static void open_pages(void)
{
    open_memory();
    input_pages = guard_map_stripes(ROWS);
    output_pages = guard_map_stripes(ROWS);
}

static void close_pages(void)
{
    guard_unmap_stripes(input_pages);
    guard_unmap_stripes(output_pages);
    close_memory();
}

/* The layout of one page's elements is spec's, with an extent of 1 on `axis`. */
static layout_place spread(sima_tensor_spec *const spec, const striped pages, const int32_t axis,
                           const bool at_end)
{
    const size_t bytes = (size_t)geometry_bytes(spec);
    spec->extent[axis] = ROWS;
    spec->stride[axis] = 2 * (int64_t)pages.page;
    return (layout_place){pages, at_end ? pages.page - bytes : 0, (size_t)geometry_bytes(spec)};
}

/* `inner` has an extent of 1 on `axis`, which gets one index a page on the ports in `paged`. */
static void run_paged(const char *const name, const pair *const inner, const int32_t axis,
                      const int paged)
{
    static size_t turn = 0;
    for (int way = 0; way < 4; ++way) {
        const bool at_end = (way & 2) != 0;
        const layout_position position = at_end ? LAYOUT_AT_END : LAYOUT_AT_START;
        sample_request one;
        sample_request all;
        pair outer = *inner;
        outer.extent[axis] = ROWS;
        make_sample(&one, inner, outputs[way & 1], turn % PARAMS);
        make_sample(&all, &outer, outputs[way & 1], turn % PARAMS);
        layout_place from = layout_place_in(&input_memory, &all.input, position);
        layout_place to = layout_place_in(&output_memory, &all.output, position);
        if ((paged & PAGED_INPUT) != 0) {
            from = spread(&one.input, input_pages, axis, at_end);
            all.input = one.input;
        }
        if ((paged & PAGED_OUTPUT) != 0) {
            to = spread(&one.output, output_pages, axis, at_end);
            all.output = one.output;
        }
        layout_check(&all, name, from, to, (uint32_t)turn);
    }
    ++turn;
}

START_TEST(e2_holes_between_rows_are_neither_read_nor_written)
{
    for (int64_t length = 1; length <= ROW_MAX; ++length) {
        for (int paged = 1; paged <= 3; ++paged) {
            const pair rows = matrix(1, length, ordered("10"), ordered("10"));
            const pair columns = matrix(length, 1, ordered("01"), ordered("01"));
            const pair crossed = matrix(1, length, ordered("10"), ordered("01"));
            run_paged("a row a page", &rows, 0, paged);
            run_paged("a column a page", &columns, 1, paged);
            run_paged("a row a page, transposed", &crossed, 0, paged);
        }
    }
}
END_TEST

START_TEST(e2_holes_after_steps_are_neither_read_nor_written)
{
    for (int64_t length = 1; length <= ROW_MAX; ++length) {
        for (int64_t step = 2; step <= 4; ++step) {
            const pair source = matrix(1, length, stepped("10", step), ordered("10"));
            const pair target = matrix(1, length, ordered("10"), stepped("10", step));
            const int paged = 1 + (int)((length + step) % 3);
            run_paged("a row of steps a page, to dense", &source, 0, paged);
            run_paged("a row of steps a page, from dense", &target, 0, paged);
        }
    }
}
END_TEST

START_TEST(e2_holes_between_matrices_are_neither_read_nor_written)
{
    static const int64_t sizes[][2] = {{1, 1},   {2, 2},   {2, 3},  {3, 2},  {3, 5},  {4, 4},
                                       {7, 3},   {8, 8},   {9, 8},  {5, 15}, {15, 5}, {16, 16},
                                       {17, 16}, {16, 17}, {3, 33}, {33, 3}, {31, 32}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
        for (int paged = 1; paged <= 3; ++paged) {
            const int64_t rows = sizes[i][0];
            const int64_t columns = sizes[i][1];
            const pair outer = {3, {1, rows, columns}, ordered("210"), ordered("120")};
            const pair inner = {3, {rows, columns, 1}, ordered("102"), ordered("012")};
            const pair back = exchanged(&outer);
            const pair same = {3, {rows, columns, 1}, ordered("012"), ordered("012")};
            run_paged("a transposed matrix a page", &outer, 0, paged);
            run_paged("a transposed matrix a page, last axis", &inner, 2, paged);
            run_paged("a transposed matrix a page, back", &back, 0, paged);
            run_paged("a matrix a page, Fortran order", &same, 2, paged);
        }
    }
}
END_TEST

Suite *layout_suite(void)
{
    Suite *const suite = suite_create("layout");
    TCase *const named = new_case(suite, "layout");
    TCase *const paged = new_case(suite, "holes");
    tcase_add_checked_fixture(named, open_memory, close_memory);
    tcase_add_checked_fixture(paged, open_pages, close_pages);
    tcase_add_test(named, t2_nchw_and_nhwc);
    tcase_add_test(named, t2_fortran_order_on_both_ports);
    tcase_add_test(named, t2_every_order_of_six_axes);
    tcase_add_test(named, t2_axes_of_extent_one_anywhere);
    tcase_add_test(named, t2_axes_that_are_one_in_memory);
    tcase_add_test(named, t2_tiles_and_matrices);
    tcase_add_test(named, t3_padded_rows);
    tcase_add_test(named, t3_two_rows_and_planes_of_rows);
    tcase_add_test(named, t3_matrices_transposed_up_to_40_by_40);
    tcase_add_test(named, t3_matrices_transposed_next_to_block_sizes);
    tcase_add_test(named, t3_large_matrices_transposed);
    tcase_add_test(named, t3_padded_matrices_transposed);
    tcase_add_test(named, t3_planes_to_interleaved_and_back);
    tcase_add_test(named, t3_three_planes_with_all_parameters);
    tcase_add_test(named, t3_constant_steps);
    tcase_add_test(named, t3_steps_in_rows);
    tcase_add_test(named, t3_one_channel_of_interleaved);
    tcase_add_test(named, t3_two_channels_with_all_parameters);
    tcase_add_test(named, e2_one_element_and_none);
    tcase_add_test(named, a6_reversed_axes_are_refused);
    tcase_add_test(paged, e2_holes_between_rows_are_neither_read_nor_written);
    tcase_add_test(paged, e2_holes_after_steps_are_neither_read_nor_written);
    tcase_add_test(paged, e2_holes_between_matrices_are_neither_read_nor_written);
    return suite;
}
