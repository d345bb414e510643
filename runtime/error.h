/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMAAI_KERNELS_RUNTIME_ERROR_H
#define SIMAAI_KERNELS_RUNTIME_ERROR_H

/*
 * How the runtime speaks of errors. Functions that can fail return a status, and the one that finds
 * a fault fills in the caller's record, so that a call without faults carries no record about.
 */

#include <simaai/kernels/status.h>

#include <stddef.h>

enum { SIMA_NO_AXIS = -1 };

/* Keeps what only an error needs out of the way of a call that succeeds. */
#if defined(__GNUC__)
#define SIMA_COLD __attribute__((cold, noinline))
#else
#define SIMA_COLD
#endif

/* Reports success to a caller who may not want the details. */
static inline sima_status sima_succeed(sima_error *const error)
{
    if (error != NULL) {
        *error = (sima_error){SIMA_OK, SIMA_PORT_NONE, SIMA_NO_AXIS, ""};
    }
    return SIMA_OK;
}

/* Reports what is wrong, and returns the status. */
SIMA_COLD sima_status sima_fail(sima_error *error, sima_status status, sima_port port, int32_t axis,
                                const char *message);

#endif /* SIMAAI_KERNELS_RUNTIME_ERROR_H */
