/* SPDX-License-Identifier: Apache-2.0 */
#include "tile.h"

#include "cpu.h"
#include "select.h"

#include <string.h>

sima_a65_dequant_tile sima_a65_dequant_prepare_tile(const sima_dequant_params *const params,
                                                    const sima_a65_dequant_output output,
                                                    const size_t elements)
{
    sima_a65_dequant_tile tile = {.elements = elements};
    tile.run =
        sima_a65_dequant_select(sima_a65_dequant_best_family(), output, params, (int64_t)elements)
            ->run;
    /* As bytes, so that the scale passes no floating-point register. */
    memcpy(&tile.operands.scale, &params->scale, sizeof params->scale);
    tile.operands.zero_point = params->zero_point;
    return tile;
}
