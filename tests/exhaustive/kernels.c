/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Every kernel of every family against the definition in integers, each on its whole domain or,
 * where that is out of reach, on a part that stands for the whole by an argument stated with it.
 */

#include "checks.h"

#include "cpu.h"
#include "select.h"
#include "ties.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INPUTS = 256, SIGNIFICANDS = 1 << 23, FIELDS = 255 };

/* ---- which kernels ---- */

enum { KERNELS_MAX = 4096 };

typedef struct kernel_list {
    const sima_a65_dequant_kernel *kernel[KERNELS_MAX];
    size_t count;
} kernel_list;

static void append(kernel_list *const list, const sima_a65_dequant_kernel *const kernel)
{
    if (list->count == KERNELS_MAX) {
        fputs("a65_dequant_exhaustive: too many kernels\n", stderr);
        exit(1);
    }
    list->kernel[list->count++] = kernel;
}

static kernel_list all_kernels(void)
{
    kernel_list list = {.count = 0};
    for (size_t f = 0; f < sima_a65_dequant_family_count; ++f) {
        const sima_a65_dequant_family *const family = sima_a65_dequant_families[f];
        for (size_t k = 0; sima_a65_dequant_runs_here(family) && k < family->kernel_count; ++k) {
            append(&list, &family->kernels[k]);
        }
    }
    return list;
}

static size_t body_length(const char *const name)
{
    return (size_t)(strrchr(name, '_') - name);
}

/* Kernels that differ in their tails alone have one block body: one of them speaks for it. */
static bool has_body_of(const kernel_list *const list, const char *const name)
{
    for (size_t i = 0; i < list->count; ++i) {
        const char *const other = list->kernel[i]->name;
        if (body_length(other) == body_length(name) &&
            memcmp(other, name, body_length(name)) == 0) {
            return true;
        }
    }
    return false;
}

static kernel_list one_kernel_a_body(void)
{
    const kernel_list all = all_kernels();
    kernel_list list = {.count = 0};
    for (size_t i = 0; i < all.count; ++i) {
        const sima_a65_dequant_kernel *const kernel = all.kernel[i];
        if (kernel->count_max >= INPUTS && !has_body_of(&list, kernel->name)) {
            append(&list, kernel);
        }
    }
    return list;
}

static bool has_scale(const sima_a65_dequant_kernel *const kernel, const uint32_t scale)
{
    return scale >= kernel->scale_min && scale <= kernel->scale_max &&
           (!kernel->power_of_two || (scale & 0x7fffff) == 0);
}

static bool has_zero_point(const sima_a65_dequant_kernel *const kernel, const int32_t zero_point)
{
    return zero_point >= kernel->zero_point_min && zero_point <= kernel->zero_point_max &&
           (!kernel->biased || sima_a65_dequant_has_bias(zero_point));
}

/* ---- one kernel, all 256 inputs ---- */

static int8_t inputs[INPUTS];

static void fill_inputs(void)
{
    for (int i = 0; i < INPUTS; ++i) {
        inputs[i] = (int8_t)(i - 128);
    }
}

/* In spans as long as the kernel takes them. */
static void run_all(const sima_a65_dequant_kernel *const kernel,
                    const sima_a65_dequant_operands *const operands, unsigned char *const results)
{
    const size_t width = output_width(kernel->result);
    const size_t longest = kernel->count_max < INPUTS ? kernel->count_max : INPUTS;
    for (size_t done = 0; done < INPUTS;) {
        const size_t count = INPUTS - done < longest ? INPUTS - done : longest;
        kernel->run(inputs + done, results + done * width, count, operands);
        done += count;
    }
}

/* What one scale and zero point give, and what is proved about it. */
typedef struct parameters {
    int32_t zero_point;
    uint32_t scale;
    bool tie_free;
    uint32_t tie_addend;
    expected want;
} parameters;

