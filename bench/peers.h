/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMAAI_KERNELS_BENCH_PEERS_H
#define SIMAAI_KERNELS_BENCH_PEERS_H

/* Other libraries' conversions of INT8 to FP32, measured beside ours where they are installed. */

#include <simaai/kernels/ops/dequant.h>

#include <stdint.h>

typedef struct bench_peer {
    const char *name;
    /* What is called. */
    const char *call;
    /* Sets up a conversion of `count` adjacent values. NULL: it has no such conversion. */
    void *(*open)(const sima_dequant_params *params, size_t count, const int8_t *input,
                  float *output);
    void (*repeat)(void *state, uint64_t times);
    void (*close)(void *state);
} bench_peer;

/* One that was not found when this was built has no `open`. */
extern const bench_peer *const bench_peers[];
extern const size_t bench_peer_count;

extern const bench_peer bench_peer_xnnpack;
extern const bench_peer bench_peer_volk;
extern const bench_peer bench_peer_onednn;

#endif /* SIMAAI_KERNELS_BENCH_PEERS_H */
