/* SPDX-License-Identifier: Apache-2.0 */
#include "error.h"

sima_status sima_fail(sima_error *const error, const sima_status status, const sima_port port,
                      const int32_t axis, const char *const message)
{
    if (error != NULL) {
        *error = (sima_error){status, port, axis, message};
    }
    return status;
}
