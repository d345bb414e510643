/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Clauses N1 to N6, E2, F1, R1 to R5, R7 and R9 on every generated kernel: the dispatch tables are
 * walked, so a kernel that is added is tested without a line here.
 *
 * The product of all zero points, scales, inputs, lengths and alignments is too large to be run as
 * one loop. It is taken apart where a kernel cannot mix the factors: what an element becomes
 * depends on the values and on its place in a span, never on an address.
 */

#include "suites.h"

#include "control_word.h"
#include "cpu.h"
#include "harness.h"
#include "select.h"
#include "ties.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST = 80, KERNELS_MAX = 4096, SETS = 6 };

/* ---- the parameters to try ---- */

enum { ZERO_POINTS_MAX = 256, SCALES_MAX = 2048 };

/* Values, each with whether it meets all of the other parameter or only the chosen ones. */
typedef struct zero_point_list {
    int32_t value[ZERO_POINTS_MAX];
    bool broad[ZERO_POINTS_MAX];
    size_t count;
} zero_point_list;

typedef struct scale_list {
    uint32_t bits[SCALES_MAX];
    bool broad[SCALES_MAX];
    size_t count;
} scale_list;

static void add_zero_point(zero_point_list *const list, const int64_t value, const bool broad)
{
    if (value < INT32_MIN || value > INT32_MAX) {
        return;
    }
    for (size_t i = 0; i < list->count; ++i) {
        if (list->value[i] == value) {
            list->broad[i] = list->broad[i] || broad;
            return;
        }
    }
    ck_assert_uint_lt(list->count, ZERO_POINTS_MAX);
    list->value[list->count] = (int32_t)value;
    list->broad[list->count++] = broad;
}

static void add_scale(scale_list *const list, const int64_t bits, const bool broad)
{
    if (bits < 1 || bits > 0x7f7fffff) {
        return;
    }
    for (size_t i = 0; i < list->count; ++i) {
        if (list->bits[i] == bits) {
            list->broad[i] = list->broad[i] || broad;
            return;
        }
    }
    ck_assert_uint_lt(list->count, SCALES_MAX);
    list->bits[list->count] = (uint32_t)bits;
    list->broad[list->count++] = broad;
}

/* The borders of every class of every family, both sides of each, and random ones inside. */
static void add_class_borders(zero_point_list *const list, random_state *const random)
{
    for (size_t f = 0; f < sima_a65_dequant_family_count; ++f) {
        const sima_a65_dequant_family *const family = sima_a65_dequant_families[f];
        for (size_t z = 0; z < family->zero_point_count; ++z) {
            const int64_t low = family->zero_points[z].min;
            const int64_t high = family->zero_points[z].max;
            for (int64_t step = -1; step <= 1; ++step) {
                add_zero_point(list, low + step, false);
                add_zero_point(list, high + step, false);
            }
            for (int i = 0; i < 3; ++i) {
                const uint64_t size = (uint64_t)(high - low + 1);
                add_zero_point(list, low + (int64_t)(random_next(random) % size), false);
            }
        }
    }
}

static zero_point_list zero_points_to_try(void)
{
    /* One of each class, met by every scale. The first pair of large ones has a representable
     * bias, the second has not. */
    static const int32_t broad[] = {0,        -128,     5,       -77,      127,      128,
                                    16777217, 16777088, 8388481, 33554430, INT32_MIN};
    /* Where the conversion or the subtraction rounds, to both sides and on ties. */
    static const int32_t narrow[] = {
        1,          -1,        2,          -2,         -127,          126,           -123,
        -129,       1000,      -1000,      16777087,   16777089,      -16777088,     -16777089,
        -16777090,  16777215,  16777216,   16777218,   16777219,      -16777216,     -16777217,
        -16777219,  16777221,  33554431,   33554433,   33554434,      33554435,      33554438,
        -33554434,  -33554435, 67108863,   67108868,   67108876,      100000001,     8388480,
        8388479,    8388607,   8388608,    8388609,    -8388609,      -8388736,      2147483583,
        2147483584, INT32_MAX, 2147483455, 2147483456, INT32_MIN + 1, INT32_MIN + 64};
    random_state random = {test_seed};
    zero_point_list list = {.count = 0};
    for (size_t i = 0; i < sizeof broad / sizeof broad[0]; ++i) {
        add_zero_point(&list, broad[i], true);
    }
    for (size_t i = 0; i < sizeof narrow / sizeof narrow[0]; ++i) {
        add_zero_point(&list, narrow[i], false);
    }
    add_class_borders(&list, &random);
    return list;
}

