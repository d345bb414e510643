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

bool read_at(const input_file *const file, unsigned char *const bytes, const size_t size,
             const size_t offset, char *const why)
{
    for (size_t done = 0; done < size;) {
        const ssize_t got =
            pread(file->descriptor, bytes + done, size - done, (off_t)(offset + done));
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

bool open_input(const char *const path, input_file *const file, char *const why)
{
    struct stat status;
    /* Without O_NONBLOCK a named pipe would be waited for before it can be refused. */
    file->descriptor = open(path, O_RDONLY | O_NONBLOCK);
    if (file->descriptor < 0) {
        return refuse(why, "cannot be opened");
    }
    if (fstat(file->descriptor, &status) != 0) {
        return refuse(why, "cannot be read");
    }
    if (!S_ISREG(status.st_mode) || (uintmax_t)status.st_size > (uintmax_t)PTRDIFF_MAX) {
        snprintf(why, WHY_SIZE, "is not a regular file");
        return false;
    }
    file->size = (size_t)status.st_size;
    return true;
}

void close_input(const input_file *const file)
{
    if (file->descriptor >= 0) {
        close(file->descriptor);
    }
}

/* ---- writing ---- */

/* The file to remove if a signal ends the program, while there is one. */
static char temporary[4096];
static volatile sig_atomic_t temporary_exists;

static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
enum { ENDING_SIGNALS = sizeof ending_signals / sizeof ending_signals[0] };

static void remove_and_die(const int signal_number)
{
    if (temporary_exists) {
        unlink(temporary);
    }
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void watch_signals(void)
{
    struct sigaction action = {.sa_handler = remove_and_die};
    struct sigaction before;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < ENDING_SIGNALS; ++i) {
        /* What the caller chose to ignore, as nohup does, stays ignored. */
        if (sigaction(ending_signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
            sigaction(ending_signals[i], &action, NULL);
        }
    }
    /* Beyond the file size limit write() is to fail with a reason, not to kill. */
    signal(SIGXFSZ, SIG_IGN);
}

/* mkstemp(), with no moment at which the file exists and a signal would not remove it. */
static int make_temporary(void)
{
    sigset_t ending;
    sigset_t before;
    sigemptyset(&ending);
    for (size_t i = 0; i < ENDING_SIGNALS; ++i) {
        sigaddset(&ending, ending_signals[i]);
    }
    sigprocmask(SIG_BLOCK, &ending, &before);
    const int descriptor = mkstemp(temporary);
    temporary_exists = descriptor >= 0;
    const int reason = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = reason;
    return descriptor;
}

bool write_at(const output_file *const file, const unsigned char *const bytes, const size_t size,
              const size_t offset, char *const why)
{
    for (size_t done = 0; done < size;) {
        const ssize_t put =
            pwrite(file->descriptor, bytes + done, size - done, (off_t)(offset + done));
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

/* The rename would replace a link itself, not what it leads to; /dev/stdout is such a link. */
static bool check_target(const char *const path, char *const why)
{
    struct stat status;
    if (lstat(path, &status) != 0 || S_ISREG(status.st_mode)) {
        return true;
    }
    snprintf(why, WHY_SIZE, "%s; only regular files are written",
             S_ISLNK(status.st_mode) ? "is a symbolic link" : "exists and is not a regular file");
    return false;
}

/* In the target's directory, so that the rename stays in one file system; not the target's name
 * with something added, which may be too long. */
static bool name_temporary(const char *const path)
{
    const char *const slash = strrchr(path, '/');
    const size_t directory = slash == NULL ? 0 : (size_t)(slash - path) + 1;
    static const char name[] = ".dequant.XXXXXX";
    if (directory > sizeof temporary - sizeof name) {
        return false;
    }
    memcpy(temporary, path, directory);
    memcpy(temporary + directory, name, sizeof name);
    return true;
}

bool create_output(const char *const path, output_file *const file, char *const why)
{
    if (!check_target(path, why)) {
        return false;
    }
    if (!name_temporary(path)) {
        snprintf(why, WHY_SIZE, "has too long a name");
        return false;
    }
    watch_signals();
    file->path = path;
    file->descriptor = make_temporary();
    return file->descriptor >= 0 || refuse(why, "cannot be written");
}

bool finish_output(const output_file *const file, char *const why)
{
    bool done = true;
    if (fchmod(file->descriptor, usual_mode()) != 0) {
        done = refuse(why, "cannot be written");
    }
    if (close(file->descriptor) != 0 && done) {
        done = refuse(why, "cannot be written");
    }
    if (done && rename(temporary, file->path) != 0) {
        done = refuse(why, "cannot be written");
    }
    if (!done) {
        unlink(temporary);
    }
    temporary_exists = 0;
    return done;
}

void abandon_output(const output_file *const file)
{
    close(file->descriptor);
    unlink(temporary);
    temporary_exists = 0;
}
