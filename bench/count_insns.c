/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A plugin for qemu-user that counts the instructions a program executes and, when it ends,
 * writes "instructions N" to the file named by the argument out=PATH.
 *
 *     qemu-aarch64 -plugin libcount_insns.so,out=PATH PROGRAM
 *
 * A translated block is counted as a whole each time it is entered. Branches end blocks, so the
 * count is exact for a program that takes no signal. Debian packages no header of the plugin
 * interface; what is used of it, version 1, is declared here.
 */

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define PLUGIN_EXPORT __attribute__((visibility("default")))

typedef uint64_t plugin_id;
struct qemu_plugin_tb;
struct qemu_info;
enum { PLUGIN_INLINE_ADD_U64 = 0 };

typedef void (*translation_callback)(plugin_id id, struct qemu_plugin_tb *block);
typedef void (*exit_callback)(plugin_id id, void *data);

void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id, translation_callback callback);
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *block, int operation,
                                              void *counter, uint64_t addend);
void qemu_plugin_register_atexit_cb(plugin_id id, exit_callback callback, void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);

PLUGIN_EXPORT int qemu_plugin_version = 1;
PLUGIN_EXPORT int qemu_plugin_install(plugin_id id, const struct qemu_info *info, int argc,
                                      char **argv);

static uint64_t instructions;
static char path[4096];

static void on_translation(const plugin_id id, struct qemu_plugin_tb *const block)
{
    (void)id;
    qemu_plugin_register_vcpu_tb_exec_inline(block, PLUGIN_INLINE_ADD_U64, &instructions,
                                             qemu_plugin_tb_n_insns(block));
}

static void on_exit(const plugin_id id, void *const data)
{
    (void)id;
    (void)data;
    FILE *const file = fopen(path, "w");
    if (file == NULL) {
        perror(path);
        return;
    }
    fprintf(file, "instructions %llu\n", (unsigned long long)instructions);
    fclose(file);
}

int qemu_plugin_install(const plugin_id id, const struct qemu_info *const info, const int argc,
                        char **const argv)
{
    static const char key[] = "out=";
    (void)info;
    if (argc != 1 || strncmp(argv[0], key, sizeof key - 1) != 0 ||
        strlen(argv[0]) - (sizeof key - 1) >= sizeof path) {
        fputs("count_insns: wants the argument out=PATH\n", stderr);
        return -1;
    }
    strcpy(path, argv[0] + sizeof key - 1);
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
    qemu_plugin_register_atexit_cb(id, on_exit, NULL);
    return 0;
}
