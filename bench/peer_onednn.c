/* SPDX-License-Identifier: Apache-2.0 */
#include "peers.h"

#include <oneapi/dnnl/dnnl.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct reorder {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_memory_t from;
    dnnl_memory_t to;
    dnnl_primitive_attr_t attributes;
    dnnl_primitive_desc_t description;
    dnnl_primitive_t primitive;
    int32_t zero_point;
} reorder;

static void close_reorder(void *const state)
{
    reorder *const opened = state;
    dnnl_primitive_destroy(opened->primitive);
    dnnl_primitive_desc_destroy(opened->description);
    dnnl_primitive_attr_destroy(opened->attributes);
    dnnl_memory_destroy(opened->from);
    dnnl_memory_destroy(opened->to);
    dnnl_stream_destroy(opened->stream);
    dnnl_engine_destroy(opened->engine);
    free(opened);
}

static bool set_parameters(reorder *const opened, const sima_dequant_params *const params)
{
    opened->zero_point = params->zero_point;
    return dnnl_primitive_attr_create(&opened->attributes) == dnnl_success &&
           dnnl_primitive_attr_set_output_scales(opened->attributes, 1, 0, &params->scale) ==
               dnnl_success &&
           (params->zero_point == 0 ||
            dnnl_primitive_attr_set_zero_points(opened->attributes, DNNL_ARG_SRC, 1, 0,
                                                &opened->zero_point) == dnnl_success);
}

static bool fill(reorder *const opened, const size_t count, const int8_t *const input,
                 float *const output)
{
    const dnnl_dims_t dims = {(dnnl_dim_t)count};
    dnnl_memory_desc_t from;
    dnnl_memory_desc_t to;
    /* Its memory objects know no const; the source is only read. */
    void *const source = (void *)(uintptr_t)input;
    return dnnl_engine_create(&opened->engine, dnnl_cpu, 0) == dnnl_success &&
           dnnl_stream_create(&opened->stream, opened->engine, dnnl_stream_default_flags) ==
               dnnl_success &&
           dnnl_memory_desc_init_by_tag(&from, 1, dims, dnnl_s8, dnnl_a) == dnnl_success &&
           dnnl_memory_desc_init_by_tag(&to, 1, dims, dnnl_f32, dnnl_a) == dnnl_success &&
           dnnl_memory_create(&opened->from, &from, opened->engine, source) == dnnl_success &&
           dnnl_memory_create(&opened->to, &to, opened->engine, output) == dnnl_success &&
           dnnl_reorder_primitive_desc_create(&opened->description, &from, opened->engine, &to,
                                              opened->engine, opened->attributes) == dnnl_success &&
           dnnl_primitive_create(&opened->primitive, opened->description) == dnnl_success;
}

static void *open_reorder(const sima_dequant_params *const params, const size_t count,
                          const int8_t *const input, float *const output)
{
    reorder *const opened = calloc(1, sizeof *opened);
    if (opened == NULL) {
        return NULL;
    }
    if (!set_parameters(opened, params) || !fill(opened, count, input, output)) {
        close_reorder(opened);
        return NULL;
    }
    return opened;
}

static void repeat_reorder(void *const state, const uint64_t times)
{
    const reorder *const opened = state;
    const dnnl_exec_arg_t arguments[] = {{DNNL_ARG_FROM, opened->from}, {DNNL_ARG_TO, opened->to}};
    for (uint64_t i = 0; i < times; ++i) {
        if (dnnl_primitive_execute(opened->primitive, opened->stream, 2, arguments) !=
                dnnl_success ||
            dnnl_stream_wait(opened->stream) != dnnl_success) {
            abort();
        }
    }
}

const bench_peer bench_peer_onednn = {"onednn", "reorder s8 -> f32", open_reorder, repeat_reorder,
                                      close_reorder};
