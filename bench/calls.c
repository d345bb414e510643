/* SPDX-License-Identifier: Apache-2.0 */
#include "calls.h"

#include "layouts.h"
#include "loop.h"
#include "ties.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for what some peers read beyond the end. */
enum { SLACK = 64 };

static _Alignas(4096) int8_t input[BENCH_MOST_ELEMENTS + SLACK];
static _Alignas(4096) float output[BENCH_MOST_ELEMENTS + SLACK];

/* clang-format off */
const bench_route bench_routes[] = {
    /* name              output               scale     zero point */
    {"f32_zero_power",  SIMA_DTYPE_FLOAT32,  {0x1p-4f, 0}},
    {"f32_zero_any",    SIMA_DTYPE_FLOAT32,  {0.1f,    0}},
    {"f32_int8_power",  SIMA_DTYPE_FLOAT32,  {0x1p-4f, 5}},
    {"f32_int8_any",    SIMA_DTYPE_FLOAT32,  {0.1f,    5}},
    {"f32_m128_any",    SIMA_DTYPE_FLOAT32,  {0.1f,    -128}},
    {"f32_bias_power",  SIMA_DTYPE_FLOAT32,  {0x1p-4f, 300}},
    {"f32_bias_any",    SIMA_DTYPE_FLOAT32,  {0.1f,    300}},
    {"f32_wide_any",    SIMA_DTYPE_FLOAT32,  {0.1f,    8388481}},
    {"bf16_int8_power", SIMA_DTYPE_BFLOAT16, {0x1p-4f, 5}},
    {"bf16_zero_any",   SIMA_DTYPE_BFLOAT16, {0.1f,    0}},
    {"bf16_int8_any",   SIMA_DTYPE_BFLOAT16, {0.1f,    5}},
    {"bf16_m128_any",   SIMA_DTYPE_BFLOAT16, {0.1f,    -128}},
    {"bf16_bias_any",   SIMA_DTYPE_BFLOAT16, {0.1f,    300}},
    {"bf16_wide_any",   SIMA_DTYPE_BFLOAT16, {0.1f,    8388481}},
    /* A scale whose results hold ties of both kinds. */
    {"bf16_int8_tied",  SIMA_DTYPE_BFLOAT16, {0x1.2p-4f, 5}},
};
/* clang-format on */
const size_t bench_route_count = sizeof bench_routes / sizeof bench_routes[0];

void bench_fill_input(void)
{
    for (size_t i = 0; i < 256; ++i) {
        input[i] = (int8_t)(i * 37 % 256);
    }
    for (size_t filled = 256; filled < BENCH_MOST_ELEMENTS; filled *= 2) {
        memcpy(input + filled, input, filled);
    }
}

static bool makes_f32(const bench_call *const call)
{
    return call->specs[1].dtype == SIMA_DTYPE_FLOAT32;
}

/* ---- what is repeated ---- */

static void repeat_kernel(const bench_call *const call, const uint64_t times)
{
    const sima_a65_dequant_span_fn run = call->kernel->run;
    const size_t elements = call->elements;
    for (uint64_t i = 0; i < times; ++i) {
        run(input, output, elements, &call->operands);
    }
}

static void repeat_execute(const bench_call *const call, const uint64_t times)
{
    const sima_const_host_buffer from = {input, sizeof input};
    const sima_host_buffer to = {output, sizeof output};
    for (uint64_t i = 0; i < times; ++i) {
        if (sima_a65_dequant_execute(&call->plan, &from, 1, &to, 1, NULL) != SIMA_OK) {
            abort();
        }
    }
}

static sima_dequant_request request_of(const bench_call *const call)
{
    return (sima_dequant_request){SIMA_OP_DEQUANT, &call->specs[0], 1, &call->specs[1], 1,
                                  call->params};
}

static void repeat_prepare(const bench_call *const call, const uint64_t times)
{
    const sima_dequant_request request = request_of(call);
    sima_a65_dequant_plan plan;
    for (uint64_t i = 0; i < times; ++i) {
        if (sima_a65_dequant_check_inference(&request, &plan, NULL) != SIMA_OK) {
            abort();
        }
    }
}

static bench_loop_params loop_params(const bench_call *const call)
{
    return (bench_loop_params){call->params.scale, call->params.zero_point};
}

