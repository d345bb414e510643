/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Clause R8: a fused operation that takes a matrix stored as tiles of 8 x 8, one after the other,
 * and gives the dequantized matrix row by row.
 */

#include "suites.h"

#include "fpenv.h"
#include "harness.h"
#include "reference.h"
#include "tile.h"

#include <string.h>

enum { SIDE = 8, TILES_DOWN = 3, TILES_ACROSS = 5, COLUMNS = SIDE * TILES_ACROSS };
enum { ELEMENTS = SIDE * SIDE * TILES_DOWN * TILES_ACROSS };

static int8_t tiles[ELEMENTS];

static void detessellate(const sima_dequant_params *const params,
                         const sima_a65_dequant_output output, const size_t width,
                         unsigned char *const matrix)
{
    const sima_a65_dequant_tile row = sima_a65_dequant_prepare_tile(params, output, SIDE);
    const int8_t *from = tiles;
    ck_assert(sima_fpenv_is_admitted());
    for (size_t down = 0; down < TILES_DOWN; ++down) {
        for (size_t across = 0; across < TILES_ACROSS; ++across) {
            for (size_t line = 0; line < SIDE; ++line, from += SIDE) {
                const size_t place = (down * SIDE + line) * COLUMNS + across * SIDE;
                sima_a65_dequant_run_tile(&row, from, matrix + place * width);
            }
        }
    }
}

/* Where element (row, column) of the matrix lies among the tiles. */
static int8_t tiled(const size_t row, const size_t column)
{
    const size_t tile = row / SIDE * TILES_ACROSS + column / SIDE;
    return tiles[tile * SIDE * SIDE + row % SIDE * SIDE + column % SIDE];
}

START_TEST(r8_tiles_are_dequantized_without_classification)
{
    static const sima_dequant_params parameters[] = {{0.0625f, 0}, {0.1f, 0},   {0.1f, -128},
                                                     {8.0f, 5},    {0.1f, 300}, {1.0f, 33554430}};
    static uint32_t f32[ELEMENTS];
    static uint16_t bf16[ELEMENTS];
    for (size_t i = 0; i < ELEMENTS; ++i) {
        tiles[i] = (int8_t)(i * 37 % 256);
    }
    for (size_t p = 0; p < sizeof parameters / sizeof parameters[0]; ++p) {
        uint32_t scale;
        memcpy(&scale, &parameters[p].scale, sizeof scale);
        detessellate(&parameters[p], SIMA_A65_DEQUANT_TO_F32, 4, (unsigned char *)f32);
        detessellate(&parameters[p], SIMA_A65_DEQUANT_TO_BF16, 2, (unsigned char *)bf16);
        for (size_t i = 0; i < ELEMENTS; ++i) {
            const uint32_t want =
                reference_f32(tiled(i / COLUMNS, i % COLUMNS), parameters[p].zero_point, scale);
            ck_assert_uint_eq(f32[i], want);
            ck_assert_uint_eq(bf16[i], reference_narrow(want));
        }
    }
}
END_TEST

START_TEST(r8_a_tile_uses_the_kernel_of_its_length)
{
    const sima_dequant_params params = {0.1f, 5};
    for (size_t elements = 1; elements <= 40; ++elements) {
        static float results[40];
        const sima_a65_dequant_tile tile =
            sima_a65_dequant_prepare_tile(&params, SIMA_A65_DEQUANT_TO_F32, elements);
        memset(results, 0, sizeof results);
        sima_a65_dequant_run_tile(&tile, tiles, results);
        for (size_t i = 0; i < 40; ++i) {
            const uint32_t want = i < elements ? reference_f32(tiles[i], 5, 0x3dcccccd) : 0;
            ck_assert_mem_eq(&results[i], &want, sizeof want);
        }
    }
}
END_TEST

Suite *tile_suite(void)
{
    Suite *const suite = suite_create("tile");
    TCase *const tests = new_case(suite, "tile");
    tcase_add_test(tests, r8_tiles_are_dequantized_without_classification);
    tcase_add_test(tests, r8_a_tile_uses_the_kernel_of_its_length);
    return suite;
}