static void prove(parameters *const set)
{
    const sima_dequant_params params = {float_from_bits(set->scale), set->zero_point};
    set->tie_addend = 0;
    set->tie_free = sima_a65_dequant_prove_tie_free(&params, &set->tie_addend);
}

static void set_parameters(parameters *const set, const int32_t zero_point, const uint32_t scale)
{
    set->zero_point = zero_point;
    set->scale = scale;
    expected_fill(&set->want, zero_point, scale);
    prove(set);
}

static void compare(const sima_a65_dequant_kernel *const kernel, const parameters *const set,
                    tally *const count)
{
    _Alignas(16) unsigned char results[INPUTS * sizeof(float)];
    const bool tie_free = kernel->result == SIMA_A65_DEQUANT_BF16_TIEFREE;
    if (!has_scale(kernel, set->scale) || !has_zero_point(kernel, set->zero_point) ||
        (tie_free && !set->tie_free)) {
        return;
    }
    const sima_a65_dequant_operands operands = {.scale = float_from_bits(set->scale),
                                                .zero_point = set->zero_point,
                                                .tie_addend = tie_free ? set->tie_addend : 0};
    const void *const want =
        kernel->result == SIMA_A65_DEQUANT_F32 ? (const void *)set->want.f32 : set->want.bf16;
    run_all(kernel, &operands, results);
    count_one(count, memcmp(results, want, INPUTS * output_width(kernel->result)) == 0,
              kernel->name, set->zero_point, set->scale);
}

static void compare_each(const kernel_list *const list, const parameters *const set,
                         tally *const count)
{
    for (size_t i = 0; i < list->count; ++i) {
        compare(list->kernel[i], set, count);
    }
}

/* ---- INT8 zero points: all inputs, all zero points, all powers of two, all tails ---- */

static uint32_t power_of_two(const int exponent)
{
    return exponent < -126 ? 1u << (exponent + 149) : (uint32_t)(exponent + 127) << 23;
}

void check_int8(const slice of, tally *const count)
{
    enum { LOWEST = -149, POWERS = 277 };
    const kernel_list kernels = all_kernels();
    parameters set;
    fill_inputs();
    for (uint64_t i = slice_first(of); i < POWERS * INPUTS; i += slice_step(of)) {
        set_parameters(&set, (int32_t)(i % INPUTS) - 128, power_of_two(LOWEST + (int)(i / INPUTS)));
        compare_each(&kernels, &set, count);
    }
}

/* ---- any scale: all significands ---- */

/* Zero points that make every difference from -255 to 255, and the class of its own. */
static void compare_differences(const kernel_list *const kernels, const uint32_t scale,
                                tally *const count)
{
    static const int32_t zero_points[] = {-128, 127, 0};
    parameters set;
    for (size_t z = 0; z < sizeof zero_points / sizeof zero_points[0]; ++z) {
        set_parameters(&set, zero_points[z], scale);
        compare_each(kernels, &set, count);
    }
}

/* Subnormal scales, with results subnormal and not; the smallest normal ones; those around 1; those
 * on both sides of 2^104, where a lifted scale overflows; those whose largest products overflow,
 * and the largest. In the fields between, products are these in another binade: see `fields`. */
static const uint32_t chosen_fields[] = {0, 1, 127, 230, 231, 247, 254};
enum { CHOSEN_FIELDS = sizeof chosen_fields / sizeof chosen_fields[0] };

void check_any(const slice of, tally *const count)
{
    const kernel_list kernels = one_kernel_a_body();
    fill_inputs();
    for (uint64_t i = slice_first(of); i < SIGNIFICANDS; i += slice_step(of)) {
        for (size_t f = 0; f < CHOSEN_FIELDS; ++f) {
            const uint32_t scale = chosen_fields[f] << 23 | (uint32_t)i;
            if (scale != 0) {
                compare_differences(&kernels, scale, count);
            }
        }
    }
}

