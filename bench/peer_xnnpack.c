/* SPDX-License-Identifier: Apache-2.0 */
#include "peers.h"

#include <stdlib.h>
#include <xnnpack.h>

static void *open_operator(const sima_dequant_params *const params, const size_t count,
                           const int8_t *const input, float *const output)
{
    xnn_operator_t convert = NULL;
    if (params->zero_point < INT8_MIN || params->zero_point > INT8_MAX ||
        xnn_initialize(NULL) != xnn_status_success ||
        xnn_create_convert_nc_qs8_f32(1, 1, 1, params->scale, (int8_t)params->zero_point, 0,
                                      &convert) != xnn_status_success) {
        return NULL;
    }
    if (xnn_setup_convert_nc_qs8_f32(convert, count, input, output, NULL) != xnn_status_success) {
        xnn_delete_operator(convert);
        return NULL;
    }
    return convert;
}

static void repeat_operator(void *const state, const uint64_t times)
{
    for (uint64_t i = 0; i < times; ++i) {
        if (xnn_run_operator(state, NULL) != xnn_status_success) {
            abort();
        }
    }
}

static void close_operator(void *const state)
{
    xnn_delete_operator(state);
}

const bench_peer bench_peer_xnnpack = {"xnnpack", "xnn_create_convert_nc_qs8_f32", open_operator,
                                       repeat_operator, close_operator};
