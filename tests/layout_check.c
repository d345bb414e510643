/* SPDX-License-Identifier: Apache-2.0 */
#include "layout_check.h"

#include "geometry.h"
#include "harness.h"
#include "reference.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

/* Bytes of the smallest piece; each of the others is four times as large as the one before. */
enum { SMALLEST = 1 << 12 };

layout_memory layout_memory_open(void)
{
    layout_memory memory;
    for (size_t i = 0; i < LAYOUT_MEMORY_SIZES; ++i) {
        const guarded mapped = guard_map((size_t)SMALLEST << (2 * i));
        memory.sizes[i] = (striped){mapped.begin, mapped.size, 1};
    }
    return memory;
}

void layout_memory_close(const layout_memory memory)
{
    for (size_t i = 0; i < LAYOUT_MEMORY_SIZES; ++i) {
        guard_unmap((guarded){memory.sizes[i].begin, memory.sizes[i].page});
    }
}

/* An odd number of elements: the least alignment that is admitted. */
enum { ELEMENTS_BEFORE = 5 };

layout_place layout_place_in(const layout_memory *const memory, const sima_tensor_spec *const spec,
                             const layout_position position)
{
    const size_t bytes = (size_t)geometry_bytes(spec);
    const size_t before = ELEMENTS_BEFORE * (size_t)geometry_width(spec->dtype);
    size_t fit = 0;
    while (memory->sizes[fit].page < bytes + 2 * before) {
        ++fit;
        ck_assert_uint_lt(fit, LAYOUT_MEMORY_SIZES);
    }
    const size_t room = memory->sizes[fit].page;
    const size_t base = position == LAYOUT_AT_START ? 0
                        : position == LAYOUT_AT_END ? room - bytes
                                                    : before;
    /* Storage may be larger than it must. */
    return (layout_place){memory->sizes[fit], base,
                          position == LAYOUT_IN_BETWEEN ? room - base : bytes};
}

/* ---- bytes ---- */

/* As many as the largest piece has, and others for another salt. Elements, holes and margins all
 * get theirs from here: what is read from a hole differs from what the element holds. */
static const unsigned char *random_bytes(const uint32_t salt)
{
    enum { SALTS = 1 << 14 };
    static unsigned char bytes[LAYOUT_MEMORY_BYTES + SALTS];
    static bool filled = false;
    random_state random = {1};
    for (size_t i = 0; !filled && i < sizeof bytes; ++i) {
        bytes[i] = (unsigned char)random_next(&random);
    }
    filled = true;
    return bytes + salt % SALTS;
}

/* Positions count the protected pages between two chunks as well. */
static size_t chunk_begin(const striped memory, const size_t chunk)
{
    return 2 * chunk * memory.page;
}

static size_t end_of(const striped memory)
{
    return chunk_begin(memory, memory.count - 1) + memory.page;
}

static void fill(const striped memory, const unsigned char *const bytes)
{
    for (size_t i = 0; i < memory.count; ++i) {
        memcpy(memory.begin + chunk_begin(memory, i), bytes + chunk_begin(memory, i), memory.page);
    }
}

/* The position of the first byte that differs, or the position after the last. */
static size_t first_difference(const striped memory, const unsigned char *const bytes)
{
    for (size_t i = 0; i < memory.count; ++i) {
        const size_t begin = chunk_begin(memory, i);
        if (memcmp(memory.begin + begin, bytes + begin, memory.page) == 0) {
            continue;
        }
        for (size_t at = begin; at < begin + memory.page; ++at) {
            if (memory.begin[at] != bytes[at]) {
                return at;
            }
        }
    }
    return end_of(memory);
}

/* ---- what went wrong ---- */

typedef struct report {
    char text[2048];
    size_t length;
} report;

static void add(report *const made, const char *const format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int wanted =
        vsnprintf(made->text + made->length, sizeof made->text - made->length, format, arguments);
    va_end(arguments);
    made->length += wanted > 0 ? (size_t)wanted : 0;
    made->length = made->length < sizeof made->text ? made->length : sizeof made->text - 1;
}

static void add_list(report *const made, const char *const name, const int64_t *const values,
                     const int32_t count)
{
    add(made, " %s {", name);
    for (int32_t i = 0; i < count; ++i) {
        add(made, "%s%" PRId64, i > 0 ? ", " : "", values[i]);
    }
    add(made, "}");
}

static void add_port(report *const made, const char *const name, const sima_tensor_spec *const spec,
                     const layout_place place)
{
    add(made, "\n  %s: %s,", name,
        spec->dtype == SIMA_DTYPE_INT8      ? "INT8"
        : spec->dtype == SIMA_DTYPE_FLOAT32 ? "FP32"
                                            : "BF16");
    add_list(made, "extent", spec->extent, spec->rank);
    add_list(made, "stride", spec->stride, spec->rank);
    add(made, "%s; byte %zu of %zu x %zu, %zu bytes said to be there",
        spec->layout == SIMA_LAYOUT_CONTIGUOUS ? " (contiguous)" : "", place.base,
        place.memory.count, place.memory.page, place.size);
}

