/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A plugin for qemu-user that counts the instructions a program executes. Each time the program
 * calls getppid(), and when it ends, a line with the count so far goes to the file named by the
 * argument out=PATH: "mark N", and "instructions N" at the end.
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
/* As AArch64 Linux numbers it. */
enum { GETPPID = 173 };

typedef void (*translation_callback)(plugin_id id, struct qemu_plugin_tb *block);
typedef void (*exit_callback)(plugin_id id, void *data);
typedef void (*syscall_callback)(plugin_id id, unsigned int cpu, int64_t number, uint64_t a1,
                                 uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6,
                                 uint64_t a7, uint64_t a8);

void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id, translation_callback callback);
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *block, int operation,
                                              void *counter, uint64_t addend);
void qemu_plugin_register_vcpu_syscall_cb(plugin_id id, syscall_callback callback);
void qemu_plugin_register_atexit_cb(plugin_id id, exit_callback callback, void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);

PLUGIN_EXPORT int qemu_plugin_version = 1;
PLUGIN_EXPORT int qemu_plugin_install(plugin_id id, const struct qemu_info *info, int argc,
                                      char **argv);

static uint64_t instructions;
static FILE *report;

static void on_translation(const plugin_id id, struct qemu_plugin_tb *const block)
{
    (void)id;
    qemu_plugin_register_vcpu_tb_exec_inline(block, PLUGIN_INLINE_ADD_U64, &instructions,
                                             qemu_plugin_tb_n_insns(block));
}

static void write_count(const char *const what)
{
    fprintf(report, "%s %llu\n", what, (unsigned long long)instructions);
}

static void on_syscall(const plugin_id id, const unsigned int cpu, const int64_t number,
                       const uint64_t a1, const uint64_t a2, const uint64_t a3, const uint64_t a4,
                       const uint64_t a5, const uint64_t a6, const uint64_t a7, const uint64_t a8)
{
    (void)id, (void)cpu, (void)a1, (void)a2, (void)a3, (void)a4, (void)a5, (void)a6, (void)a7;
    (void)a8;
    if (number == GETPPID) {
        write_count("mark");
    }
}

static void on_exit(const plugin_id id, void *const data)
{
    (void)id;
    (void)data;
    write_count("instructions");
    if (fclose(report) != 0) {
        perror("count_insns");
    }
}

int qemu_plugin_install(const plugin_id id, const struct qemu_info *const info, const int argc,
                        char **const argv)
{
    static const char key[] = "out=";
    (void)info;
    if (argc != 1 || strncmp(argv[0], key, sizeof key - 1) != 0) {
        fputs("count_insns: wants the argument out=PATH\n", stderr);
        return -1;
    }
    report = fopen(argv[0] + sizeof key - 1, "w");
    if (report == NULL) {
        perror(argv[0]);
        return -1;
    }
    qemu_plugin_register_vcpu_syscall_cb(id, on_syscall);
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
    qemu_plugin_register_atexit_cb(id, on_exit, NULL);
    return 0;
}