static void repeat_scalar_f32(const bench_call *const call, const uint64_t times)
{
    const bench_loop_params params = loop_params(call);
    for (uint64_t i = 0; i < times; ++i) {
        bench_scalar_f32(input, output, call->elements, params);
    }
}

static void repeat_scalar_bf16(const bench_call *const call, const uint64_t times)
{
    const bench_loop_params params = loop_params(call);
    for (uint64_t i = 0; i < times; ++i) {
        bench_scalar_bf16(input, (uint16_t *)(void *)output, call->elements, params);
    }
}

static void repeat_loop_f32(const bench_call *const call, const uint64_t times)
{
    const bench_loop_params params = loop_params(call);
    for (uint64_t i = 0; i < times; ++i) {
        bench_loop_f32(input, output, call->elements, params);
    }
}

static void repeat_loop_bf16(const bench_call *const call, const uint64_t times)
{
    const bench_loop_params params = loop_params(call);
    for (uint64_t i = 0; i < times; ++i) {
        bench_loop_bf16(input, (uint16_t *)(void *)output, call->elements, params);
    }
}

static void repeat_peer(const bench_call *const call, const uint64_t times)
{
    call->peer->repeat(call->peer_state, times);
}

/* ---- kernels by name ---- */

static float float_from_bits(const uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Some member of the kernel's domain: an ordinary scale where there is a choice. */
static sima_dequant_params params_for(const sima_a65_dequant_kernel *const kernel)
{
    static const int32_t wanted[] = {5, 300, 8388481, 33554430};
    const uint32_t ordinary = kernel->power_of_two ? 0x3d800000 : 0x3dcccccd;
    const bool fits = ordinary >= kernel->scale_min && ordinary <= kernel->scale_max;
    sima_dequant_params params = {float_from_bits(fits ? ordinary : kernel->scale_min),
                                  kernel->zero_point_max};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; ++i) {
        if (wanted[i] >= kernel->zero_point_min && wanted[i] <= kernel->zero_point_max) {
            params.zero_point = wanted[i];
        }
    }
    if (kernel->biased) {
        params.zero_point = 300;
    }
    return params;
}

static void do_nothing(const int8_t *const from, void *const to, const size_t count,
                       const sima_a65_dequant_operands *const operands)
{
    (void)from;
    (void)to;
    (void)count;
    (void)operands;
}

static const sima_a65_dequant_kernel empty_kernel = {
    .run = do_nothing, .name = "empty", .count_min = 1, .count_max = SIZE_MAX, .count_step = 1};

static const sima_a65_dequant_kernel *find_kernel(const char *const name)
{
    for (size_t f = 0; f < sima_a65_dequant_family_count; ++f) {
        const sima_a65_dequant_family *const family = sima_a65_dequant_families[f];
        for (size_t i = 0; i < family->kernel_count; ++i) {
            if (strcmp(family->kernels[i].name, name) == 0) {
                return &family->kernels[i];
            }
        }
    }
    return strcmp(name, empty_kernel.name) == 0 ? &empty_kernel : NULL;
}

/* ---- cases by name ---- */

static void dense_specs(bench_call *const call, const sima_dtype type)
{
    call->specs[0] = (sima_tensor_spec){
        .dtype = SIMA_DTYPE_INT8, .rank = 1, .extent = {(int64_t)call->elements}};
    call->specs[1] = call->specs[0];
    call->specs[1].dtype = type;
}

static bench_opened prepare_plan(bench_call *const call)
{
    const sima_dequant_request request = request_of(call);
    return sima_a65_dequant_check_inference(&request, &call->plan, NULL) == SIMA_OK
               ? BENCH_OPENED
               : BENCH_NO_SUCH_CASE;
}

/* Where the kernel asks for a proof, of the ordinary zero point or of one so far out that ties are
 * rare. */
