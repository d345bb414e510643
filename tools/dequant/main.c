/* SPDX-License-Identifier: Apache-2.0 */

/* The dequant command: options, messages and exit codes. */

#define _POSIX_C_SOURCE 200809L
#include "complain.h"
#include "stream.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the tool writes <f4 and <u2 as the machine holds them: little-endian machines only"
#endif

enum { EXIT_USAGE = 2 };

static const char help[] =
    "usage: dequant --scale S [options] IN.npy OUT.npy\n"
    "       dequant --scales S.npy [options] IN.npy OUT.npy\n"
    "\n"
    "Turns an INT8 array into FP32 or BF16: (float(x) - float(zero point)) * scale, each step\n"
    "rounded to nearest even.\n"
    "\n"
    "  --scale S        the scale: finite, above zero, decimal (0.1) or hexadecimal (0x1p-4);\n"
    "                   rounded to the nearest binary32\n"
    "  --scales S.npy   one scale for each index of the first axis: one axis, type <f4\n"
    "                   (NumPy's default is <f8: save scales.astype('<f4'))\n"
    "  --zero-point Z   -2147483648 to 2147483647; 0 if not given\n"
    "  --output f32     results are <f4 (the default)\n"
    "  --output bf16    results are the 16-bit BF16 words, stored as <u2 since NumPy has no BF16;\n"
    "                   (a.astype('<u4') << 16).view('<f4') turns them into FP32\n"
    "  --explain        print required bytes, kernels, spans, times and throughput\n"
    "  -h, --help; --version\n"
    "\n"
    "IN.npy holds INT8 of up to 6 axes, in C or Fortran order; Fortran order is read where it\n"
    "lies. OUT.npy is in C order; it appears when complete, or not at all, and replaces a file of\n"
    "that name, IN.npy included. Both are regular files: no pipes, and no link for OUT.npy. "
    "Neither\n"
    "need fit in memory. Where stderr is a terminal, it shows the progress and the throughput.\n"
    "Exit status: 0 done, 1 a file refused or failed, 2 wrong usage, a scale that is not admitted\n"
    "included.\n";

typedef struct options {
    const char *scale;
    const char *scales;
    const char *zero_point;
    const char *output;
    const char *in;
    const char *out;
    bool explain;
} options;

/* What was printed must have arrived: a full disk shows when the buffer is flushed. */
static int finish_printing(void)
{
    return fflush(stdout) == 0 && !ferror(stdout)
               ? EXIT_SUCCESS
               : complain(EXIT_FAILURE, "standard output: %s", strerror(errno));
}

/* ---- options ---- */

enum {
    OPTION_SCALE = 256,
    OPTION_SCALES,
    OPTION_ZERO_POINT,
    OPTION_OUTPUT,
    OPTION_EXPLAIN,
    OPTION_HELP,
    OPTION_VERSION
};

static const struct option long_options[] = {
    {"scale", required_argument, NULL, OPTION_SCALE},
    {"scales", required_argument, NULL, OPTION_SCALES},
    {"zero-point", required_argument, NULL, OPTION_ZERO_POINT},
    {"output", required_argument, NULL, OPTION_OUTPUT},
    {"explain", no_argument, NULL, OPTION_EXPLAIN},
    {"help", no_argument, NULL, OPTION_HELP},
    {"version", no_argument, NULL, OPTION_VERSION},
    {NULL, 0, NULL, 0},
};

/* A letter among others in one argument is told by the letter alone: the argument is not over. */
static int complain_of_option(const char *const argument)
{
    return optopt > 0 && optopt < OPTION_SCALE
               ? complain(EXIT_USAGE, "there is no option -%c; see dequant --help", optopt)
               : complain(EXIT_USAGE,
                          "'%s' is no option, is short for more than one, or takes no value; "
                          "see dequant --help",
                          argument);
}

