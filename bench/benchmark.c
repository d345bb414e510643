/* SPDX-License-Identifier: Apache-2.0 */

/*
 * a65_dequant_benchmark: what calls cost. Cases come from the dispatch table.
 *
 *     a65_dequant_benchmark                        latency table of this machine
 *     a65_dequant_benchmark --list                 cases, one a line
 *     a65_dequant_benchmark --repeat CASE COUNT    runs a case COUNT times, prints nothing
 *
 * --repeat serves instruction counting: run it with R and with 2R and subtract. Cases:
 *
 *     kernel:NAME:N       the numerical call of a kernel on N elements
 *     kernel:empty:N      a call that does nothing: what the loop around a call costs
 *     execute:OUT:N:ZP    sima_a65_dequant_execute() on a dense tensor of N elements, this zero
 *                         point, scale 0.1
 *     prepare:OUT:N:ZP    sima_a65_dequant_check_inference() for it
 *
 * Nanoseconds on a shared machine are a measurement of that machine at that moment, no guarantee,
 * and compare only within one run.
 */

#define _POSIX_C_SOURCE 200809L
#include "dequant_kernel.h"
#include "select.h"
#include "ties.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_ELEMENTS = 1 << 16 };

static int8_t input[MOST_ELEMENTS];
static _Alignas(64) float output[MOST_ELEMENTS];

/* ---- parameters for a kernel's domain ---- */