/* Every power of two, subnormal ones included, and both neighbours of each. */
static void add_powers(scale_list *const list)
{
    for (int64_t shift = 0; shift < 23; ++shift) {
        for (int64_t step = -1; step <= 1; ++step) {
            add_scale(list, (INT64_C(1) << shift) + step, false);
        }
    }
    for (int64_t field = 1; field < 255; ++field) {
        for (int64_t step = -1; step <= 1; ++step) {
            add_scale(list, (field << 23) + step, false);
        }
    }
}

/* Scales that send one difference to a BF16 midpoint above an upper half of known parity, and those
 * a step beside them: some products round to the midpoint, as the contract's example does. */
static void add_midpoints(scale_list *const list)
{
    static const uint64_t kept[] = {128, 129, 170, 171, 254, 255};
    static const uint64_t differences[] = {1, 3, 7, 85, 127, 128, 133, 250, 255};
    for (size_t k = 0; k < sizeof kept / sizeof kept[0]; ++k) {
        for (size_t d = 0; d < sizeof differences / sizeof differences[0]; ++d) {
            uint64_t significand = ((2 * kept[k] + 1) << 39) / differences[d];
            while (significand >= UINT64_C(1) << 24) {
                significand >>= 1;
            }
            const int64_t bits = (INT64_C(125) << 23) + (int64_t)(significand & 0x7fffff);
            for (int64_t step = 0; step <= 1; ++step) {
                add_scale(list, bits + step, false);
            }
        }
    }
}

static scale_list scales_to_try(void)
{
    /* Met by every zero point: the ends of the range; nine significant bits, which times 1, 3, 5,
     * ... give BF16 midpoints of both parities; one that rounds to a midpoint; where the product
     * with 2^24 overflows; and plain ones. */
    static const uint32_t broad[] = {0x00000001, 0x00000002, 0x00008000, 0x00018000, 0x00400000,
                                     0x007fffff, 0x00800000, 0x00808000, 0x3f800000, 0x3f808000,
                                     0x3f818000, 0x3faa8000, 0x3fff8000, 0x4037ced9, 0x3dcccccd,
                                     0x3f2aaaab, 0x737fffff, 0x73800000, 0x6f800000, 0x6f800001,
                                     0x7f000000, 0x7f7fffff};
    random_state random = {test_seed ^ 0x5ca1e};
    scale_list list = {.count = 0};
    for (size_t i = 0; i < sizeof broad / sizeof broad[0]; ++i) {
        add_scale(&list, broad[i], true);
    }
    for (int64_t exponent = -12; exponent <= 12; ++exponent) {
        add_scale(&list, (exponent + 127) << 23, true);
    }
    add_powers(&list);
    add_midpoints(&list);
    for (int i = 0; i < 60; ++i) {
        add_scale(&list, random_below(&random, 0x7f800000), false);
    }
    return list;
}

/* ---- one kernel under one pair of parameters ---- */

/* A pair with its results, worked out once for all kernels. */
typedef struct parameters {
    sima_dequant_params params;
    uint32_t scale_bits;
    expected table;
    bool tie_free; /* what preparation would prove, and the addend it would hand on */
    uint32_t tie_addend;
} parameters;

