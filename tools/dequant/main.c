/* SPDX-License-Identifier: Apache-2.0 */

/* The dequant command: options, messages and exit codes. */

#define _POSIX_C_SOURCE 200809L
#include "convert.h"
#include "files.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
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
    "  --explain        print required bytes, kernels, spans and the time of the numerical calls\n"
    "  --help, --version\n"
    "\n"
    "IN.npy holds INT8 of up to 6 axes, in C or Fortran order; Fortran order is read where it\n"
    "lies. OUT.npy is in C order; it appears when complete, or not at all, and replaces a file of\n"
    "that name, IN.npy included. Both are regular files: no pipes, and no link for OUT.npy.\n"
    "Exit status: 0 done, 1 refused or failed, 2 wrong usage.\n";

typedef struct options {
    const char *scale;
    const char *scales;
    const char *zero_point;
    const char *output;
    const char *in;
    const char *out;
    bool explain;
} options;

/* One line on stderr, whatever a file's name or an argument holds. */
static int complain(const int code, const char *const format, ...)
{
    char line[8192];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    for (char *at = line; *at != '\0'; ++at) {
        if (iscntrl((unsigned char)*at)) {
            *at = '?';
        }
    }
    fprintf(stderr, "dequant: %s\n", line);
    return code;
}

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

/* Answers --help and --version; -1 where there is work to do. */
static int read_options(const int argc, char **const argv, options *const chosen)
{
    *chosen = (options){.zero_point = "0", .output = "f32"};
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, "", long_options, NULL)) != -1;) {
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
            fputs(help, stdout);
            return finish_printing();
        case OPTION_VERSION:
            puts("dequant " DEQUANT_VERSION);
            return finish_printing();
        default:
            return complain(EXIT_USAGE, "'%s' is unknown or lacks its value; see dequant --help",
                            argv[optind - 1]);
        }
    }
    if (argc - optind != 2) {
        return complain(EXIT_USAGE, "wants IN.npy and OUT.npy; see dequant --help");
    }
    if ((chosen->scale == NULL) == (chosen->scales == NULL)) {
        return complain(EXIT_USAGE, "wants one of --scale and --scales; see dequant --help");
    }
    chosen->in = argv[optind];
    chosen->out = argv[optind + 1];
    return -1;
}

static bool starts_as_number(const char *const text)
{
    return text[0] != '\0' && !isspace((unsigned char)text[0]);
}

/* What is no number at all is refused here; what is no admitted scale, by the library. */
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

/* ---- files ---- */

/* A file and the array in it. */
typedef struct loaded {
    unsigned char *file;
    npy_array array;
} loaded;

static bool load(const char *const path, const npy_role role, loaded *const what)
{
    char why[WHY_SIZE];
    size_t size;
    if (!read_file(path, &what->file, &size, why) ||
        !npy_parse(what->file, size, role, &what->array, why)) {
        complain(EXIT_FAILURE, "%s: %s", path, why);
        return false;
    }
    return true;
}

static bool load_scales(const char *const path, const loaded *const input, loaded *const scales)
{
    if (!load(path, NPY_SCALES, scales)) {
        return false;
    }
    if (scales->array.rank != 1) {
        complain(EXIT_FAILURE, "%s: has %" PRId32 " axes; scales have one: save scales.ravel()",
                 path, scales->array.rank);
        return false;
    }
    if (input->array.rank == 0) {
        complain(EXIT_FAILURE, "%s: the input is a scalar, which has no first axis; use --scale",
                 path);
        return false;
    }
    if (input->array.extent[0] != scales->array.extent[0]) {
        complain(EXIT_FAILURE, "%s: holds %" PRId64 " scales; the input's first axis has %" PRId64,
                 path, scales->array.extent[0], input->array.extent[0]);
        return false;
    }
    return true;
}

/* ---- the work ---- */

static void print_shape(const npy_array *const array)
{
    putchar('(');
    for (int32_t axis = 0; axis < array->rank; ++axis) {
        printf("%s%" PRId64, axis == 0 ? "" : ", ", array->extent[axis]);
    }
    printf("%s)", array->rank == 1 ? "," : "");
}