static float float_from_bits(const uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Some member of the kernel's domain: an ordinary scale where there is a choice. */
static sima_a65_dequant_operands operands_for(const sima_a65_dequant_kernel *const kernel)
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
    sima_a65_dequant_operands operands = {params.scale, params.zero_point, 0};
    if (kernel->result == SIMA_A65_DEQUANT_BF16_TIEFREE) {
        sima_a65_dequant_prove_tie_free(&params, &operands.tie_addend);
    }
    return operands;
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

/* ---- what is repeated ---- */

static void repeat_kernel(const sima_a65_dequant_kernel *const kernel, const size_t elements,
                          const uint64_t times)
{
    const sima_a65_dequant_operands operands = operands_for(kernel);
    for (uint64_t i = 0; i < times; ++i) {
        kernel->run(input, output, elements, &operands);
    }
}

static sima_dequant_request request_for(sima_tensor_spec specs[2], const sima_dtype type,
                                        const size_t elements, const int32_t zero_point)
{
    specs[0] =
        (sima_tensor_spec){.dtype = SIMA_DTYPE_INT8, .rank = 1, .extent = {(int64_t)elements}};
    specs[1] = specs[0];
    specs[1].dtype = type;
    return (sima_dequant_request){SIMA_OP_DEQUANT, &specs[0], 1, &specs[1], 1, {0.1f, zero_point}};
}

static void repeat_prepare(const sima_dtype type, const size_t elements, const int32_t zero_point,
                           const uint64_t times)
{
    sima_tensor_spec specs[2];
    sima_a65_dequant_plan plan;
    const sima_dequant_request request = request_for(specs, type, elements, zero_point);
    for (uint64_t i = 0; i < times; ++i) {
        sima_a65_dequant_check_inference(&request, &plan, NULL);
    }
}

static void repeat_execute(const sima_dtype type, const size_t elements, const int32_t zero_point,
                           const uint64_t times)
{
    sima_tensor_spec specs[2];
    sima_a65_dequant_plan plan;
    const sima_dequant_request request = request_for(specs, type, elements, zero_point);
    const sima_const_host_buffer from = {input, sizeof input};
    const sima_host_buffer to = {output, sizeof output};
    sima_a65_dequant_check_inference(&request, &plan, NULL);
    for (uint64_t i = 0; i < times; ++i) {
        if (sima_a65_dequant_execute(&plan, &from, 1, &to, 1, NULL) != SIMA_OK) {
            abort();
        }
    }
}

/* ---- cases by name ---- */

static bool parse_type(const char *const name, sima_dtype *const type)
{
    *type = strcmp(name, "f32") == 0    ? SIMA_DTYPE_FLOAT32
            : strcmp(name, "bf16") == 0 ? SIMA_DTYPE_BFLOAT16
                                        : SIMA_DTYPE_INVALID;
    return *type != SIMA_DTYPE_INVALID;
}

static bool repeat_case(const char *const name, const uint64_t times)
{
    char kind[16];
    char subject[80];
    size_t elements;
    sima_dtype type;
    int32_t zero_point = 0;
    if (sscanf(name, "%15[a-z]:%79[a-z0-9_]:%zu:%" SCNd32, kind, subject, &elements, &zero_point) <
            3 ||
        elements == 0 || elements > MOST_ELEMENTS) {
        return false;
    }
    if (strcmp(kind, "kernel") == 0) {
        const sima_a65_dequant_kernel *const kernel = find_kernel(subject);
        if (kernel == NULL || elements < kernel->count_min || elements > kernel->count_max ||
            elements % kernel->count_step != 0) {
            return false;
        }
        repeat_kernel(kernel, elements, times);
        return true;
    }
    if (!parse_type(subject, &type)) {
        return false;
    }
    if (strcmp(kind, "execute") == 0) {
        repeat_execute(type, elements, zero_point, times);
        return true;
    }
    if (strcmp(kind, "prepare") == 0) {
        repeat_prepare(type, elements, zero_point, times);
        return true;
    }
    return false;
}

static const char *const call_cases[] = {
    "execute:f32:16:5",        "execute:bf16:16:5",      "prepare:f32:16:5",
    "prepare:f32:16:8388481",  "prepare:bf16:16:5",      "prepare:bf16:65536:5",
    "prepare:bf16:65536:-128", "prepare:bf16:65536:300",
};

static void list_cases(void)
{
    for (size_t f = 0; f < sima_a65_dequant_family_count; ++f) {
        const sima_a65_dequant_family *const family = sima_a65_dequant_families[f];
        for (size_t i = 0; i < family->kernel_count; ++i) {
            const sima_a65_dequant_kernel *const kernel = &family->kernels[i];
            printf("kernel:%s:%zu\n", kernel->name,
                   kernel->count_max < 1024 ? kernel->count_max : 1024);
        }
    }
    for (size_t i = 0; i < sizeof call_cases / sizeof call_cases[0]; ++i) {
        puts(call_cases[i]);
    }
}

/* ---- latency on this machine ---- */

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

static int compare(const void *const left, const void *const right)
{
    const double a = *(const double *)left;
    const double b = *(const double *)right;
    return (a > b) - (a < b);
}

enum { SAMPLES = 15 };

/* Median nanoseconds of one call. */
static double latency(const sima_dtype type, const size_t elements)
{
    double samples[SAMPLES];
    const uint64_t times = 1 + (1 << 19) / (elements + 64);
    for (int i = 0; i < SAMPLES; ++i) {
        const double started = now();
        repeat_execute(type, elements, 5, times);
        samples[i] = (now() - started) / (double)times;
    }
    qsort(samples, SAMPLES, sizeof samples[0], compare);
    return samples[SAMPLES / 2];
}

static void print_latencies(void)
{
    static const size_t lengths[] = {1, 4, 15, 16, 17, 64, 256, 1024, 4096, 16384, 65536};
    printf("dense calls, zero point 5, scale 0.1, %s kernels; medians of %d\n",
           sima_a65_dequant_families[0]->isa, SAMPLES);
    printf("%10s %12s %12s %12s %12s\n", "elements", "f32 ns", "f32 el/ns", "bf16 ns",
           "bf16 el/ns");
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; ++i) {
        const double f32 = latency(SIMA_DTYPE_FLOAT32, lengths[i]);
        const double bf16 = latency(SIMA_DTYPE_BFLOAT16, lengths[i]);
        printf("%10zu %12.1f %12.2f %12.1f %12.2f\n", lengths[i], f32, (double)lengths[i] / f32,
               bf16, (double)lengths[i] / bf16);
    }
    puts("a measurement of this machine now; no baseline, no guarantee");
}

int main(const int argc, char **const argv)
{
    for (size_t i = 0; i < MOST_ELEMENTS; ++i) {
        input[i] = (int8_t)(i * 37 % 256);
    }
    if (argc == 1) {
        print_latencies();
        return EXIT_SUCCESS;
    }
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        list_cases();
        return EXIT_SUCCESS;
    }
    if (argc == 4 && strcmp(argv[1], "--repeat") == 0 &&
        repeat_case(argv[2], strtoull(argv[3], NULL, 10))) {
        return EXIT_SUCCESS;
    }
    fputs("usage: a65_dequant_benchmark [--list | --repeat CASE COUNT]\n", stderr);
    return 2;
}