/* Every exponent field, with 4,096 significands spread over all of them. */
void check_fields(const slice of, tally *const count)
{
    const kernel_list kernels = one_kernel_a_body();
    fill_inputs();
    for (uint64_t i = slice_first(of); i < FIELDS << 12; i += slice_step(of)) {
        const uint32_t field = (uint32_t)(i >> 12);
        const uint32_t significand = (uint32_t)i * 0x9e3779b1u >> 9;
        compare_differences(&kernels, field << 23 | significand | (field == 0), count);
    }
}

/* ---- zero points for which every difference is exact: all of them, all exponents ---- */

/*
 * Differences are integers of at most 25 bits, times 2^e exact and normal from e = -126 to 96 on.
 * So is their narrowing, which depends on the significand alone: in each binade there are the same
 * results, the exponent field e larger. Only the results at 2^0 are worked out by definition; that
 * the others are these, moved, is itself compared with the definition for every 4,096th zero point.
 */
enum { LOWEST_POWER = -126, HIGHEST_POWER = 96 };

static void move_results(const expected *const at_one, const int exponent, expected *const moved)
{
    const uint32_t field = (uint32_t)exponent << 23;
    for (int i = 0; i < INPUTS; ++i) {
        const bool is_zero = at_one->f32[i] == 0;
        moved->f32[i] = is_zero ? 0 : at_one->f32[i] + field;
        moved->bf16[i] = is_zero ? 0 : (uint16_t)(at_one->bf16[i] + (field >> 16));
    }
}

static bool is_by_definition(const parameters *const set)
{
    expected want;
    expected_fill(&want, set->zero_point, set->scale);
    return memcmp(&want, &set->want, sizeof want) == 0;
}

/* The exponents that some kernel is made for, one each side of them, and the ends. */
static bool is_chosen_power(const int exponent)
{
    return (exponent >= -9 && exponent <= 9) || exponent == LOWEST_POWER ||
           exponent == HIGHEST_POWER;
}

static void compare_powers(const kernel_list *const kernels, const int32_t zero_point,
                           const bool every, tally *const count)
{
    expected at_one;
    parameters set = {.zero_point = zero_point};
    expected_fill(&at_one, zero_point, power_of_two(0));
    for (int exponent = LOWEST_POWER; exponent <= HIGHEST_POWER; ++exponent) {
        if (!every && !is_chosen_power(exponent)) {
            continue;
        }
        set.scale = power_of_two(exponent);
        move_results(&at_one, exponent, &set.want);
        if (every) {
            count_one(count, is_by_definition(&set), "moved results", zero_point, set.scale);
        }
        prove(&set);
        compare_each(kernels, &set, count);
    }
}

void check_exact(const slice of, tally *const count)
{
    const int64_t low = -16777089;
    const int64_t high = 16777088;
    const kernel_list kernels = one_kernel_a_body();
    fill_inputs();
    for (uint64_t i = slice_first(of); i <= (uint64_t)(high - low); i += slice_step(of)) {
        const bool every = (i / of.stride) % 4096 == 0;
        compare_powers(&kernels, (int32_t)(low + (int64_t)i), every, count);
    }
}

/* ---- the rest of int32: every value that a zero point converts to ---- */

/* A kernel sees a zero point only as (float)zero_point. Of those beyond 2^24 there are 2^23 in each
 * of 7 binades on each side; the last one of the positive is 2^31, which int32 reaches by rounding
 * up. Two scales: 1, which has kernels of its own, and one that rounds, there with a zero point
 * that rounds too; the rounding of products is `any`'s matter. */
static int32_t clamped(const int64_t value)
{
    return (int32_t)(value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : value);
}

