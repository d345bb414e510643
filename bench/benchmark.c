/* SPDX-License-Identifier: Apache-2.0 */

/*
 * a65_dequant_benchmark: what calls cost. Cases are named as calls.h says.
 *
 *     a65_dequant_benchmark                  latency table of this machine
 *     a65_dequant_benchmark --list           kernels, routes, layouts and peers, one a line
 *     a65_dequant_benchmark --clock          resolution and cost of the clock
 *     a65_dequant_benchmark --count TIMES    reads cases, one a line; runs each TIMES times, then
 *                                            2 * TIMES times, with a mark before, between, after
 *     a65_dequant_benchmark --race ROUNDS US reads races, one a line: cases that are timed in turn,
 *                                            each for about US microseconds a round, every second
 *                                            round backwards
 *
 * --count and --race run each case once before and compare its output with the staged expression.
 * A mark is a system call, getppid(), at which the plugin (count_insns.c) notes its count; the
 * difference of the two stretches is the cost of TIMES calls.
 *
 * Nanoseconds on a shared machine are a measurement of that machine at that moment, no guarantee,
 * and compare only within one run.
 */

#define _POSIX_C_SOURCE 200809L
#include "calls.h"

#include "cpu.h"
#include "layouts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void list(void)
{
    for (size_t f = 0; f < sima_a65_dequant_family_count; ++f) {
        const sima_a65_dequant_family *const family = sima_a65_dequant_families[f];
        for (size_t i = 0; i < family->kernel_count; ++i) {
            printf("kernel %s\n", family->kernels[i].name);
        }
    }
    for (size_t i = 0; i < bench_route_count; ++i) {
        printf("route %s\n", bench_routes[i].name);
    }
    for (size_t i = 0; i < bench_layout_count; ++i) {
        printf("layout %s %zu\n", bench_layouts[i].name, bench_layout_elements(&bench_layouts[i]));
    }
    for (size_t i = 0; i < bench_peer_count; ++i) {
        printf("%s %s\n", bench_peers[i]->open == NULL ? "absent" : "peer", bench_peers[i]->name);
    }
}

/* Opens a case and prints how it answers: NAME opened WORKER DIFFERENCES, or NAME not-offered. */
static bool open_and_say(const char *const name, bench_call *const call)
{
    switch (bench_open(name, call)) {
    case BENCH_OPENED:
        printf("%s opened %zu %s\n", name, bench_differences(call), bench_worker(call));
        return true;
    case BENCH_NOT_OFFERED:
        printf("%s not-offered\n", name);
        return false;
    case BENCH_NO_SUCH_CASE:
        break;
    }
    fprintf(stderr, "a65_dequant_benchmark: no such case: %s\n", name);
    exit(2);
}

/* ---- counting ---- */

static void mark(void)
{
    (void)getppid();
}

static void repeat_thrice(const char *const name, const uint64_t times)
{
    bench_call call;
    if (!open_and_say(name, &call)) {
        return;
    }
    mark();
    call.repeat(&call, times);
    mark();
    call.repeat(&call, 2 * times);
    mark();
    bench_close(&call);
}

static void count_all(const uint64_t times)
{
    char name[128];
    while (scanf("%127s", name) == 1) {
        repeat_thrice(name, times);
    }
}

/* ---- timing ---- */

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

/* Nanoseconds of one call among `times`. */
static double timed(const bench_call *const call, const uint64_t times)
{
    const double started = now();
    call->repeat(call, times);
    return (now() - started) / (double)times;
}

/* How many calls last about this long. */
static uint64_t calibrate(const bench_call *const call, const double nanoseconds)
{
    uint64_t times = 1;
    while (timed(call, times) * (double)times < nanoseconds / 4 && times < UINT64_C(1) << 40) {
        times *= 2;
    }
    const double wanted = nanoseconds / timed(call, times);
    return wanted > 1 ? (uint64_t)wanted : 1;
}

enum { MOST_RUNNERS = 24, MOST_ROUNDS = 1000 };

typedef struct runner {
    bench_call call;
    char name[128];
    uint64_t times;
    double nanoseconds[MOST_ROUNDS];
} runner;

static runner runners[MOST_RUNNERS];

static size_t line_up(char *const line, const double nanoseconds)
{
    size_t count = 0;
    for (char *name = strtok(line, " \n"); name != NULL; name = strtok(NULL, " \n")) {
        if (count == MOST_RUNNERS || strlen(name) >= sizeof runners[0].name) {
            fprintf(stderr, "a65_dequant_benchmark: too much for one race: %s\n", name);
            exit(2);
        }
        runner *const next = &runners[count];
        strcpy(next->name, name);
        if (open_and_say(name, &next->call)) {
            next->times = calibrate(&next->call, nanoseconds);
            ++count;
        }
    }
    return count;
}