static bool complete_operands(bench_call *const call)
{
    enum { FAR_OUT = 1000003 };
    const sima_a65_dequant_kernel *const kernel = call->kernel;
    uint32_t addend = 0;
    if (kernel->result == SIMA_A65_DEQUANT_BF16_TIEFREE &&
        !sima_a65_dequant_prove_tie_free(&call->params, &addend)) {
        call->params.zero_point = FAR_OUT;
        if (FAR_OUT > kernel->zero_point_max ||
            !sima_a65_dequant_prove_tie_free(&call->params, &addend)) {
            return false;
        }
    }
    call->operands =
        (sima_a65_dequant_operands){call->params.scale, call->params.zero_point, addend};
    return true;
}

static bench_opened open_kernel(const char *const name, bench_call *const call)
{
    const sima_a65_dequant_kernel *const kernel = find_kernel(name);
    if (kernel == NULL || call->elements < kernel->count_min ||
        call->elements > kernel->count_max || call->elements % kernel->count_step != 0) {
        return BENCH_NO_SUCH_CASE;
    }
    call->kernel = kernel;
    call->repeat = repeat_kernel;
    call->converts = kernel != &empty_kernel;
    call->params = params_for(kernel);
    dense_specs(call,
                kernel->result == SIMA_A65_DEQUANT_F32 ? SIMA_DTYPE_FLOAT32 : SIMA_DTYPE_BFLOAT16);
    return complete_operands(call) ? BENCH_OPENED : BENCH_NO_SUCH_CASE;
}

static const bench_peer *find_peer(const char *const name)
{
    for (size_t i = 0; i < bench_peer_count; ++i) {
        if (strcmp(bench_peers[i]->name, name) == 0) {
            return bench_peers[i];
        }
    }
    return NULL;
}

static bench_opened open_peer(const bench_peer *const peer, bench_call *const call)
{
    if (peer->open == NULL || !makes_f32(call)) {
        return BENCH_NOT_OFFERED;
    }
    call->peer_state = peer->open(&call->params, call->elements, input, output);
    if (call->peer_state == NULL) {
        return BENCH_NOT_OFFERED;
    }
    call->peer = peer;
    call->repeat = repeat_peer;
    call->converts = true;
    return BENCH_OPENED;
}

static const bench_route *find_route(const char *const name)
{
    for (size_t i = 0; i < bench_route_count; ++i) {
        if (strcmp(bench_routes[i].name, name) == 0) {
            return &bench_routes[i];
        }
    }
    return NULL;
}

typedef struct subject {
    const char *name;
    void (*to_f32)(const bench_call *call, uint64_t times);
    void (*to_bf16)(const bench_call *call, uint64_t times);
    bool converts;
} subject;

/* The subject of this name among `count`, applied to the call. */
static bool apply(const subject *const subjects, const size_t count, const char *const name,
                  bench_call *const call)
{
    for (size_t i = 0; i < count; ++i) {
        if (strcmp(subjects[i].name, name) == 0) {
            call->repeat = makes_f32(call) ? subjects[i].to_f32 : subjects[i].to_bf16;
            call->converts = subjects[i].converts;
            return true;
        }
    }
    return false;
}

static bench_opened open_route(const char *const kind, const char *const route_name,
                               bench_call *const call)
{
    static const subject subjects[] = {{"execute", repeat_execute, repeat_execute, true},
                                       {"numerical", repeat_kernel, repeat_kernel, true},
                                       {"scalar", repeat_scalar_f32, repeat_scalar_bf16, true},
                                       {"loop", repeat_loop_f32, repeat_loop_bf16, true},
                                       {"prepare", repeat_prepare, repeat_prepare, false}};
    const bench_route *const route = find_route(route_name);
    if (route == NULL) {
        return BENCH_NO_SUCH_CASE;
    }
    call->params = route->params;
    dense_specs(call, route->type);
    const bench_peer *const peer = find_peer(kind);
    if (peer != NULL) {
        return open_peer(peer, call);
    }
    if (!apply(subjects, sizeof subjects / sizeof subjects[0], kind, call) ||
        prepare_plan(call) != BENCH_OPENED) {
        return BENCH_NO_SUCH_CASE;
    }
    call->kernel = call->plan.kernel;
    call->operands = call->plan.operands;
    return BENCH_OPENED;
}