void check_wide(const slice of, tally *const count)
{
    const kernel_list kernels = one_kernel_a_body();
    parameters set;
    fill_inputs();
    for (uint64_t i = slice_first(of); i < UINT64_C(14) << 23; i += slice_step(of)) {
        const uint64_t binade = (i >> 23) % 7;
        const int64_t place = INT64_C(2) << binade;
        const int64_t magnitude = (int64_t)((i & 0x7fffff) + 0x800001) * place;
        const int64_t zero_point = i >> 23 < 7 ? magnitude : -magnitude;
        const int64_t beside = (int64_t)((uint32_t)i * 0x9e3779b1u >> 8) % (place + 1) - place / 2;
        set_parameters(&set, clamped(zero_point), 0x3f800000);
        compare_each(&kernels, &set, count);
        set_parameters(&set, clamped(zero_point + beside), 0x4037ced9);
        compare_each(&kernels, &set, count);
    }
}

/* ---- points where a sequence would be wrong, one step outside its domain ---- */

typedef struct outside_point {
    int zero_point;
    unsigned scale;
    int input;
    unsigned staged;
} outside_point;

/* The next row: a name, then numbers, of which the last one is not wanted here. */
static bool read_point(FILE *const file, outside_point *const point)
{
    char line[256];
    long long value[4];
    const char *at = fgets(line, sizeof line, file) != NULL ? strchr(line, ',') : NULL;
    for (size_t i = 0; i < 4; ++i) {
        char *end = NULL;
        if (at == NULL || *at != ',') {
            return false;
        }
        value[i] = strtoll(at + 1, &end, 0);
        at = end;
    }
    *point = (outside_point){(int)value[0], (unsigned)value[1], (int)value[2], (unsigned)value[3]};
    return *at == ',';
}

/* Whichever kernels admit such a point give the definition's results, as the solver knows it. */
void check_outside(const slice of, tally *const count)
{
    FILE *const file = fopen(SIMA_OUTSIDE_PATH, "r");
    const kernel_list kernels = all_kernels();
    outside_point point;
    char line[256];
    parameters set;
    (void)of;
    fill_inputs();
    while (file != NULL && fgets(line, sizeof line, file) != NULL &&
           strncmp(line, "what,", 5) != 0) {
    }
    while (file != NULL && read_point(file, &point)) {
        set_parameters(&set, point.zero_point, point.scale);
        const size_t place = (size_t)((int64_t)point.input + 128);
        const uint32_t f32 = set.want.f32[place];
        count_one(count, point.staged == f32 || point.staged == set.want.bf16[place], "row",
                  point.zero_point, point.scale);
        compare_each(&kernels, &set, count);
    }
    if (file != NULL) {
        fclose(file);
    }
}

/* ---- one hash for every instruction set and compiler ---- */

/*
 * Results of the first family, as selection hands them out, over a set that covers every class,
 * every exponent that has kernels, subnormal and overflowing results, ties of both parities, and
 * every length up to three blocks. The hash is of the results alone, so it is the same wherever
 * they are made; the definition's is worked out beside it.
 */
static const int32_t hash_zero_points[] = {0,         -128,      1,          -77,       127,
                                           128,       -129,      1000,       16777088,  -16777089,
                                           16777089,  16777217,  16777219,   8388481,   33554430,
                                           100000001, -33554435, 2147483584, INT32_MIN, INT32_MAX};

static const uint32_t hash_scales[] = {0x00000001, 0x00000003, 0x00400000, 0x007fffff, 0x00800000,
                                       0x00ffffff, 0x3dcccccd, 0x3f800001, 0x3fc00000, 0x3f810101,
                                       0x4037ced9, 0x6f800000, 0x70000000, 0x737fffff, 0x73800000,
                                       0x7b000000, 0x7e800000, 0x7f000000, 0x7f7fffff};

enum {
    HASH_ZERO_POINTS = sizeof hash_zero_points / sizeof hash_zero_points[0],
    HASH_SCALES = sizeof hash_scales / sizeof hash_scales[0],
    HASH_POWERS = 33, /* 2^-16 to 2^16 */
    HASH_LENGTHS = 49 /* 1 to 48, and all inputs */
};