static void race(char *const line, const int rounds, const double nanoseconds)
{
    const size_t count = line_up(line, nanoseconds);
    for (int round = 0; round < rounds; ++round) {
        for (size_t i = 0; i < count; ++i) {
            runner *const next = &runners[round % 2 == 0 ? i : count - 1 - i];
            next->nanoseconds[round] = timed(&next->call, next->times);
        }
    }
    for (size_t i = 0; i < count; ++i) {
        printf("%s timed", runners[i].name);
        for (int round = 0; round < rounds; ++round) {
            printf(" %.3f", runners[i].nanoseconds[round]);
        }
        putchar('\n');
        bench_close(&runners[i].call);
    }
    fflush(stdout);
}

static void race_all(const int rounds, const double nanoseconds)
{
    static char line[MOST_RUNNERS * 128];
    while (fgets(line, sizeof line, stdin) != NULL) {
        race(line, rounds, nanoseconds);
    }
}

static int compare(const void *const left, const void *const right)
{
    const double a = *(const double *)left;
    const double b = *(const double *)right;
    return (a > b) - (a < b);
}

static void print_clock(void)
{
    enum { READINGS = 10001 };
    static double steps[READINGS];
    struct timespec resolution;
    clock_getres(CLOCK_MONOTONIC, &resolution);
    for (int i = 0; i < READINGS; ++i) {
        const double started = now();
        steps[i] = now() - started;
    }
    qsort(steps, READINGS, sizeof steps[0], compare);
    printf("resolution %ld\nmedian_step %.0f\nleast_step %.0f\n",
           1000000000L * (long)resolution.tv_sec + resolution.tv_nsec, steps[READINGS / 2],
           steps[0]);
}

/* ---- latency on this machine ---- */

enum { SAMPLES = 9 };

/* Median nanoseconds of one call of a case that is known to exist. */
static double latency(const char *const name)
{
    bench_call call;
    double samples[SAMPLES];
    if (bench_open(name, &call) != BENCH_OPENED || bench_differences(&call) != 0) {
        fprintf(stderr, "a65_dequant_benchmark: %s gives wrong results\n", name);
        exit(EXIT_FAILURE);
    }
    const uint64_t times = 1 + (1 << 16) / (call.elements + 64);
    for (int i = 0; i < SAMPLES; ++i) {
        samples[i] = timed(&call, times);
    }
    bench_close(&call);
    qsort(samples, SAMPLES, sizeof samples[0], compare);
    return samples[SAMPLES / 2];
}

static void print_row(const char *const label, const size_t elements, const char *const f32_case,
                      const char *const bf16_case)
{
    const double f32 = latency(f32_case);
    const double bf16 = latency(bf16_case);
    printf("%-24s %12.1f %12.2f %12.1f %12.2f\n", label, f32, (double)elements / f32, bf16,
           (double)elements / bf16);
}

static void print_latencies(void)
{
    static const size_t lengths[] = {1, 4, 15, 16, 17, 64, 256, 1024, 4096, 16384, 65536};
    char label[32];
    char f32[64];
    char bf16[64];
    printf("zero point 5, scale 0.1, %s kernels; medians of %d\n",
           sima_a65_dequant_best_family()->isa, SAMPLES);
    printf("%-24s %12s %12s %12s %12s\n", "elements or layout", "f32 ns", "f32 el/ns", "bf16 ns",
           "bf16 el/ns");
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; ++i) {
        snprintf(label, sizeof label, "%zu", lengths[i]);
        snprintf(f32, sizeof f32, "execute:f32_int8_any:%zu", lengths[i]);
        snprintf(bf16, sizeof bf16, "execute:bf16_int8_any:%zu", lengths[i]);
        print_row(label, lengths[i], f32, bf16);
    }
    for (size_t i = 0; i < bench_layout_count; ++i) {
        snprintf(f32, sizeof f32, "layout:%s:f32", bench_layouts[i].name);
        snprintf(bf16, sizeof bf16, "layout:%s:bf16", bench_layouts[i].name);
        print_row(bench_layouts[i].name, bench_layout_elements(&bench_layouts[i]), f32, bf16);
    }
    puts("a measurement of this machine now; no baseline, no guarantee");
}

/* A whole number from 1 to `most`, or 0. */
static uint64_t parse(const char *const text, const uint64_t most)
{
    char *end;
    const uint64_t value = strtoull(text, &end, 10);
    return *end == '\0' && value <= most ? value : 0;
}

int main(const int argc, char **const argv)
{
    const char *const option = argc > 1 ? argv[1] : "";
    const uint64_t first = argc > 2 ? parse(argv[2], 1000000) : 0;
    const uint64_t second = argc > 3 ? parse(argv[3], 1000000) : 0;
    bench_fill_input();
    if (argc == 1) {
        print_latencies();
    } else if (argc == 2 && strcmp(option, "--list") == 0) {
        list();
    } else if (argc == 2 && strcmp(option, "--clock") == 0) {
        print_clock();
    } else if (argc == 3 && strcmp(option, "--count") == 0 && first > 0) {
        count_all(first);
    } else if (argc == 4 && strcmp(option, "--race") == 0 && first > 0 && first <= MOST_ROUNDS &&
               second > 0) {
        race_all((int)first, 1000.0 * (double)second);
    } else {
        fputs(
            "usage: a65_dequant_benchmark [--list | --clock | --count TIMES | --race ROUNDS US]\n",
            stderr);
        return 2;
    }
    return EXIT_SUCCESS;
}