static bench_opened open_layout(const char *const kind, const char *const name,
                                const char *const type, bench_call *const call)
{
    static const subject subjects[] = {{"layout", repeat_execute, repeat_execute, true},
                                       {"layout_prepare", repeat_prepare, repeat_prepare, false}};
    const bench_layout *const layout = bench_find_layout(name);
    if (layout == NULL || (strcmp(type, "f32") != 0 && strcmp(type, "bf16") != 0)) {
        return BENCH_NO_SUCH_CASE;
    }
    call->params = (sima_dequant_params){0.1f, 5};
    call->elements = bench_layout_elements(layout);
    bench_layout_specs(layout, strcmp(type, "f32") == 0 ? SIMA_DTYPE_FLOAT32 : SIMA_DTYPE_BFLOAT16,
                       call->specs);
    return apply(subjects, sizeof subjects / sizeof subjects[0], kind, call) ? prepare_plan(call)
                                                                             : BENCH_NO_SUCH_CASE;
}

bench_opened bench_open(const char *const name, bench_call *const call)
{
    char kind[20];
    char what[80];
    char size[12];
    memset(call, 0, sizeof *call);
    if (sscanf(name, "%19[a-z_]:%79[a-z0-9_]:%11[a-z0-9]", kind, what, size) != 3) {
        return BENCH_NO_SUCH_CASE;
    }
    if (strncmp(kind, "layout", 6) == 0) {
        return open_layout(kind, what, size, call);
    }
    const unsigned long long elements = strtoull(size, NULL, 10);
    if (elements == 0 || elements > BENCH_MOST_ELEMENTS) {
        return BENCH_NO_SUCH_CASE;
    }
    call->elements = (size_t)elements;
    return strcmp(kind, "kernel") == 0 ? open_kernel(what, call) : open_route(kind, what, call);
}

void bench_close(bench_call *const call)
{
    if (call->peer != NULL) {
        call->peer->close(call->peer_state);
    }
}

const char *bench_worker(const bench_call *const call)
{
    if (call->peer != NULL) {
        return call->peer->call;
    }
    if (call->repeat == repeat_kernel) {
        return call->kernel->name;
    }
    if (call->repeat == repeat_execute) {
        return sima_a65_dequant_kernel_name(&call->plan);
    }
    return "-";
}

/* ---- whether it does what it is measured for ---- */

static int64_t stride_of(const sima_tensor_spec *const spec, const int32_t axis)
{
    const int64_t width = spec->dtype == SIMA_DTYPE_INT8      ? 1
                          : spec->dtype == SIMA_DTYPE_FLOAT32 ? 4
                                                              : 2;
    /* Contiguous specifications are of rank 1 here. */
    return spec->layout == SIMA_LAYOUT_STRIDED ? spec->stride[axis] : width;
}

static bool differs(const bench_call *const call, const int64_t from, const int64_t to)
{
    const unsigned char *const found = (const unsigned char *)output + to;
    const bench_loop_params params = loop_params(call);
    float f32;
    uint16_t bf16;
    if (makes_f32(call)) {
        bench_scalar_f32(input + from, &f32, 1, params);
        return memcmp(found, &f32, sizeof f32) != 0;
    }
    bench_scalar_bf16(input + from, &bf16, 1, params);
    return memcmp(found, &bf16, sizeof bf16) != 0;
}

static size_t count_differing(const bench_call *const call, const int32_t axis, const int64_t from,
                              const int64_t to)
{
    if (axis == call->specs[0].rank) {
        return differs(call, from, to);
    }
    const int64_t from_stride = stride_of(&call->specs[0], axis);
    const int64_t to_stride = stride_of(&call->specs[1], axis);
    size_t count = 0;
    for (int64_t i = 0; i < call->specs[0].extent[axis]; ++i) {
        count += count_differing(call, axis + 1, from + i * from_stride, to + i * to_stride);
    }
    return count;
}

size_t bench_differences(const bench_call *const call)
{
    if (!call->converts) {
        call->repeat(call, 1);
        return 0;
    }
    size_t bytes = 1;
    for (int32_t axis = 0; axis < call->specs[1].rank; ++axis) {
        bytes += (size_t)((call->specs[1].extent[axis] - 1) * stride_of(&call->specs[1], axis));
    }
    /* Bits of a NaN, which no conversion gives. */
    memset(output, 0xff, bytes + sizeof(float) - 1);
    call->repeat(call, 1);
    return count_differing(call, 0, 0, 0);
}
