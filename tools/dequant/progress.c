/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "progress.h"

#include "clock.h"

#include <stdio.h>
#include <unistd.h>

/* Seconds. */
static const double between_updates = 0.05;

progress progress_start(const int64_t bytes)
{
    const double now = clock_seconds();
    return (progress){
        .bytes = bytes, .started = now, .shown = now, .terminal = isatty(STDERR_FILENO) == 1};
}

void progress_advance(progress *const so_far, const int64_t bytes)
{
    so_far->done += bytes;
    if (!so_far->terminal) {
        return;
    }
    const double now = clock_seconds();
    if (now - so_far->shown < between_updates) {
        return;
    }
    so_far->shown = now;
    const double rate = (double)so_far->done / (now - so_far->started);
    /* Numbers of one width: each line covers the one before. */
    fprintf(stderr, "\rdequant: %3.0f%%, %8.1f MB/s, %7.0f s left",
            100.0 * (double)so_far->done / (double)so_far->bytes, rate * 1e-6,
            (double)(so_far->bytes - so_far->done) / rate);
}

double progress_end(const progress *const so_far, const bool complete)
{
    const double seconds = clock_seconds() - so_far->started;
    if (so_far->terminal && complete) {
        fprintf(stderr, "\rdequant: %.3f MB read and written in %.3f s, %.1f MB/s      \n",
                (double)so_far->done * 1e-6, seconds, (double)so_far->done * 1e-6 / seconds);
    } else if (so_far->shown > so_far->started) {
        fputc('\n', stderr);
    }
    return seconds;
}
