/* SPDX-License-Identifier: Apache-2.0 */
#include "traversal.h"

#include <stdbool.h>

/* Fewer rows than this make a poor plane: what a call sets up is spread over them. */
enum { ENOUGH_ROWS = 8, NO_AXIS = -1 };

/* From this length on a row is worth a call of its own: span kernels know more special cases. */
enum { LONG_RUN = 256 };

/* ---- Physical order ---- */

static void insert_axis(sima_axes *const axes, const sima_axis axis)
{
    int32_t place = axes->count++;
    for (; place > 0 && axes->axis[place - 1].output_stride > axis.output_stride; --place) {
        axes->axis[place] = axes->axis[place - 1];
    }
    axes->axis[place] = axis;
}

/* Whether a step of `outer` bytes leads from the last of `extent` elements, `inner` bytes apart, to
 * where the next one would stand. What an axis spans is admitted; one step more need not fit. */
static bool follows(const int64_t outer, const int64_t inner, const int64_t extent)
{
    return outer - inner * (extent - 1) == inner;
}

static bool continues(const sima_axis *const outer, const sima_axis *const inner)
{
    return follows(outer->input_stride, inner->input_stride, inner->extent) &&
           follows(outer->output_stride, inner->output_stride, inner->extent);
}

/* Two axes that are one on both ports are neighbours in the order of strides: no third one fits
 * between them without overlap, which admission has excluded. */
static void merge_axes(sima_axes *const axes)
{
    int32_t last = 0;
    for (int32_t next = 1; next < axes->count; ++next) {
        if (continues(&axes->axis[next], &axes->axis[last])) {
            axes->axis[last].extent *= axes->axis[next].extent;
        } else {
            axes->axis[++last] = axes->axis[next];
        }
    }
    axes->count = axes->count > 0 ? last + 1 : 0;
}

sima_axes sima_a65_dequant_order_axes(const sima_dequant_plan *const shared)
{
    sima_axes axes = {.count = 0};
    for (int32_t i = 0; i < shared->rank; ++i) {
        if (shared->extent[i] > 1) {
            const sima_axis axis = {shared->extent[i], shared->input.stride[i],
                                    shared->output.stride[i]};
            insert_axis(&axes, axis);
        }
    }
    merge_axes(&axes);
    return axes;
}

/* ---- Spans ---- */

static void append_outer(sima_a65_dequant_traversal *const traversal, const sima_axis *const axis)
{
    const int32_t place = traversal->axes++;
    traversal->extent[place] = axis->extent;
    traversal->input_stride[place] = axis->input_stride;
    traversal->output_stride[place] = axis->output_stride;
}

/* The axes outside the logical suffix, in logical order. */
static void append_logical(const sima_dequant_plan *const shared,
                           sima_a65_dequant_traversal *const traversal)
{
    for (int32_t i = 0; i < shared->rank - shared->span_axes; ++i) {
        if (shared->extent[i] > 1) {
            const sima_axis axis = {shared->extent[i], shared->input.stride[i],
                                    shared->output.stride[i]};
            append_outer(traversal, &axis);
        }
    }
}

/* All axes but two, outermost first. */
static void append_others(const sima_axes *const axes, const int32_t one, const int32_t other,
                          sima_a65_dequant_traversal *const traversal)
{
    for (int32_t i = axes->count - 1; i >= 0; --i) {
        if (i != one && i != other) {
            append_outer(traversal, &axes->axis[i]);
        }
    }
}

/* The innermost of the outer axes is walked row by row. */
static void make_rows_of_last(sima_a65_dequant_traversal *const traversal)
{
    sima_a65_dequant_plane *const plane = &traversal->plane;
    plane->rows = 1;
    if (traversal->axes > 0) {
        const int32_t last = --traversal->axes;
        plane->rows = (size_t)traversal->extent[last];
        plane->input_row = (size_t)traversal->input_stride[last];
        plane->output_row = (size_t)traversal->output_stride[last];
    }
}

/* Adjacent elements on both ports. */
static int64_t physical_span(const sima_dequant_plan *const shared, const sima_axes *const axes)
{
    const sima_axis *const fastest = &axes->axis[0];
    const bool unit = axes->count > 0 && fastest->input_stride == shared->input.width &&
                      fastest->output_stride == shared->output.width;
    return unit ? fastest->extent : 1;
}

void sima_a65_dequant_traverse_spans(const sima_dequant_plan *const shared,
                                     const sima_axes *const axes,
                                     sima_a65_dequant_traversal *const traversal)
{
    const int64_t span = physical_span(shared, axes);
    if (span > shared->span) {
        traversal->plane.count = (size_t)span;
        append_others(axes, 0, NO_AXIS, traversal);
    } else {
        traversal->plane.count = (size_t)shared->span;
        append_logical(shared, traversal);
    }
    make_rows_of_last(traversal);
}