static void parameters_fill(parameters *const set, const int32_t zero_point,
                            const uint32_t scale_bits)
{
    set->params = (sima_dequant_params){float_from_bits(scale_bits), zero_point};
    set->scale_bits = scale_bits;
    expected_fill(&set->table, zero_point, scale_bits);
    set->tie_addend = 0;
    set->tie_free = sima_a65_dequant_prove_tie_free(&set->params, &set->tie_addend);
}

/* Whether the pair lies in the kernel's declared domain. */
static bool holds(const sima_a65_dequant_kernel *const kernel, const parameters *const set)
{
    const int32_t zero_point = set->params.zero_point;
    return zero_point >= kernel->zero_point_min && zero_point <= kernel->zero_point_max &&
           (!kernel->biased || sima_a65_dequant_has_bias(zero_point)) &&
           set->scale_bits >= kernel->scale_min && set->scale_bits <= kernel->scale_max &&
           (!kernel->power_of_two || (set->scale_bits & 0x7fffff) == 0) &&
           (kernel->result != SIMA_A65_DEQUANT_BF16_TIEFREE || set->tie_free);
}

static sima_a65_dequant_operands operands_of(const sima_a65_dequant_kernel *const kernel,
                                             const parameters *const set)
{
    const bool tie_free = kernel->result == SIMA_A65_DEQUANT_BF16_TIEFREE;
    return (sima_a65_dequant_operands){set->params.scale, set->params.zero_point,
                                       tie_free ? set->tie_addend : 0};
}

/* How a kernel is called: which elements, and where they lie. */
typedef struct situation {
    size_t count;
    size_t first;
    placement place;
    size_t input_offset;
    size_t output_offset;
} situation;

static void check_call(const harness watch, const sima_a65_dequant_kernel *const kernel,
                       const parameters *const set, const situation at)
{
    static const char *const places[] = {"at end", "at start", "at an offset"};
    const sima_a65_dequant_operands operands = operands_of(kernel, set);
    const verdict outcome =
        harness_call(watch, kernel->run, kernel->result, &operands, &set->table, at.count, at.first,
                     at.place, at.input_offset, at.output_offset);
    if (outcome != VERDICT_OK) {
        ck_abort_msg("%s: %s: zero point %d, scale 0x%08x, %zu elements from %zu, %s %zu %zu",
                     kernel->name, verdict_name(outcome), (int)set->params.zero_point,
                     (unsigned)set->scale_bits, at.count, at.first, places[at.place],
                     at.input_offset, at.output_offset);
    }
}

/* ---- every kernel is exercised, and the manifest says how many there are ---- */

/* What happened to each kernel of a family. */
typedef struct tally {
    size_t checks[KERNELS_MAX];
} tally;

/* Whether a line of the manifest names the kernel. */
static bool manifest_names(FILE *const manifest, const char *const name)
{
    char line[1024];
    char wanted[128];
    snprintf(wanted, sizeof wanted, "\"name\": \"%s\"", name);
    rewind(manifest);
    while (fgets(line, sizeof line, manifest) != NULL) {
        if (strstr(line, wanted) != NULL) {
            return true;
        }
    }
    return false;
}

/* Lines of the manifest that name a kernel for spans of an instruction set. */
static size_t count_in_manifest(FILE *const manifest, const char *const isa)
{
    char line[1024];
    char wanted[64];
    size_t count = 0;
    snprintf(wanted, sizeof wanted, "\"name\": \"sima_dequant_%s_", isa);
    rewind(manifest);
    while (fgets(line, sizeof line, manifest) != NULL) {
        count += strstr(line, wanted) != NULL && strstr(line, "\"tail\": ") != NULL;
    }
    return count;
}

