/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DEQUANT_FILES_H
#define DEQUANT_FILES_H

/* Regular files read at any offset, and an output that appears under its name when complete, or
 * not at all. Whatever returns false has left one line in `why`. */

#include "why.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct input_file {
    int descriptor;
    size_t size;
} input_file;

bool open_input(const char *path, input_file *file, char *why);
bool read_at(const input_file *file, unsigned char *bytes, size_t size, size_t offset, char *why);
void close_input(const input_file *file);

typedef struct output_file {
    const char *path;
    int descriptor;
} output_file;

/* Makes a temporary file beside `path`, which is removed again where a signal ends the program. One
 * at a time. */
bool create_output(const char *path, output_file *file, char *why);
bool write_at(const output_file *file, const unsigned char *bytes, size_t size, size_t offset,
              char *why);

/* Gives the file its name; where that fails, it is removed. */
bool finish_output(const output_file *file, char *why);

/* Removes the file. */
void abandon_output(const output_file *file);

#endif /* DEQUANT_FILES_H */