/* ---- Planes ---- */

/* Which shape, and which axes make it up. */
typedef struct plane_choice {
    sima_a65_dequant_shape shape;
    int32_t inner;
    int32_t rows;
} plane_choice;

static const plane_choice no_plane = {SIMA_A65_DEQUANT_SHAPES, NO_AXIS, NO_AXIS};

static bool is_within(const int64_t value, const int64_t low, const int64_t high)
{
    return value >= low && value <= high;
}

static int32_t longest_axis(const sima_axes *const axes, const int32_t except)
{
    int32_t longest = NO_AXIS;
    for (int32_t i = 0; i < axes->count; ++i) {
        if (i != except &&
            (longest == NO_AXIS || axes->axis[i].extent > axes->axis[longest].extent)) {
            longest = i;
        }
    }
    return longest;
}

/* The nearest axis with enough rows in it, else the one with the most. */
static int32_t row_axis(const sima_axes *const axes, const int32_t inner, const int64_t enough)
{
    for (int32_t i = 0; i < axes->count; ++i) {
        if (i != inner && axes->axis[i].extent >= enough) {
            return i;
        }
    }
    return longest_axis(axes, inner);
}

static plane_choice along(const sima_axes *const axes, const sima_a65_dequant_shape shape,
                          const int32_t inner)
{
    return (plane_choice){shape, inner, row_axis(axes, inner, ENOUGH_ROWS)};
}

/* The fastest axis is contiguous on both ports. */
static plane_choice choose_runs(const sima_axes *const axes)
{
    const int64_t run = axes->axis[0].extent;
    if (axes->count == 1 || run >= LONG_RUN) {
        return no_plane;
    }
    if (run >= SIMA_A65_DEQUANT_BLOCK) {
        return along(axes, SIMA_A65_DEQUANT_ROWS, 0);
    }
    const int64_t wanted = sima_a65_dequant_fragment_rows(run);
    const int32_t rows = row_axis(axes, 0, wanted);
    if (rows == NO_AXIS || axes->axis[rows].extent < wanted) {
        return no_plane;
    }
    return (plane_choice){SIMA_A65_DEQUANT_FRAGMENTS, 0, rows};
}

/* One axis is contiguous in the input, another one, the first, in the output. */
static plane_choice choose_exchange(const sima_axes *const axes, const int32_t in_input)
{
    const sima_axis *const target = &axes->axis[0];
    const sima_axis *const source = &axes->axis[in_input];
    if (is_within(source->extent, 2, 4) && target->input_stride == source->extent &&
        target->extent >= SIMA_A65_DEQUANT_BLOCK) {
        return (plane_choice){SIMA_A65_DEQUANT_DEINTERLEAVE, 0, in_input};
    }
    if (is_within(target->extent, 2, 4) &&
        follows(source->output_stride, target->output_stride, target->extent) &&
        source->extent >= SIMA_A65_DEQUANT_BLOCK) {
        return (plane_choice){SIMA_A65_DEQUANT_INTERLEAVE, in_input, 0};
    }
    if (source->extent >= SIMA_A65_DEQUANT_BLOCK && target->extent >= SIMA_A65_DEQUANT_BLOCK) {
        return (plane_choice){SIMA_A65_DEQUANT_TRANSPOSE, 0, in_input};
    }
    return no_plane;
}

/* No axis is contiguous on both ports, and no two make an exchange. */
static plane_choice choose_steps(const sima_axes *const axes, const int32_t in_input,
                                 const bool in_output)
{
    const sima_axis *const target = &axes->axis[0];
    if (in_output && target->extent >= SIMA_A65_DEQUANT_BLOCK) {
        return along(axes, SIMA_A65_DEQUANT_GATHER, 0);
    }
    if (in_input != NO_AXIS && axes->axis[in_input].extent >= SIMA_A65_DEQUANT_BLOCK) {
        return along(axes, SIMA_A65_DEQUANT_SCATTER, in_input);
    }
    const int32_t longest = longest_axis(axes, NO_AXIS);
    if (axes->axis[longest].extent >= SIMA_A65_DEQUANT_BLOCK) {
        return along(axes, SIMA_A65_DEQUANT_STRIDED, longest);
    }
    return no_plane;
}

static int32_t axis_in_input(const sima_axes *const axes, const int64_t width)
{
    for (int32_t i = 0; i < axes->count; ++i) {
        if (axes->axis[i].input_stride == width) {
            return i;
        }
    }
    return NO_AXIS;
}