/* The kernels that were exercised are those of the manifest, by name and by number. */
static void check_tally(const sima_a65_dequant_family *const family, const tally *const done,
                        const char *const what)
{
    size_t exercised = 0;
    size_t checks = 0;
    FILE *const manifest = fopen(SIMA_MANIFEST_PATH, "r");
    ck_assert_ptr_nonnull(manifest);
    for (size_t i = 0; i < family->kernel_count; ++i) {
        const char *const name = family->kernels[i].name;
        ck_assert_msg(done->checks[i] > 0, "%s: never exercised for its %s", name, what);
        ck_assert_msg(manifest_names(manifest, name), "%s: not in the manifest", name);
        checks += done->checks[i];
        ++exercised;
    }
    const size_t listed = count_in_manifest(manifest, family->isa);
    fclose(manifest);
    printf("%s: %zu of %zu %s kernels, %zu checks\n", what, exercised, listed, family->isa, checks);
    ck_assert_uint_gt(exercised, 0);
    ck_assert_uint_eq(exercised, listed);
}

/* Whether a family's kernels can be called here. The program's last lines say which were not. */
static bool can_run(const sima_a65_dequant_family *const family)
{
    if (!sima_a65_dequant_runs_here(family)) {
        printf("%s: not called: this machine does not run it\n", family->isa);
        return false;
    }
    return true;
}

typedef void kernel_check(harness watch, const sima_a65_dequant_kernel *kernel,
                          const parameters *set);

/* Runs a check on every kernel whose domain holds the parameters. */
static void for_kernels_of(const harness watch, const sima_a65_dequant_family *const family,
                           const parameters *const set, kernel_check *const check,
                           tally *const done)
{
    ck_assert_uint_le(family->kernel_count, KERNELS_MAX);
    for (size_t i = 0; i < family->kernel_count; ++i) {
        if (holds(&family->kernels[i], set)) {
            check(watch, &family->kernels[i], set);
            ++done->checks[i];
        }
    }
}

/* ---- values: all 256 inputs under every pair ---- */

/* The longest span of a kernel that fits one cycle of the 256 inputs. */
static size_t longest_cycle(const sima_a65_dequant_kernel *const kernel)
{
    const size_t most = kernel->count_max < 256 ? kernel->count_max : 256;
    return most / kernel->count_step * kernel->count_step;
}

/* All 256 inputs, in as many spans as the kernel needs; where it takes remainders, also one that
 * ends in one. */
static void check_values(const harness watch, const sima_a65_dequant_kernel *const kernel,
                         const parameters *const set)
{
    const size_t count = longest_cycle(kernel);
    for (size_t first = 0; first < 256; first += count) {
        check_call(watch, kernel, set, (situation){count, first, PLACE_AT_END, 0, 0});
    }
    if (kernel->count_step == 1 && count == 256) {
        check_call(watch, kernel, set, (situation){251, 5, PLACE_AT_START, 0, 0});
    }
}

/* How many results of a pair lie halfway between two BF16 words, by the lower one's parity. */
static void count_midpoints(const expected *const table, size_t midpoints[2])
{
    for (size_t i = 0; i < 256; ++i) {
        if ((table->f32[i] & 0xffff) == 0x8000) {
            ++midpoints[(table->f32[i] >> 16) & 1];
        }
    }
}

static bool is_subnormal(const uint32_t bits)
{
    return (bits & 0x7f800000) == 0 && (bits & 0x007fffff) != 0;
}

/* What the pairs led to, so that a list that lost its point is noticed. */
typedef struct coverage {
    size_t pairs;
    size_t midpoints[2];
    size_t subnormals;
    size_t infinities;
    size_t negative_zeros;
} coverage;

static void coverage_add(coverage *const seen, const expected *const table)
{
    ++seen->pairs;
    count_midpoints(table, seen->midpoints);
    for (size_t i = 0; i < 256; ++i) {
        seen->subnormals += is_subnormal(table->f32[i]);
        seen->infinities += (table->f32[i] & 0x7fffffff) == 0x7f800000;
        seen->negative_zeros += table->bf16[i] == 0x8000;
    }
}