#define HASH_OF_F32 UINT64_C(0xe4fe2b03e3757f72)
#define HASH_OF_BF16 UINT64_C(0xc3ac93758cb2b4a9)

static uint64_t hashed(uint64_t hash, const unsigned char *const bytes, const size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static uint64_t hash_by_definition(const uint64_t hash, const expected *const want,
                                   const sima_a65_dequant_output output, const size_t count)
{
    const size_t first = (INPUTS - count) / 2;
    const void *const results =
        output == SIMA_A65_DEQUANT_TO_F32 ? (const void *)(want->f32 + first) : want->bf16 + first;
    const size_t width = output == SIMA_A65_DEQUANT_TO_F32 ? sizeof(float) : sizeof(uint16_t);
    return hashed(hash, results, count * width);
}

static uint64_t hash_by_kernel(const uint64_t hash, const parameters *const set,
                               const sima_a65_dequant_output output, const size_t count)
{
    _Alignas(16) unsigned char results[INPUTS * sizeof(float)];
    const sima_dequant_params params = {float_from_bits(set->scale), set->zero_point};
    const bool tie_free = output == SIMA_A65_DEQUANT_TO_BF16 && set->tie_free;
    const sima_a65_dequant_operands operands = {.scale = params.scale,
                                                .zero_point = params.zero_point,
                                                .tie_addend = tie_free ? set->tie_addend : 0};
    const sima_a65_dequant_kernel *const kernel = sima_a65_dequant_select(
        sima_a65_dequant_best_family(), tie_free ? SIMA_A65_DEQUANT_TO_BF16_TIEFREE : output,
        &params, (int64_t)count);
    kernel->run(inputs + (INPUTS - count) / 2, results, count, &operands);
    return hashed(hash, results, count * output_width(kernel->result));
}

typedef struct hashes {
    uint64_t by_definition;
    uint64_t by_kernel;
} hashes;

static void hash_lengths(hashes *const hash, const parameters *const set,
                         const sima_a65_dequant_output output)
{
    for (size_t length = 1; length <= HASH_LENGTHS; ++length) {
        const size_t count = length < HASH_LENGTHS ? length : INPUTS;
        hash->by_definition = hash_by_definition(hash->by_definition, &set->want, output, count);
        hash->by_kernel = hash_by_kernel(hash->by_kernel, set, output, count);
    }
}

static hashes hashes_of(const sima_a65_dequant_output output)
{
    const uint64_t basis = UINT64_C(0xcbf29ce484222325);
    hashes hash = {basis, basis};
    parameters set;
    for (size_t z = 0; z < HASH_ZERO_POINTS; ++z) {
        for (int s = 0; s < HASH_SCALES + HASH_POWERS; ++s) {
            set_parameters(&set, hash_zero_points[z],
                           s < HASH_SCALES ? hash_scales[s] : power_of_two(s - HASH_SCALES - 16));
            hash_lengths(&hash, &set, output);
        }
    }
    return hash;
}

static void check_hash_of(const sima_a65_dequant_output output, const uint64_t want,
                          const char *const what, tally *const count)
{
    const hashes hash = hashes_of(output);
    printf("%s: 0x%016" PRIx64 "\n", what, hash.by_kernel);
    count_one(count, hash.by_definition == want, "definition", (int64_t)hash.by_definition, 0);
    count_one(count, hash.by_kernel == want, what, (int64_t)hash.by_kernel, 0);
}

void check_hash(const slice of, tally *const count)
{
    (void)of;
    fill_inputs();
    check_hash_of(SIMA_A65_DEQUANT_TO_F32, HASH_OF_F32, "hash of FP32 results", count);
    check_hash_of(SIMA_A65_DEQUANT_TO_BF16, HASH_OF_BF16, "hash of BF16 results", count);
}