/* Answers --help and --version; -1 where there is work to do. */
static int read_options(const int argc, char **const argv, options *const chosen)
{
    *chosen = (options){.zero_point = "0", .output = "f32"};
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, ":h", long_options, NULL)) != -1;) {
        switch (option) {
        case OPTION_SCALE:
            chosen->scale = optarg;
            break;
        case OPTION_SCALES:
            chosen->scales = optarg;
            break;
        case OPTION_ZERO_POINT:
            chosen->zero_point = optarg;
            break;
        case OPTION_OUTPUT:
            chosen->output = optarg;
            break;
        case OPTION_EXPLAIN:
            chosen->explain = true;
            break;
        case OPTION_HELP:
        case 'h':
            fputs(help, stdout);
            return finish_printing();
        case OPTION_VERSION:
            puts("dequant " DEQUANT_VERSION);
            return finish_printing();
        case ':':
            return complain(EXIT_USAGE, "%s lacks its value; see dequant --help", argv[optind - 1]);
        default:
            return complain_of_option(argv[optind - 1]);
        }
    }
    if (argc - optind != 2) {
        return complain(EXIT_USAGE,
                        "wants exactly two files, IN.npy and OUT.npy, and got %d; see "
                        "dequant --help",
                        argc - optind);
    }
    if ((chosen->scale == NULL) == (chosen->scales == NULL)) {
        return complain(EXIT_USAGE,
                        "wants exactly one of --scale and --scales, and got %s; see dequant --help",
                        chosen->scale == NULL ? "neither" : "both");
    }
    chosen->in = argv[optind];
    chosen->out = argv[optind + 1];
    if (strcmp(chosen->in, "-") == 0 || strcmp(chosen->out, "-") == 0) {
        return complain(EXIT_USAGE, "reads and writes regular files only; '-' as a file's name is "
                                    "written ./-");
    }
    return -1;
}

static bool starts_as_number(const char *const text)
{
    return text[0] != '\0' && !isspace((unsigned char)text[0]);
}

/* What is no number of this type is refused here; what is no admitted scale, by the library. */
static bool read_scale(const char *const text, float *const scale, char *const why)
{
    char *end;
    errno = 0;
    *scale = strtof(text, &end);
    if (!starts_as_number(text) || *end != '\0') {
        snprintf(why, WHY_SIZE, "is not a number; write 0.1 or 0x1p-4");
        return false;
    }
    /* strtof() tells overflow by infinity and underflow by zero or an inexact subnormal. */
    if (errno == ERANGE && (*scale > 1.0f || *scale < -1.0f)) {
        snprintf(why, WHY_SIZE, "is beyond the largest binary32, 0x1.fffffep127");
        return false;
    }
    if (errno == ERANGE && *scale == 0.0f) {
        snprintf(why, WHY_SIZE, "is below the smallest binary32, 0x1p-149");
        return false;
    }
    sima_error error;
    if (!admit_scale(*scale, &error)) {
        snprintf(why, WHY_SIZE, "is refused: %s", error.message);
        return false;
    }
    return true;
}

static bool read_zero_point(const char *const text, int32_t *const zero_point)
{
    char *end;
    errno = 0;
    const long long value = strtoll(text, &end, 10);
    if (!starts_as_number(text) || *end != '\0' || errno != 0 || value < INT32_MIN ||
        value > INT32_MAX) {
        return false;
    }
    *zero_point = (int32_t)value;
    return true;
}

static bool read_output(const char *const text, sima_dtype *const output)
{
    *output = strcmp(text, "f32") == 0    ? SIMA_DTYPE_FLOAT32
              : strcmp(text, "bf16") == 0 ? SIMA_DTYPE_BFLOAT16
                                          : SIMA_DTYPE_INVALID;
    return *output != SIMA_DTYPE_INVALID;
}

/* ---- the work ---- */

static bool check_scales_shape(const npy_array *const input, const npy_file *const scales)
{
    const npy_array *const found = &scales->array;
    if (input->rank == 0) {
        complain(EXIT_FAILURE, "%s: the input is a scalar, which has no first axis; use --scale",
                 scales->path);
        return false;
    }
    if (found->rank != 1) {
        complain(EXIT_FAILURE, "%s: has %" PRId32 " axes; scales have one: save scales.reshape(-1)",
                 scales->path, found->rank);
        return false;
    }
    if (input->extent[0] != found->extent[0]) {
        complain(EXIT_FAILURE, "%s: holds %" PRId64 " scales; the input's first axis has %" PRId64,
                 scales->path, found->extent[0], input->extent[0]);
        return false;
    }
    return true;
}