START_TEST(every_kernel_gives_the_reference_for_all_inputs)
{
    static tally done;
    static parameters set;
    const sima_a65_dequant_family *const family = sima_a65_dequant_families[_i];
    if (!can_run(family)) {
        return;
    }
    const zero_point_list zero_points = zero_points_to_try();
    const scale_list scales = scales_to_try();
    const harness watch = harness_open();
    coverage seen = {0};
    for (size_t z = 0; z < zero_points.count; ++z) {
        for (size_t s = 0; s < scales.count; ++s) {
            if (zero_points.broad[z] || scales.broad[s]) {
                parameters_fill(&set, zero_points.value[z], scales.bits[s]);
                coverage_add(&seen, &set.table);
                for_kernels_of(watch, family, &set, check_values, &done);
            }
        }
    }
    harness_close(watch);
    printf("%zu zero points, %zu scales, %zu pairs; results: %zu and %zu midpoints over even and "
           "odd, %zu subnormal, %zu infinite, %zu BF16 -0\n",
           zero_points.count, scales.count, seen.pairs, seen.midpoints[0], seen.midpoints[1],
           seen.subnormals, seen.infinities, seen.negative_zeros);
    ck_assert(seen.midpoints[0] > 0 && seen.midpoints[1] > 0 && seen.subnormals > 0 &&
              seen.infinities > 0 && seen.negative_zeros > 0);
    check_tally(family, &done, "values");
}
END_TEST

/* ---- places: all lengths, alignments and page ends ---- */

static bool admits(const sima_a65_dequant_kernel *const kernel, const size_t count)
{
    return count >= kernel->count_min && count <= kernel->count_max &&
           count % kernel->count_step == 0;
}

/* A few pairs that a kernel's domain holds: those that differ most come first in the lists. */
static size_t sets_of(const sima_a65_dequant_kernel *const kernel, parameters sets[SETS])
{
    const int32_t zero_points[] = {3,
                                   0,
                                   128,
                                   -128,
                                   16777217,
                                   33554430,
                                   -16777089,
                                   INT32_MIN,
                                   16777088,
                                   8388481,
                                   kernel->zero_point_min,
                                   kernel->zero_point_max};
    static const uint32_t scales[] = {0x3dcccccd, 0x4037ced9, 0x00000003, 0x3f818000, 0x7f7fffff};
    size_t count = 0;
    for (size_t z = 0; z < sizeof zero_points / sizeof zero_points[0]; ++z) {
        for (size_t s = 0; s < 1 + sizeof scales / sizeof scales[0]; ++s) {
            const uint32_t bits = s == 0 ? kernel->scale_min : scales[s - 1];
            if (count == SETS) {
                return count;
            }
            parameters_fill(&sets[count], zero_points[z], bits);
            count += holds(kernel, &sets[count]);
        }
    }
    return count;
}

/* One length at every alignment of both buffers to 16 bytes, and against all guard pages. Another
 * pair of parameters each time. */
static size_t check_length(const harness watch, const sima_a65_dequant_kernel *const kernel,
                           const parameters *const sets, const size_t set_count, const size_t count)
{
    const size_t width = output_width(kernel->result);
    const size_t first = count * 7; /* other values at each length */
    size_t calls = 0;
    for (int place = PLACE_AT_END; place <= PLACE_AT_START; ++place) {
        check_call(watch, kernel, &sets[(count + calls++) % set_count],
                   (situation){count, first, (placement)place, 0, 0});
    }
    for (size_t input = 0; input < 16; ++input) {
        for (size_t output = 0; output < 16; output += width) {
            check_call(watch, kernel, &sets[(count + calls++) % set_count],
                       (situation){count, first, PLACE_AT_OFFSET, 64 + input, 64 + output});
        }
    }
    return calls;
}