/* One request and all that belongs to it. */
typedef struct trial {
    const sample_request *sample;
    const char *title;
    layout_place input;
    layout_place output;
    uint32_t salt;
    layout_execute_fn execute;
    sima_a65_dequant_plan plan;
    sima_error error;
    sima_status status;
} trial;

/* Starts the one report there is: a test ends with its first. */
static report *describe(const trial *const run)
{
    static report made;
    const sima_dequant_params *const params = &run->sample->request.params;
    const char *const kernel = sima_a65_dequant_kernel_name(&run->plan);
    uint32_t scale;
    memcpy(&scale, &params->scale, sizeof scale);
    made.length = 0;
    add(&made, "%s", run->title);
    add_port(&made, "input", &run->sample->input, run->input);
    add_port(&made, "output", &run->sample->output, run->output);
    add(&made, "\n  zero point %" PRId32 ", scale 0x%08" PRIx32 ", salt %" PRIu32 ", kernel %s",
        params->zero_point, scale, run->salt, kernel == NULL ? "none" : kernel);
    return &made;
}

static const char *complain(const trial *const run, const char *const why)
{
    report *const made = describe(run);
    add(made, "\n  %s", why);
    return made->text;
}

/* The coordinates of the element that owns a byte, if one does. */
static bool find_owner(const sima_tensor_spec *const spec, const int64_t byte,
                       coordinates *const at)
{
    *at = (coordinates){{0}};
    if (geometry_count(spec) == 0) {
        return false;
    }
    do {
        const int64_t offset = geometry_offset(spec, at);
        if (byte >= offset && byte < offset + geometry_width(spec->dtype)) {
            return true;
        }
    } while (geometry_next(spec, at));
    return false;
}

static void add_bytes(report *const made, const char *const name, const unsigned char *const bytes,
                      const int64_t count)
{
    add(made, " %s", name);
    for (int64_t i = 0; i < count; ++i) {
        add(made, "%s%02x", i == 0 ? " " : "", bytes[i]);
    }
}

static const char *complain_at(const trial *const run, const unsigned char *const wanted,
                               const size_t position)
{
    const sima_tensor_spec *const spec = &run->sample->output;
    const int64_t byte = (int64_t)position - (int64_t)run->output.base;
    const unsigned char *const found = run->output.memory.begin;
    report *const made = describe(run);
    coordinates at;
    if (find_owner(spec, byte, &at)) {
        const size_t begin = run->output.base + (size_t)geometry_offset(spec, &at);
        const int64_t source = geometry_offset(&run->sample->input, &at);
        add(made, "\n  wrong result at");
        add_list(made, "coordinates", at.index, spec->rank);
        add(made, ": input %d,",
            (int8_t)run->input.memory.begin[(int64_t)run->input.base + source]);
        add_bytes(made, "bytes", found + begin, geometry_width(spec->dtype));
        add_bytes(made, "instead of", wanted + begin, geometry_width(spec->dtype));
    } else {
        add(made, "\n  wrote to byte %" PRId64 ", which is no element's:", byte);
        add_bytes(made, "found", found + position, 1);
        add_bytes(made, "instead of", wanted + position, 1);
    }
    return made->text;
}

/* ---- what should be there ---- */

/* The output's memory as it should be afterwards: the elements' bytes put over what was there. */
static const unsigned char *wanted_bytes(const trial *const run)
{
    static unsigned char image[LAYOUT_MEMORY_BYTES];
    static expected results;
    const sima_tensor_spec *const source = &run->sample->input;
    const sima_tensor_spec *const target = &run->sample->output;
    const sima_dequant_params *const params = &run->sample->request.params;
    const unsigned char *const values = random_bytes(run->salt) + run->input.base;
    uint32_t scale;
    memcpy(&scale, &params->scale, sizeof scale);
    expected_fill(&results, params->zero_point, scale);
    memcpy(image, random_bytes(run->salt + 1), end_of(run->output.memory));
    coordinates at = {{0}};
    if (geometry_count(target) == 0) {
        return image;
    }
    do {
        const int value = (int8_t)values[geometry_offset(source, &at)] + 128;
        unsigned char *const element = image + run->output.base + geometry_offset(target, &at);
        if (target->dtype == SIMA_DTYPE_FLOAT32) {
            memcpy(element, &results.f32[value], sizeof results.f32[value]);
        } else {
            memcpy(element, &results.bf16[value], sizeof results.bf16[value]);
        }
    } while (geometry_next(target, &at));
    return image;
}

