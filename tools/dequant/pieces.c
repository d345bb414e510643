/* SPDX-License-Identifier: Apache-2.0 */
#include "pieces.h"

/* Axes by place: the fastest one of an order has place 0. */
static int32_t axis_at(const npy_array *const array, const bool fortran, const int32_t place)
{
    return fortran ? place : array->rank - 1 - place;
}

/* Lets axes grow, fastest first, until the piece holds about `wanted` elements. */
static void grow(const npy_array *const array, const bool fortran, const int64_t wanted,
                 piece *const which)
{
    for (int32_t place = 0; place < array->rank; ++place) {
        const int32_t axis = axis_at(array, fortran, place);
        const int64_t others = which->elements / which->extent[axis];
        const int64_t room = wanted / others;
        if (room <= which->extent[axis]) {
            return;
        }
        which->extent[axis] = room < array->extent[axis] ? room : array->extent[axis];
        which->elements = others * which->extent[axis];
    }
}

piece first_piece(const npy_array *const array)
{
    piece which = {.elements = 1};
    for (int32_t axis = 0; axis < array->rank; ++axis) {
        which.extent[axis] = 1;
    }
    grow(array, array->fortran_order, PIECE_SIDE, &which);
    grow(array, false, PIECE_ELEMENTS, &which);
    return which;
}

bool next_piece(const npy_array *const array, const piece *const first, piece *const last)
{
    int32_t axis = array->rank - 1;
    while (axis >= 0 && last->begin[axis] + last->extent[axis] == array->extent[axis]) {
        last->begin[axis--] = 0;
    }
    if (axis < 0) {
        return false;
    }
    last->begin[axis] += last->extent[axis];
    last->elements = 1;
    for (axis = 0; axis < array->rank; ++axis) {
        const int64_t rest = array->extent[axis] - last->begin[axis];
        last->extent[axis] = rest < first->extent[axis] ? rest : first->extent[axis];
        last->elements *= last->extent[axis];
    }
    return true;
}

/* Elements that lie side by side, and in *places the axes among them. */
static int64_t run_of(const file_order *const order, const piece *const which,
                      int32_t *const places)
{
    int64_t run = 1;
    for (*places = 0; *places < order->array->rank;) {
        const int32_t axis = axis_at(order->array, order->fortran, (*places)++);
        run *= which->extent[axis];
        if (which->extent[axis] != order->array->extent[axis]) {
            break;
        }
    }
    return run;
}

bool move_piece(const file_order *const order, const piece *const which,
                unsigned char *const memory, move_bytes *const move, const void *const file,
                char *const why)
{
    const int32_t rank = order->array->rank;
    int64_t stride[SIMA_MAX_RANK];
    int64_t at = 0;
    int64_t step = 1;
    for (int32_t place = 0; place < rank; ++place) {
        const int32_t axis = axis_at(order->array, order->fortran, place);
        stride[axis] = step;
        at += which->begin[axis] * step;
        step *= order->array->extent[axis];
    }
    int32_t within;
    const int64_t run = run_of(order, which, &within);
    const size_t size = (size_t)run * order->width;
    int64_t index[SIMA_MAX_RANK] = {0};
    for (unsigned char *to = memory;; to += size) {
        if (!move(file, to, size, (size_t)at * order->width, why)) {
            return false;
        }
        int32_t place = within;
        for (; place < rank; ++place) {
            const int32_t axis = axis_at(order->array, order->fortran, place);
            at += stride[axis];
            if (++index[axis] < which->extent[axis]) {
                break;
            }
            at -= index[axis] * stride[axis];
            index[axis] = 0;
        }
        if (place == rank) {
            return true;
        }
    }
}