/* The longest span to try: kernels that begin late get as many lengths. */
static size_t longest_of(const sima_a65_dequant_kernel *const kernel)
{
    return kernel->count_min > SIMA_A65_DEQUANT_BLOCK ? LONGEST + 2 * kernel->count_min : LONGEST;
}

/* Lengths up to the longest that a kernel declares. */
static size_t lengths_declared(const sima_a65_dequant_kernel *const kernel)
{
    const size_t longest = longest_of(kernel);
    const size_t last = kernel->count_max < longest ? kernel->count_max : longest;
    const size_t step = kernel->count_step;
    return last / step - (kernel->count_min + step - 1) / step + 1;
}

START_TEST(every_kernel_at_every_length_and_alignment)
{
    static tally done;
    static parameters sets[SETS];
    const sima_a65_dequant_family *const family = sima_a65_dequant_families[_i];
    if (!can_run(family)) {
        return;
    }
    const harness watch = harness_open();
    ck_assert_uint_le(family->kernel_count, KERNELS_MAX);
    for (size_t i = 0; i < family->kernel_count; ++i) {
        const sima_a65_dequant_kernel *const kernel = &family->kernels[i];
        const size_t set_count = sets_of(kernel, sets);
        size_t lengths = 0;
        ck_assert_msg(set_count > 0, "%s: no parameters found", kernel->name);
        for (size_t count = 0; count <= longest_of(kernel); ++count) {
            if (admits(kernel, count)) {
                done.checks[i] += check_length(watch, kernel, sets, set_count, count);
                ++lengths;
            }
        }
        ck_assert_uint_eq(lengths, lengths_declared(kernel));
    }
    harness_close(watch);
    check_tally(family, &done, "lengths");
}
END_TEST

/* Long enough for every way to begin whole blocks with a cache line, and ragged. */
START_TEST(every_kernel_at_every_place_in_a_cache_line)
{
    static const size_t counts[] = {64, 81, 256, 261, 272, 333, 400};
    static parameters sets[SETS];
    const sima_a65_dequant_family *const family = sima_a65_dequant_families[_i];
    if (!can_run(family)) {
        return;
    }
    const harness watch = harness_open();
    size_t calls = 0;
    for (size_t i = 0; i < family->kernel_count; ++i) {
        const sima_a65_dequant_kernel *const kernel = &family->kernels[i];
        const size_t set_count = sets_of(kernel, sets);
        const size_t width = output_width(kernel->result);
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; ++c) {
            if (!admits(kernel, counts[c])) {
                continue;
            }
            for (size_t output = 0; output < 64; output += width, ++calls) {
                check_call(
                    watch, kernel, &sets[calls % set_count],
                    (situation){counts[c], calls, PLACE_AT_OFFSET, 64 + calls % 64, 64 + output});
            }
            for (int place = PLACE_AT_END; place <= PLACE_AT_START; ++place) {
                check_call(watch, kernel, &sets[calls % set_count],
                           (situation){counts[c], calls, (placement)place, 0, 0});
            }
        }
    }
    harness_close(watch);
    printf("%s: %zu places in a cache line\n", family->isa, calls);
    ck_assert_uint_gt(calls, 0);
}
END_TEST

/* Together the kernels of each cell of the dispatch table take every length from 1 on. */
START_TEST(r7_every_length_has_a_kernel)
{
    const sima_a65_dequant_family *const family = sima_a65_dequant_families[_i];
    const size_t rows = SIMA_A65_DEQUANT_OUTPUTS * family->zero_point_count * family->scale_count;
    for (size_t row = 0; row < rows; ++row) {
        for (size_t count = 1; count <= 20000; count += count < 2 * LONGEST ? 1 : 61) {
            const sima_a65_dequant_length length = sima_a65_dequant_length_of((int64_t)count);
            const size_t index = family->rows[row].kernel[length];
            const size_t streamed = family->rows[row].kernel[SIMA_A65_DEQUANT_STREAM];
            ck_assert_int_ge(length, SIMA_A65_DEQUANT_SHORT);
            ck_assert_int_lt(length, SIMA_A65_DEQUANT_STREAM);
            if (index >= family->kernel_count || !admits(&family->kernels[index], count)) {
                ck_abort_msg("%s: row %zu, %zu elements", family->isa, row, count);
            }
            if (count >= SIMA_A65_DEQUANT_LONG_BLOCK &&
                (streamed >= family->kernel_count || !admits(&family->kernels[streamed], count))) {
                ck_abort_msg("%s: row %zu, %zu elements streamed", family->isa, row, count);
            }
        }
    }
}
END_TEST