/* ---- the plan ---- */

/* The innermost axes that are dense on both ports, as far as they reach: what the shared plan
 * calls its span, whatever a backend makes of the layout. */
static int64_t logical_span(const sample_request *const sample)
{
    const int64_t width = geometry_width(sample->output.dtype);
    int64_t span = 1;
    for (int32_t axis = sample->input.rank - 1; axis >= 0; --axis) {
        if (sample->input.extent[axis] > 1 &&
            (sample->input.stride[axis] != span || sample->output.stride[axis] != span * width)) {
            break;
        }
        span *= sample->input.extent[axis];
    }
    return span;
}

/* Of a plan, axes that do not move have stride 0. All strides mean nothing where there is no
 * element. */
static bool has_strides_of(const sima_dequant_plan_port *const port,
                           const sima_tensor_spec *const spec)
{
    for (int32_t axis = 0; axis < spec->rank; ++axis) {
        if (port->stride[axis] != (spec->extent[axis] > 1 ? spec->stride[axis] : 0)) {
            return false;
        }
    }
    return true;
}

/* All that is expected of a plan, whatever a backend makes of the layout; what it promises of its
 * own traversal belongs here too. Every request of these suites comes by. */
static const char *check_plan(const trial *const run)
{
    const sample_request *const sample = run->sample;
    const sima_dequant_plan *const shared = sima_a65_dequant_shared_plan(&run->plan);
    const int64_t elements = geometry_count(&sample->input);
    if (sima_dequant_required_bytes(shared, SIMA_PORT_INPUT) !=
            (size_t)geometry_bytes(&sample->input) ||
        sima_dequant_required_bytes(shared, SIMA_PORT_OUTPUT) !=
            (size_t)geometry_bytes(&sample->output)) {
        return complain(run, "the required bytes are not those up to the last element's last");
    }
    if (sima_dequant_required_alignment(shared, SIMA_PORT_OUTPUT) !=
        (size_t)geometry_width(sample->output.dtype)) {
        return complain(run, "the required alignment is not the element's width");
    }
    if (shared->elements != elements || memcmp(shared->extent, sample->input.extent,
                                               (size_t)sample->input.rank * sizeof(int64_t)) != 0) {
        return complain(run, "the shared plan has another shape than the request");
    }
    if (elements > 0 && (!has_strides_of(&shared->input, &sample->input) ||
                         !has_strides_of(&shared->output, &sample->output))) {
        return complain(run, "the shared plan's strides are not the request's");
    }
    if (elements > 0 && (shared->span != logical_span(sample) ||
                         (shared->dense != 0) != (shared->span == elements))) {
        return complain(run, "the shared plan's span is not the logical one");
    }
    return NULL;
}

/* ---- the run ---- */

static void execute(void *const context)
{
    trial *const run = context;
    const sima_const_host_buffer from = {run->input.memory.begin + run->input.base,
                                         run->input.size};
    const sima_host_buffer to = {run->output.memory.begin + run->output.base, run->output.size};
    run->status = run->execute(&run->plan, &from, 1, &to, 1, &run->error);
}

static const char *run_watched(trial *const run)
{
    const striped input = run->input.memory;
    const striped output = run->output.memory;
    const unsigned char *const wanted = wanted_bytes(run);
    fill(input, random_bytes(run->salt));
    fill(output, random_bytes(run->salt + 1));
    if (guard_catches_fault(execute, run)) {
        return complain(run, "touched a protected page");
    }
    if (run->status != SIMA_OK) {
        return complain(run, run->error.message);
    }
    const size_t position = first_difference(output, wanted);
    if (position < end_of(output)) {
        return complain_at(run, wanted, position);
    }
    if (first_difference(input, random_bytes(run->salt)) < end_of(input)) {
        return complain(run, "wrote to the input");
    }
    return NULL;
}

const char *layout_complaint(const sample_request *const sample, const char *const title,
                             const layout_place input, const layout_place output,
                             const uint32_t salt, const layout_execute_fn executes)
{
    trial run = {.sample = sample,
                 .title = title,
                 .input = input,
                 .output = output,
                 .salt = salt,
                 .execute = executes};
    run.status = sima_a65_dequant_check_inference(&sample->request, &run.plan, &run.error);
    if (run.status != SIMA_OK) {
        return complain(&run, run.error.message);
    }
    const char *const complaint = check_plan(&run);
    return complaint == NULL ? run_watched(&run) : complaint;
}

void layout_check(const sample_request *const sample, const char *const title,
                  const layout_place input, const layout_place output, const uint32_t salt)
{
    const char *const complaint =
        layout_complaint(sample, title, input, output, salt, sima_a65_dequant_execute);
    if (complaint != NULL) {
        ck_abort_msg("%s", complaint);
    }
}
