/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs.h"

#include "prepare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 9001 };

/* FNV-1a, 64 bits. */
static uint64_t hash_of(uint64_t hash, const unsigned char *const bytes, const size_t size)
{
    for (size_t i = 0; i < size; ++i) {
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static uint64_t run(const uint64_t hash, const sima_a65_dequant_family *const family,
                    const sima_dequant_params params, const sima_dtype type, const int64_t count,
                    const sima_a65_dequant_stores stores)
{
    static int8_t values[LONGEST];
    static float results[LONGEST];
    const sima_tensor_spec input = {.dtype = SIMA_DTYPE_INT8, .rank = 1, .extent = {count}};
    const sima_tensor_spec output = {.dtype = type, .rank = 1, .extent = {count}};
    const sima_dequant_request request = {SIMA_OP_DEQUANT, &input, 1, &output, 1, params};
    const sima_const_host_buffer from = {values, sizeof values};
    const sima_host_buffer to = {results, sizeof results};
    sima_dequant_plan shared;
    sima_a65_dequant_plan plan;
    for (size_t i = 0; i < LONGEST; ++i) {
        values[i] = (int8_t)((int)(i * 101 % 256) - 128);
    }
    if (sima_dequant_check_inference(&request, &shared, NULL) != SIMA_OK ||
        sima_a65_dequant_prepare_for(&shared, family, stores, &plan, NULL) != SIMA_OK ||
        sima_a65_dequant_execute(&plan, &from, 1, &to, 1, NULL) != SIMA_OK) {
        fprintf(stderr, "%s: a request of the list was refused\n", family->isa);
        exit(EXIT_FAILURE);
    }
    return hash_of(hash, (const unsigned char *)results,
                   sima_dequant_required_bytes(&shared, SIMA_PORT_OUTPUT));
}

uint64_t outputs_hash(const sima_a65_dequant_family *const family)
{
    static const int32_t zero_points[] = {0,       -128,     127,      5,         128,
                                          8388481, 16777089, 33554430, INT32_MIN, INT32_MAX};
    static const uint32_t scales[] = {0x3dcccccd, 0x3f800000, 0x3b800000, 0x43800000,
                                      0x4037ced9, 0x3fc00000, 0x00000001, 0x007fffff,
                                      0x00800000, 0x00800001, 0x73800000, 0x7f7fffff};
    static const int64_t counts[] = {1, 3, 7, 15, 16, 33, 63, 64, 100, 257, 2048, LONGEST};
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t z = 0; z < sizeof zero_points / sizeof zero_points[0]; ++z) {
        for (size_t s = 0; s < sizeof scales / sizeof scales[0]; ++s) {
            sima_dequant_params params = {0, zero_points[z]};
            memcpy(&params.scale, &scales[s], sizeof params.scale);
            for (size_t c = 0; c < sizeof counts / sizeof counts[0]; ++c) {
                for (int stores = SIMA_A65_DEQUANT_STORES_CACHED;
                     stores <= SIMA_A65_DEQUANT_STORES_STREAMED; ++stores) {
                    const sima_a65_dequant_stores way = (sima_a65_dequant_stores)stores;
                    hash = run(hash, family, params, SIMA_DTYPE_FLOAT32, counts[c], way);
                    hash = run(hash, family, params, SIMA_DTYPE_BFLOAT16, counts[c], way);
                }
            }
        }
    }
    return hash;
}