static void explain(const explanation *const explained, const npy_array *const array)
{
    fputs("shape      ", stdout);
    print_shape(array);
    printf(" in %s order\n", array->fortran_order ? "Fortran" : "C");
    printf("plans      %" PRId64 "%s\n", explained->plans,
           explained->plans == 1 ? "" : ", one for each index of the first axis; each:");
    printf("input      %zu bytes required, alignment %zu\n", explained->input_bytes,
           explained->input_alignment);
    printf("output     %zu bytes required, alignment %zu\n", explained->output_bytes,
           explained->output_alignment);
    printf("spans      %" PRId64 " of %" PRId64 " elements\n", explained->spans,
           explained->elements);
    printf("dense      %s\n", explained->dense ? "yes" : "no");
    for (int i = 0; i < explained->kernels; ++i) {
        printf("kernel     %s, %" PRId64 " plan%s\n", explained->kernel[i],
               explained->kernel_plans[i], explained->kernel_plans[i] == 1 ? "" : "s");
    }
    if (explained->other_plans > 0) {
        printf("kernel     others, %" PRId64 " plans\n", explained->other_plans);
    }
    printf("time       %.3f ms in the numerical calls\n", explained->seconds * 1e3);
}

/* Converts in memory, then writes. */
static int convert_and_write(const options *const chosen, const conversion *const wanted)
{
    const size_t width = wanted->output == SIMA_DTYPE_FLOAT32 ? 4 : 2;
    const size_t elements = (size_t)wanted->array->elements;
    if (elements > (size_t)PTRDIFF_MAX / width) {
        return complain(EXIT_FAILURE, "%s: the result does not fit a size", chosen->in);
    }
    void *const output = malloc(elements * width + 1);
    if (output == NULL) {
        return complain(EXIT_FAILURE, "%s: the result does not fit in memory", chosen->in);
    }
    explanation explained;
    sima_error error;
    char why[WHY_SIZE];
    char header[NPY_HEADER_SIZE];
    npy_array result = *wanted->array;
    memcpy(result.descr, width == 4 ? "<f4" : "<u2", sizeof "<f4");
    int code = EXIT_SUCCESS;
    if (!convert(wanted, output, &explained, &error)) {
        code = wanted->per_row ? complain(EXIT_FAILURE, "%s: scale %" PRId32 ": %s", chosen->scales,
                                          error.axis, error.message)
                               : complain(EXIT_FAILURE, "%s", error.message);
    } else if (!write_file(chosen->out, header, npy_format_header(&result, header), output,
                           elements * width, why)) {
        code = complain(EXIT_FAILURE, "%s: %s", chosen->out, why);
    } else if (chosen->explain) {
        explain(&explained, wanted->array);
        code = finish_printing();
    }
    free(output);
    return code;
}

static int run(const options *const chosen, loaded *const input, loaded *const scales)
{
    conversion wanted = {.array = &input->array};
    char why[WHY_SIZE];
    float scale;
    if (!read_zero_point(chosen->zero_point, &wanted.zero_point)) {
        return complain(EXIT_USAGE, "--zero-point '%s' is not an integer of 32 bits",
                        chosen->zero_point);
    }
    if (!read_output(chosen->output, &wanted.output)) {
        return complain(EXIT_USAGE, "--output '%s' is neither f32 nor bf16", chosen->output);
    }
    if (chosen->scale != NULL && !read_scale(chosen->scale, &scale, why)) {
        return complain(EXIT_USAGE, "--scale '%s' %s", chosen->scale, why);
    }
    if (!load(chosen->in, NPY_INPUT, input)) {
        return EXIT_FAILURE;
    }
    wanted.input = (const int8_t *)input->file + input->array.data_offset;
    wanted.scales = &scale;
    if (chosen->scales != NULL) {
        if (!load_scales(chosen->scales, input, scales)) {
            return EXIT_FAILURE;
        }
        /* A header need not end at a multiple of 4: move the scales to where floats may lie. */
        memmove(scales->file, scales->file + scales->array.data_offset,
                (size_t)scales->array.elements * sizeof(float));
        wanted.scales = (const float *)(const void *)scales->file;
        wanted.per_row = true;
    }
    return convert_and_write(chosen, &wanted);
}

int main(const int argc, char **const argv)
{
    options chosen;
    const int answered = read_options(argc, argv, &chosen);
    if (answered != -1) {
        return answered;
    }
    loaded input = {0};
    loaded scales = {0};
    const int code = run(&chosen, &input, &scales);
    free(input.file);
    free(scales.file);
    return code;
}
