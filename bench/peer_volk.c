/* SPDX-License-Identifier: Apache-2.0 */
#include "peers.h"

#include <limits.h>
#include <stdlib.h>
#include <volk/volk.h>

typedef struct conversion {
    float *output;
    const int8_t *input;
    float divisor;
    unsigned int count;
} conversion;

/* It divides by its scalar and knows no zero point. */
static void *open_conversion(const sima_dequant_params *const params, const size_t count,
                             const int8_t *const input, float *const output)
{
    conversion *const opened = malloc(sizeof *opened);
    if (opened == NULL || params->zero_point != 0 || count > UINT_MAX) {
        free(opened);
        return NULL;
    }
    *opened = (conversion){output, input, 1.0f / params->scale, (unsigned int)count};
    return opened;
}

static void repeat_conversion(void *const state, const uint64_t times)
{
    const conversion *const opened = state;
    for (uint64_t i = 0; i < times; ++i) {
        volk_8i_s32f_convert_32f(opened->output, opened->input, opened->divisor, opened->count);
    }
}

const bench_peer bench_peer_volk = {"volk", "volk_8i_s32f_convert_32f", open_conversion,
                                    repeat_conversion, free};
