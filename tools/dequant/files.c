/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool refuse(char *const why, const char *const what)
{
    snprintf(why, WHY_SIZE, "%s: %s", what, strerror(errno));
    return false;
}

/* ---- reading ---- */

static bool read_all(const int descriptor, unsigned char *const bytes, const size_t size,
                     char *const why)
{
    for (size_t done = 0; done < size;) {
        const ssize_t got = read(descriptor, bytes + done, size - done);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return refuse(why, "cannot be read");
        }
        if (got == 0) {
            snprintf(why, WHY_SIZE, "became shorter while it was read");
            return false;
        }
        done += (size_t)got;
    }
    return true;
}

static bool read_open(const int descriptor, unsigned char **const bytes, size_t *const size,
                      char *const why)
{
    struct stat status;
    if (fstat(descriptor, &status) != 0) {
        return refuse(why, "cannot be read");
    }
    if (!S_ISREG(status.st_mode) || (uintmax_t)status.st_size > SIZE_MAX - 1) {
        snprintf(why, WHY_SIZE, "is not a regular file");
        return false;
    }
    *size = (size_t)status.st_size;
    *bytes = malloc(*size + 1);
    if (*bytes == NULL) {
        return refuse(why, "does not fit in memory");
    }
    if (!read_all(descriptor, *bytes, *size, why)) {
        free(*bytes);
        *bytes = NULL;
        return false;
    }
    return true;
}

bool read_file(const char *const path, unsigned char **const bytes, size_t *const size,
               char *const why)
{
    *bytes = NULL;
    const int descriptor = open(path, O_RDONLY);
    if (descriptor < 0) {
        return refuse(why, "cannot be opened");
    }
    const bool done = read_open(descriptor, bytes, size, why);
    close(descriptor);
    return done;
}

/* ---- writing ---- */

/* The file to remove if a signal ends the program; empty when there is none. */
static char temporary[4096];

static void remove_and_die(const int signal_number)
{
    if (temporary[0] != '\0') {
        unlink(temporary);
    }
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void watch_signals(void)
{
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ};
    struct sigaction action = {.sa_handler = remove_and_die};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof ending / sizeof ending[0]; ++i) {
        sigaction(ending[i], &action, NULL);
    }
}

static bool write_all(const int descriptor, const void *const data, const size_t size,
                      char *const why)
{
    const unsigned char *const bytes = data;
    for (size_t done = 0; done < size;) {
        const ssize_t put = write(descriptor, bytes + done, size - done);
        if (put < 0 && errno == EINTR) {
            continue;
        }
        if (put < 0) {
            return refuse(why, "cannot be written");
        }
        done += (size_t)put;
    }
    return true;
}

/* The mode that open() would have given; mkstemp() gives the owner alone access. */
static mode_t usual_mode(void)
{
    const mode_t mask = umask(0);
    umask(mask);
    return (mode_t)0666 & ~mask;
}

static bool check_target(const char *const path, char *const why)
{
    struct stat status;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
        snprintf(why, WHY_SIZE, "exists and is not a regular file; name a file");
        return false;
    }
    return true;
}

bool write_file(const char *const path, const void *const first, const size_t first_size,
                const void *const second, const size_t second_size, char *const why)
{
    if (!check_target(path, why)) {
        return false;
    }
    const int length = snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
    if (length < 0 || (size_t)length >= sizeof temporary) {
        temporary[0] = '\0';
        snprintf(why, WHY_SIZE, "has too long a name");
        return false;
    }
    watch_signals();
    const int descriptor = mkstemp(temporary);
    if (descriptor < 0) {
        temporary[0] = '\0';
        return refuse(why, "cannot be written");
    }
    bool done = write_all(descriptor, first, first_size, why) &&
                write_all(descriptor, second, second_size, why);
    if (done && fchmod(descriptor, usual_mode()) != 0) {
        done = refuse(why, "cannot be written");
    }
    if (close(descriptor) != 0 && done) {
        done = refuse(why, "cannot be written");
    }
    if (done && rename(temporary, path) != 0) {
        done = refuse(why, "cannot be written");
    }
    if (!done) {
        unlink(temporary);
    }
    temporary[0] = '\0';
    return done;
}
