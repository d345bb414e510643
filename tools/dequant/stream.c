/* SPDX-License-Identifier: Apache-2.0 */
#include "stream.h"

#include "complain.h"
#include "pieces.h"
#include "progress.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool open_npy(const char *const path, const npy_role role, npy_file *const what)
{
    char why[WHY_SIZE];
    what->path = path;
    bool done = open_input(path, &what->file, why);
    if (done) {
        unsigned char header[NPY_LARGEST_HEADER];
        const size_t size = what->file.size < sizeof header ? what->file.size : sizeof header;
        done = read_at(&what->file, header, size, 0, why) &&
               npy_parse(header, what->file.size, role, &what->array, why);
    }
    if (!done) {
        complain(EXIT_FAILURE, "%s: %s", path, why);
    }
    return done;
}

static bool complain_of(const char *const path, const char *const why)
{
    complain(EXIT_FAILURE, "%s: %s", path, why);
    return false;
}

/* ---- buffers for one piece ---- */

typedef struct buffers {
    unsigned char *input;
    unsigned char *output;
    float *scales;
} buffers;

static void free_buffers(const buffers *const room)
{
    free(room->input);
    free(room->output);
    free(room->scales);
}

static bool allocate_buffers(const piece *const largest, const size_t width, buffers *const room)
{
    const size_t elements = (size_t)largest->elements;
    /* One more of each: there may be no elements, and without scales there is one scale. */
    *room = (buffers){malloc(elements + 1), malloc((elements + 1) * width),
                      malloc(((size_t)largest->extent[0] + 1) * sizeof(float))};
    if (room->input != NULL && room->output != NULL && room->scales != NULL) {
        return true;
    }
    free_buffers(room);
    complain(EXIT_FAILURE, "not enough memory for a piece of %zu elements", elements);
    return false;
}

/* ---- pieces ---- */

static bool read_run(const void *const file, unsigned char *const memory, const size_t size,
                     const size_t offset, char *const why)
{
    const npy_file *const from = file;
    return read_at(&from->file, memory, size, from->array.data_offset + offset, why);
}

/* The output under way: where its elements begin. */
typedef struct target {
    output_file file;
    size_t data_offset;
} target;

static bool write_run(const void *const file, unsigned char *const memory, const size_t size,
                      const size_t offset, char *const why)
{
    const target *const to = file;
    return write_at(&to->file, memory, size, to->data_offset + offset, why);
}

/* The scales of `count` indices of the first axis from `first` on. */
static bool load_scales(const job *const work, const int64_t first, const int64_t count,
                        float *const scales)
{
    char why[WHY_SIZE];
    if (work->scales == NULL) {
        *scales = work->scale;
        return true;
    }
    return read_run(work->scales, (unsigned char *)scales, (size_t)count * sizeof *scales,
                    (size_t)first * sizeof *scales, why) ||
           complain_of(work->scales->path, why);
}

/* Before anything is written: a scale that is refused must not be found at the end of long work. */
static bool check_scales(const job *const work)
{
    enum { AT_A_TIME = 1024 };
    float scales[AT_A_TIME];
    sima_error error;
    const int64_t count = work->scales == NULL ? 0 : work->scales->array.elements;
    for (int64_t first = 0; first < count; first += AT_A_TIME) {
        const int64_t rest = count - first < AT_A_TIME ? count - first : AT_A_TIME;
        if (!load_scales(work, first, rest, scales)) {
            return false;
        }
        for (int64_t i = 0; i < rest; ++i) {
            if (!admit_scale(scales[i], &error)) {
                complain(EXIT_FAILURE, "%s: scale %" PRId64 ": %s", work->scales->path, first + i,
                         error.message);
                return false;
            }
        }
    }
    return true;
}

static conversion conversion_of(const job *const work, const npy_array *const array,
                                const buffers *const room)
{
    return (conversion){.array = array,
                        .input = (const int8_t *)room->input,
                        .output = work->output,
                        .zero_point = work->zero_point,
                        .scales = room->scales,
                        .per_row = work->scales != NULL};
}

static bool stream_piece(const job *const work, const piece *const which, const target *const to,
                         const buffers *const room, explanation *const explained)
{
    const npy_array *const whole = &work->input->array;
    const file_order from_order = {whole, whole->fortran_order, 1};
    const file_order to_order = {whole, false, result_width(work->output)};
    char why[WHY_SIZE];
    if (!move_piece(&from_order, which, room->input, read_run, work->input, why)) {
        return complain_of(work->input->path, why);
    }
    npy_array part = *whole;
    memcpy(part.extent, which->extent, sizeof part.extent);
    part.elements = which->elements;
    const conversion wanted = conversion_of(work, &part, room);
    sima_error error;
    if (!load_scales(work, which->begin[0], which->extent[0], room->scales)) {
        return false;
    }
    if (!convert(&wanted, room->output, explained, &error)) {
        return complain_of(work->input->path, error.message);
    }
    ++explained->pieces;
    return move_piece(&to_order, which, room->output, write_run, to, why) ||
           complain_of(work->out, why);
}

static bool stream_pieces(const job *const work, const piece *const first, const target *const to,
                          const buffers *const room, explanation *const explained)
{
    const npy_array *const array = &work->input->array;
    const int64_t width = 1 + (int64_t)result_width(work->output);
    progress so_far = progress_start(array->elements * width);
    piece which = *first;
    bool done = true;
    do {
        done = stream_piece(work, &which, to, room, explained);
        progress_advance(&so_far, which.elements * width);
    } while (done && next_piece(array, first, &which));
    explained->whole = progress_end(&so_far, done);
    explained->bytes = (double)so_far.done;
    return done;
}

/* ---- the whole ---- */

static bool write_header(const job *const work, target *const to)
{
    char why[WHY_SIZE];
    char header[NPY_HEADER_SIZE];
    npy_array result = work->input->array;
    memcpy(result.descr, work->output == SIMA_DTYPE_FLOAT32 ? "<f4" : "<u2", sizeof "<f4");
    to->data_offset = npy_format_header(&result, header);
    return write_at(&to->file, (const unsigned char *)header, to->data_offset, 0, why) ||
           complain_of(work->out, why);
}

static bool stream_to(const job *const work, const piece *const first, const buffers *const room,
                      explanation *const explained)
{
    char why[WHY_SIZE];
    target to;
    if (!create_output(work->out, &to.file, why)) {
        return complain_of(work->out, why);
    }
    if (!write_header(work, &to) ||
        (first->elements > 0 && !stream_pieces(work, first, &to, room, explained))) {
        abandon_output(&to.file);
        return false;
    }
    return finish_output(&to.file, why) || complain_of(work->out, why);
}

bool stream(const job *const work, explanation *const explained)
{
    const npy_array *const array = &work->input->array;
    const piece first = array->elements > 0 ? first_piece(array) : (piece){.elements = 0};
    buffers room;
    sima_error error;
    memset(explained, 0, sizeof *explained);
    explained->piece_elements = first.elements;
    if (!check_scales(work) || !allocate_buffers(&first, result_width(work->output), &room)) {
        return false;
    }
    const conversion whole = conversion_of(work, array, &room);
    const bool done =
        (admit_shape(&whole, explained, &error) || complain_of(work->input->path, error.message)) &&
        stream_to(work, &first, &room, explained);
    free_buffers(&room);
    return done;
}