/* ---- modes ---- */

/* Lengths that take each way through a kernel. */
static void check_in_mode(const harness watch, const sima_a65_dequant_kernel *const kernel,
                          const parameters *const set)
{
    const size_t count = longest_cycle(kernel);
    for (size_t first = 0; first < 256; first += count) {
        check_call(watch, kernel, set, (situation){count, first, PLACE_AT_END, 0, 0});
    }
}

/* Modes that execution admits although they are not the usual one. */
START_TEST(f1_no_kernel_minds_a_mode_that_is_admitted)
{
    static const uint64_t harmless[] = CONTROL_WORD_HARMLESS;
    static tally done;
    static parameters sets[SETS];
    const sima_a65_dequant_family *const family = sima_a65_dequant_families[_i];
    if (!can_run(family)) {
        return;
    }
    const harness watch = harness_open();
    const uint64_t usual = control_word_read();
    size_t modes = 0;
    for (size_t m = 0; m < sizeof harmless / sizeof harmless[0]; ++m) {
        if (!control_word_holds(usual | harmless[m])) {
            printf("this machine does not let one set 0x%llx\n", (unsigned long long)harmless[m]);
            continue;
        }
        ++modes;
        for (size_t i = 0; i < family->kernel_count; ++i) {
            const size_t set_count = sets_of(&family->kernels[i], sets);
            control_word_write(usual | harmless[m]);
            for (size_t s = 0; s < set_count; ++s, ++done.checks[i]) {
                check_in_mode(watch, &family->kernels[i], &sets[s]);
            }
            control_word_write(usual);
        }
    }
    harness_close(watch);
    printf("admitted modes tried: %zu of %zu\n", modes, sizeof harmless / sizeof harmless[0]);
    ck_assert_uint_gt(modes, 0);
    check_tally(family, &done, "modes");
}
END_TEST

START_TEST(names_are_unique_and_spell_the_instruction_set)
{
    char prefix[64];
    const sima_a65_dequant_family *const family = sima_a65_dequant_families[_i];
    snprintf(prefix, sizeof prefix, "sima_dequant_%s_", family->isa);
    for (size_t i = 0; i < family->kernel_count; ++i) {
        const char *const name = family->kernels[i].name;
        ck_assert_int_eq(strncmp(name, prefix, strlen(prefix)), 0);
        for (size_t other = 0; other < i; ++other) {
            ck_assert_msg(strcmp(name, family->kernels[other].name) != 0, "%s", name);
        }
    }
}
END_TEST

Suite *kernels_suite(void)
{
    Suite *const suite = suite_create("kernels");
    TCase *const tests = new_case(suite, "kernels");
    const int families = (int)sima_a65_dequant_family_count;
    tcase_add_loop_test(tests, every_kernel_gives_the_reference_for_all_inputs, 0, families);
    tcase_add_loop_test(tests, every_kernel_at_every_length_and_alignment, 0, families);
    tcase_add_loop_test(tests, every_kernel_at_every_place_in_a_cache_line, 0, families);
    tcase_add_loop_test(tests, f1_no_kernel_minds_a_mode_that_is_admitted, 0, families);
    tcase_add_loop_test(tests, r7_every_length_has_a_kernel, 0, families);
    tcase_add_loop_test(tests, names_are_unique_and_spell_the_instruction_set, 0, families);
    return suite;
}
