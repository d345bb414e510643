/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DEQUANT_FILES_H
#define DEQUANT_FILES_H

/* Whole files in, whole files out: an output appears under its name when complete, or not at all.
 */

#include "why.h"

#include <stdbool.h>
#include <stddef.h>

/* Reads a regular file; the caller frees *bytes. False with one line in `why`. */
bool read_file(const char *path, unsigned char **bytes, size_t *size, char *why);

/* Writes two pieces to a temporary file beside `path` and renames it. False with one line in
 * `why`; nothing is left behind then, nor when a signal ends the program. */
bool write_file(const char *path, const void *first, size_t first_size, const void *second,
                size_t second_size, char *why);

#endif /* DEQUANT_FILES_H */
