/* SPDX-License-Identifier: Apache-2.0 */
#include "npy.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Magic, two version bytes, and the length of the dictionary: two bytes, four from version 2 on. */
enum { MAGIC_SIZE = 6, LENGTH_AT = 8, DICTIONARY_AT_V1 = 10, DICTIONARY_AT_V2 = 12 };
enum { HEADER_ALIGNMENT = 64 };

static const unsigned char magic[MAGIC_SIZE] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

static bool refuse(char *const why, const char *const format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, WHY_SIZE, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- the dictionary: a small strict reader of a Python literal ---- */

typedef struct reader {
    const char *at;
    const char *end;
} reader;

static void skip_space(reader *const text)
{
    while (text->at < text->end && (*text->at == ' ' || *text->at == '\n' || *text->at == '\t')) {
        ++text->at;
    }
}

/* Takes one character, and the space before it. */
static bool take(reader *const text, const char wanted)
{
    skip_space(text);
    if (text->at < text->end && *text->at == wanted) {
        ++text->at;
        return true;
    }
    return false;
}

static bool take_word(reader *const text, const char *const word)
{
    const size_t length = strlen(word);
    skip_space(text);
    if ((size_t)(text->end - text->at) < length || memcmp(text->at, word, length) != 0) {
        return false;
    }
    text->at += length;
    return true;
}

/* A quoted string of printable characters without escapes. */
static bool take_string(reader *const text, char string[NPY_DESCR_SIZE])
{
    const char quote = take(text, '\'') ? '\'' : '"';
    size_t length = 0;
    if (quote == '"' && !take(text, '"')) {
        return false;
    }
    while (text->at < text->end && *text->at != quote) {
        if (length + 1 >= NPY_DESCR_SIZE || *text->at < ' ' || *text->at > '~' ||
            *text->at == '\\') {
            return false;
        }
        string[length++] = *text->at++;
    }
    string[length] = '\0';
    return take(text, quote);
}

static bool take_bool(reader *const text, bool *const value)
{
    *value = take_word(text, "True");
    return *value || take_word(text, "False");
}

static bool is_digit(const reader *const text)
{
    return text->at < text->end && *text->at >= '0' && *text->at <= '9';
}

static bool take_extent(reader *const text, int64_t *const extent)
{
    skip_space(text);
    if (!is_digit(text)) {
        return false;
    }
    *extent = 0;
    while (is_digit(text)) {
        const int64_t digit = *text->at++ - '0';
        if (*extent > (INT64_MAX - digit) / 10) {
            return false;
        }
        *extent = *extent * 10 + digit;
    }
    return true;
}

static bool take_shape(reader *const text, npy_array *const array, char *const why)
{
    if (!take(text, '(')) {
        return refuse(why, "the header's shape is not a tuple");
    }
    bool comma = true;
    for (array->rank = 0; !take(text, ')'); ++array->rank) {
        if (array->rank == SIMA_MAX_RANK) {
            return refuse(why, "has more than %d axes; reshape the array", SIMA_MAX_RANK);
        }
        if (!comma || !take_extent(text, &array->extent[array->rank])) {
            return refuse(why, "the header's shape is malformed, or an extent exceeds 63 bits");
        }
        comma = take(text, ',');
    }
    /* (5) is a number in Python, not a tuple. */
    if (array->rank == 1 && !comma) {
        return refuse(why, "the header's shape is not a tuple");
    }
    return true;
}

enum { KEY_DESCR = 1, KEY_ORDER = 2, KEY_SHAPE = 4, ALL_KEYS = 7 };

static bool take_entry(reader *const text, npy_array *const array, unsigned *const seen,
                       char *const why)
{
    char key[NPY_DESCR_SIZE];
    if (!take_string(text, key) || !take(text, ':')) {
        return refuse(why, "the header is not the dictionary that .npy files have");
    }
    const unsigned which = strcmp(key, "descr") == 0           ? KEY_DESCR
                           : strcmp(key, "fortran_order") == 0 ? KEY_ORDER
                           : strcmp(key, "shape") == 0         ? KEY_SHAPE
                                                               : 0;
    if (which == 0 || (*seen & which) != 0) {
        return refuse(why, "the header has the key '%s' %s", key, which == 0 ? "too" : "twice");
    }
    *seen |= which;
    if (which == KEY_SHAPE) {
        return take_shape(text, array, why);
    }
    if (which == KEY_ORDER) {
        return take_bool(text, &array->fortran_order) ||
               refuse(why, "the header's fortran_order is neither True nor False");
    }
    return take_string(text, array->descr) ||
           refuse(why, "the element type is structured or malformed; save a plain array");
}

static bool take_dictionary(reader *const text, npy_array *const array, char *const why)
{
    unsigned seen = 0;
    if (!take(text, '{')) {
        return refuse(why, "the header is not the dictionary that .npy files have");
    }
    bool comma = true;
    while (!take(text, '}')) {
        if (!comma) {
            return refuse(why, "the header's dictionary is malformed");
        }
        if (!take_entry(text, array, &seen, why)) {
            return false;
        }
        comma = take(text, ',');
    }
    skip_space(text);
    if (text->at != text->end) {
        return refuse(why, "something follows the header's dictionary");
    }
    if (seen != ALL_KEYS) {
        return refuse(why, "the header lacks one of descr, fortran_order and shape");
    }
    return true;
}

/* ---- the file ---- */

/* Bytes of one element; 0 with one line in `why` where the role wants another type. */
static size_t width_for(const npy_role role, const char *const descr, char *const why)
{
    static const char *const int8[] = {"|i1", "<i1", ">i1", "=i1", "i1"};
    if (role == NPY_SCALES) {
        if (strcmp(descr, "<f4") == 0) {
            return 4;
        }
        refuse(why, "holds '%s'; scales are binary32: save scales.astype('<f4')", descr);
        return 0;
    }
    for (size_t i = 0; i < sizeof int8 / sizeof int8[0]; ++i) {
        if (strcmp(descr, int8[i]) == 0) {
            return 1;
        }
    }
    refuse(why, "holds '%s'; the input is INT8 ('|i1')", descr);
    return 0;
}

/* Finds the dictionary, and with its end the first element. */
static bool find_dictionary(const unsigned char *const file, const size_t size, reader *const text,
                            size_t *const data_offset, char *const why)
{
    if (size < MAGIC_SIZE || memcmp(file, magic, MAGIC_SIZE) != 0) {
        return refuse(why, "not a .npy file: it does not begin with \\x93NUMPY");
    }
    if (size < DICTIONARY_AT_V2) {
        return refuse(why, "truncated in the header");
    }
    const unsigned version = file[MAGIC_SIZE];
    if (version < 1 || version > 3 || file[MAGIC_SIZE + 1] != 0) {
        return refuse(why, "format version %u.%u is unknown; 1.0, 2.0 and 3.0 are read", version,
                      file[MAGIC_SIZE + 1]);
    }
    const unsigned char *const field = file + LENGTH_AT;
    size_t length = field[0] | (size_t)field[1] << 8;
    if (version > 1) {
        length |= (size_t)field[2] << 16 | (size_t)field[3] << 24;
    }
    const size_t begin = version == 1 ? DICTIONARY_AT_V1 : DICTIONARY_AT_V2;
    if (length > size - begin) {
        return refuse(why, "truncated in the header, which should be %zu bytes long", length);
    }
    if (begin + length > NPY_LARGEST_HEADER) {
        return refuse(why, "has a header of %zu bytes; %d are read", begin + length,
                      NPY_LARGEST_HEADER);
    }
    text->at = (const char *)file + begin;
    text->end = text->at + length;
    *data_offset = begin + length;
    return true;
}

/* The number of elements; refused where its bytes do not fit a size. */
static bool count_elements(npy_array *const array, const size_t width, char *const why)
{
    array->elements = 1;
    for (int32_t axis = 0; axis < array->rank; ++axis) {
        if (array->extent[axis] == 0) {
            array->elements = 0;
            return true;
        }
    }
    const int64_t most = (int64_t)(PTRDIFF_MAX / (ptrdiff_t)width);
    for (int32_t axis = 0; axis < array->rank; ++axis) {
        if (array->extent[axis] > most / array->elements) {
            return refuse(why, "the header's shape is absurd: its bytes do not fit a size");
        }
        array->elements *= array->extent[axis];
    }
    return true;
}

bool npy_parse(const unsigned char *const file, const size_t size, const npy_role role,
               npy_array *const array, char *const why)
{
    reader text = {NULL, NULL};
    memset(array, 0, sizeof *array);
    if (!find_dictionary(file, size, &text, &array->data_offset, why) ||
        !take_dictionary(&text, array, why)) {
        return false;
    }
    const size_t width = width_for(role, array->descr, why);
    if (width == 0 || !count_elements(array, width, why)) {
        return false;
    }
    const size_t wanted = (size_t)array->elements * width;
    const size_t present = size - array->data_offset;
    if (present != wanted) {
        return refuse(why, "%s: the header's shape takes %zu bytes of elements, the file holds %zu",
                      present < wanted ? "truncated" : "too long", wanted, present);
    }
    return true;
}

/* Appends to a string in a buffer that is known to be large enough. */
static size_t append(char *const header, const size_t length, const char *const format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int added = vsnprintf(header + length, NPY_HEADER_SIZE - length, format, arguments);
    va_end(arguments);
    return length + (size_t)added;
}

size_t npy_format_header(const npy_array *const array, char *const header)
{
    memcpy(header, magic, MAGIC_SIZE);
    header[MAGIC_SIZE] = 1;
    header[MAGIC_SIZE + 1] = 0;
    size_t length = append(header, DICTIONARY_AT_V1,
                           "{'descr': '%s', 'fortran_order': False, 'shape': (", array->descr);
    for (int32_t axis = 0; axis < array->rank; ++axis) {
        length = append(header, length, "%s%" PRId64, axis == 0 ? "" : ", ", array->extent[axis]);
    }
    length = append(header, length, "%s), }", array->rank == 1 ? "," : "");
    const size_t padded = (length + 1 + HEADER_ALIGNMENT - 1) / HEADER_ALIGNMENT * HEADER_ALIGNMENT;
    memset(header + length, ' ', padded - 1 - length);
    header[padded - 1] = '\n';
    header[LENGTH_AT] = (char)((padded - DICTIONARY_AT_V1) & 0xff);
    header[LENGTH_AT + 1] = (char)((padded - DICTIONARY_AT_V1) >> 8);
    return padded;
}