static plane_choice choose_plane(const sima_dequant_plan *const shared, const sima_axes *const axes)
{
    const int32_t in_input = axis_in_input(axes, shared->input.width);
    const bool in_output = axes->axis[0].output_stride == shared->output.width;
    if (in_output && in_input == 0) {
        return choose_runs(axes);
    }
    const plane_choice exchange =
        in_output && in_input > 0 ? choose_exchange(axes, in_input) : no_plane;
    return exchange.inner != NO_AXIS ? exchange : choose_steps(axes, in_input, in_output);
}

sima_a65_dequant_shape sima_a65_dequant_traverse_planes(const sima_dequant_plan *const shared,
                                                        const sima_axes *const axes,
                                                        sima_a65_dequant_traversal *const traversal)
{
    if (shared->elements < SIMA_A65_DEQUANT_PLANE_ELEMENTS || axes->count == 0) {
        return SIMA_A65_DEQUANT_SHAPES;
    }
    const plane_choice choice = choose_plane(shared, axes);
    if (choice.inner == NO_AXIS) {
        return SIMA_A65_DEQUANT_SHAPES;
    }
    const sima_axis one_row = {1, 0, 0};
    const sima_axis inner = axes->axis[choice.inner];
    const sima_axis rows = choice.rows == NO_AXIS ? one_row : axes->axis[choice.rows];
    traversal->plane = (sima_a65_dequant_plane){
        .rows = (size_t)rows.extent,
        .count = (size_t)inner.extent,
        .input_row = (size_t)rows.input_stride,
        .input_step = (size_t)inner.input_stride,
        .output_row = (size_t)rows.output_stride,
        .output_step = (size_t)inner.output_stride,
    };
    append_others(axes, choice.inner, choice.rows, traversal);
    return choice.shape;
}

/* ---- Execution ---- */

/* Where the walk stands: the coordinates of the outer axes, and both offsets in bytes. */
typedef struct sima_cursor {
    int64_t index[SIMA_MAX_RANK];
    size_t input;
    size_t output;
} sima_cursor;

/* Moves to the next call. False when the last one is done; the cursor is back at the start then. */
static bool advance(const sima_a65_dequant_traversal *const traversal, sima_cursor *const cursor)
{
    for (int32_t axis = traversal->axes - 1; axis >= 0; --axis) {
        const size_t input_stride = (size_t)traversal->input_stride[axis];
        const size_t output_stride = (size_t)traversal->output_stride[axis];
        if (++cursor->index[axis] < traversal->extent[axis]) {
            cursor->input += input_stride;
            cursor->output += output_stride;
            return true;
        }
        cursor->index[axis] = 0;
        cursor->input -= input_stride * (size_t)(traversal->extent[axis] - 1);
        cursor->output -= output_stride * (size_t)(traversal->extent[axis] - 1);
    }
    return false;
}

/* One call a row. */
static void run_rows(const sima_a65_dequant_plan *const plan, const int8_t *input,
                     unsigned char *output)
{
    const sima_a65_dequant_plane plane = plan->traversal.plane;
    const sima_a65_dequant_span_fn run = plan->kernel->run;
    for (size_t left = plane.rows; left > 0; --left) {
        run(input, output, plane.count, &plan->operands);
        input += plane.input_row;
        output += plane.output_row;
    }
}

void sima_a65_dequant_traverse(const sima_a65_dequant_plan *const plan, const int8_t *const input,
                               unsigned char *const output)
{
    const sima_a65_dequant_traversal *const traversal = &plan->traversal;
    const sima_a65_dequant_kernel *const kernel = plan->kernel;
    sima_cursor cursor = {{0}, 0, 0};
    if (kernel->run_plane == NULL) {
        do {
            run_rows(plan, input + cursor.input, output + cursor.output);
        } while (advance(traversal, &cursor));
        return;
    }
    do {
        kernel->run_plane(input + cursor.input, output + cursor.output, &traversal->plane,
                          &plan->operands);
    } while (advance(traversal, &cursor));
}

sima_a65_dequant_tally sima_a65_dequant_tally_of(const sima_a65_dequant_plan *const plan)
{
    sima_a65_dequant_tally tally = {0, 0, 0};
    if (plan->kernel == NULL || plan->shared.elements == 0) {
        return tally;
    }
    tally.calls = 1;
    for (int32_t axis = 0; axis < plan->traversal.axes; ++axis) {
        tally.calls *= plan->traversal.extent[axis];
    }
    tally.spans = tally.calls * (int64_t)plan->traversal.plane.rows;
    tally.elements = tally.spans * (int64_t)plan->traversal.plane.count;
    if (plan->kernel->run_plane == NULL) {
        tally.calls = tally.spans;
    }
    return tally;
}
