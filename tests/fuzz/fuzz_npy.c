/* SPDX-License-Identifier: Apache-2.0 */

/* The tool's reader of .npy files on any bytes: an array that fits the file, or one line. */

#include "fuzz.h"

#include "npy.h"

__extension__ typedef __int128 wide;

static void check_array(const npy_array *const array, const size_t size)
{
    wide elements = 1;
    REQUIRE(array->rank >= 0 && array->rank <= SIMA_MAX_RANK);
    for (int32_t axis = 0; axis < array->rank; ++axis) {
        REQUIRE(array->extent[axis] >= 0);
        elements *= array->extent[axis];
        elements = elements > INT64_MAX ? (wide)INT64_MAX + 1 : elements;
    }
    REQUIRE(elements == array->elements);
    REQUIRE(array->data_offset <= size);
    REQUIRE(memchr(array->descr, 0, sizeof array->descr) != NULL);
    REQUIRE(elements == 0 || (wide)(size - array->data_offset) % elements == 0);
}

/* What is written is read as what was meant. */
static void check_written(const npy_array *const array)
{
    char header[NPY_HEADER_SIZE];
    char why[WHY_SIZE];
    npy_array again;
    npy_array plain = *array;
    plain.fortran_order = false;
    const size_t length = npy_format_header(&plain, header);
    const size_t data = (size_t)array->elements;
    REQUIRE(length <= sizeof header);
    if (array->elements > 1 << 12) {
        return;
    }
    unsigned char *const file = calloc(1, length + data);
    REQUIRE(file != NULL);
    memcpy(file, header, length);
    REQUIRE(npy_parse(file, length + data, NPY_INPUT, &again, why));
    REQUIRE(again.rank == array->rank && again.elements == array->elements);
    REQUIRE(!again.fortran_order && again.data_offset == length);
    REQUIRE(memcmp(again.extent, array->extent, (size_t)array->rank * sizeof *array->extent) == 0);
    free(file);
}

static void parse(const uint8_t *const data, const size_t size, const npy_role role)
{
    npy_array array;
    char why[WHY_SIZE];
    memset(why, 'x', sizeof why);
    if (!npy_parse(data, size, role, &array, why)) {
        REQUIRE(memchr(why, 0, sizeof why) != NULL);
        REQUIRE(strlen(why) > 0 && strchr(why, '\n') == NULL);
        return;
    }
    check_array(&array, size);
    if (role == NPY_INPUT) {
        check_written(&array);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *const data, const size_t size)
{
    parse(data, size, NPY_INPUT);
    parse(data, size, NPY_SCALES);
    return 0;
}
