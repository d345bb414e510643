/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMAAI_KERNELS_BENCH_CALLS_H
#define SIMAAI_KERNELS_BENCH_CALLS_H

/*
 * What can be measured, by name:
 *
 *     kernel:NAME:N            the numerical call of a kernel on N elements
 *     kernel:empty:1           a call that does nothing: what the loop around a call costs
 *     execute:ROUTE:N          sima_a65_dequant_execute() on a dense tensor of N elements
 *     prepare:ROUTE:N          sima_a65_dequant_check_inference() for it
 *     numerical:ROUTE:N        the kernel that was selected for it, called directly
 *     scalar:ROUTE:N           a plain loop, compiled without vectorization
 *     loop:ROUTE:N             the same loop as the compiler likes it
 *     PEER:ROUTE:N             another library's conversion
 *     layout:NAME:TYPE         sima_a65_dequant_execute() on a layout; TYPE is f32 or bf16
 *     layout_prepare:NAME:TYPE sima_a65_dequant_check_inference() for it
 */

#include "dequant_kernel.h"
#include "peers.h"

#include <stdbool.h>
#include <stdint.h>

enum { BENCH_MOST_ELEMENTS = 1 << 24 };

/* Parameters and an output type. */
typedef struct bench_route {
    const char *name;
    sima_dtype type;
    sima_dequant_params params;
} bench_route;

extern const bench_route bench_routes[];
extern const size_t bench_route_count;

typedef struct bench_call bench_call;
struct bench_call {
    void (*repeat)(const bench_call *call, uint64_t times);
    /* The conversion as a request, kernels and peers included; `converts`: it fills the output. */
    sima_tensor_spec specs[2];
    sima_dequant_params params;
    bool converts;
    size_t elements;
    sima_a65_dequant_plan plan;
    /* Of a kernel and a numerical call. */
    const sima_a65_dequant_kernel *kernel;
    sima_a65_dequant_operands operands;
    /* Of a peer's call. */
    const bench_peer *peer;
    void *peer_state;
};

typedef enum bench_opened {
    BENCH_OPENED,
    BENCH_NO_SUCH_CASE,
    BENCH_NOT_OFFERED /* a peer that is absent or has no such conversion */
} bench_opened;

/* Fills the input that every call reads. Once, before anything else. */
void bench_fill_input(void);

bench_opened bench_open(const char *name, bench_call *call);
void bench_close(bench_call *call);

/* What does the work: a kernel's name, a peer's function, or "-". */
const char *bench_worker(const bench_call *call);

/* Runs the call once and compares the output with the staged expression: how many elements have
 * other bits. */
size_t bench_differences(const bench_call *call);

#endif /* SIMAAI_KERNELS_BENCH_CALLS_H */