static const char *ending(const int64_t count)
{
    return count == 1 ? "" : "s";
}

static void print_shape(const npy_array *const array)
{
    putchar('(');
    for (int32_t axis = 0; axis < array->rank; ++axis) {
        printf("%s%" PRId64, axis == 0 ? "" : ", ", array->extent[axis]);
    }
    printf("%s)", array->rank == 1 ? "," : "");
}

static void explain_plan(const explanation *const explained)
{
    printf("input      %zu bytes required, alignment %zu\n", explained->input_bytes,
           explained->input_alignment);
    printf("output     %zu bytes required, alignment %zu\n", explained->output_bytes,
           explained->output_alignment);
    printf("spans      %" PRId64 " span%s of %" PRId64 " element%s\n", explained->spans,
           ending(explained->spans), explained->elements, ending(explained->elements));
    printf("dense      %s\n", explained->dense ? "yes" : "no");
}

static void explain_work(const explanation *const explained)
{
    printf("pieces     %" PRId64 " in memory, one after the other, of at most %" PRId64
           " element%s\n",
           explained->pieces, explained->piece_elements, ending(explained->piece_elements));
    for (int i = 0; i < explained->kernels; ++i) {
        printf("kernel     %s, %" PRId64 " call%s\n", explained->kernel[i],
               explained->kernel_calls[i], ending(explained->kernel_calls[i]));
    }
    if (explained->other_calls > 0) {
        printf("kernel     others, %" PRId64 " call%s\n", explained->other_calls,
               ending(explained->other_calls));
    }
    printf("time       %.3f ms in the numerical calls, %.3f ms in all\n",
           explained->numerical * 1e3, explained->whole * 1e3);
    if (explained->whole > 0) {
        printf("rate       %.1f MB/s read and written\n",
               explained->bytes * 1e-6 / explained->whole);
    }
}

static int explain(const explanation *const explained, const npy_array *const array,
                   const bool per_row)
{
    fputs("shape      ", stdout);
    print_shape(array);
    printf(" in %s order\n", array->fortran_order ? "Fortran" : "C");
    printf("plan       %s:\n",
           per_row ? "for each index of the first axis one; each" : "one for the whole array");
    explain_plan(explained);
    explain_work(explained);
    return finish_printing();
}

static int run(const options *const chosen, npy_file *const input, npy_file *const scales)
{
    job work = {.input = input, .out = chosen->out, .scale = 1.0f};
    char why[WHY_SIZE];
    if (!read_zero_point(chosen->zero_point, &work.zero_point)) {
        return complain(EXIT_USAGE, "--zero-point '%s' is not an integer of 32 bits",
                        chosen->zero_point);
    }
    if (!read_output(chosen->output, &work.output)) {
        return complain(EXIT_USAGE, "--output '%s' is neither f32 nor bf16", chosen->output);
    }
    if (chosen->scale != NULL && !read_scale(chosen->scale, &work.scale, why)) {
        return complain(EXIT_USAGE, "--scale '%s' %s", chosen->scale, why);
    }
    if (!open_npy(chosen->in, NPY_INPUT, input)) {
        return EXIT_FAILURE;
    }
    if (chosen->scales != NULL) {
        if (!open_npy(chosen->scales, NPY_SCALES, scales) ||
            !check_scales_shape(&input->array, scales)) {
            return EXIT_FAILURE;
        }
        work.scales = scales;
    }
    explanation explained;
    if (!stream(&work, &explained)) {
        return EXIT_FAILURE;
    }
    return chosen->explain ? explain(&explained, &input->array, work.scales != NULL) : EXIT_SUCCESS;
}

int main(const int argc, char **const argv)
{
    options chosen;
    const int answered = read_options(argc, argv, &chosen);
    if (answered != -1) {
        return answered;
    }
    npy_file input = {.file.descriptor = -1};
    npy_file scales = {.file.descriptor = -1};
    const int code = run(&chosen, &input, &scales);
    close_input(&input.file);
    close_input(&scales.file);
    return code;
}
