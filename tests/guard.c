/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE
#include "guard.h"

#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

guarded guard_map(const size_t size)
{
    const size_t page = page_size();
    const size_t inner = (size + page - 1) / page * page;
    unsigned char *const all =
        mmap(NULL, inner + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED || mprotect(all + page, inner, PROT_READ | PROT_WRITE) != 0) {
        perror("guard_map");
        exit(EXIT_FAILURE);
    }
    const guarded memory = {all + page, inner};
    return memory;
}

void guard_unmap(const guarded memory)
{
    const size_t page = page_size();
    munmap(memory.begin - page, memory.size + 2 * page);
}

void guard_forbid_writes(const guarded memory)
{
    if (mprotect(memory.begin, memory.size, PROT_READ) != 0) {
        perror("guard_forbid_writes");
        exit(EXIT_FAILURE);
    }
}

striped guard_map_stripes(const size_t count)
{
    const size_t page = page_size();
    const size_t size = (2 * count + 1) * page;
    unsigned char *const all = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) {
        perror("guard_map_stripes");
        exit(EXIT_FAILURE);
    }
    for (size_t i = 0; i < count; ++i) {
        if (mprotect(all + (2 * i + 1) * page, page, PROT_READ | PROT_WRITE) != 0) {
            perror("guard_map_stripes");
            exit(EXIT_FAILURE);
        }
    }
    return (striped){all + page, page, count};
}

void guard_unmap_stripes(const striped memory)
{
    munmap(memory.begin - memory.page, (2 * memory.count + 1) * memory.page);
}

static sigjmp_buf fault_exit;

static void on_fault(const int signal_number)
{
    (void)signal_number;
    siglongjmp(fault_exit, 1);
}

bool guard_catches_fault(void (*const action)(void *), void *const context)
{
    struct sigaction caught = {.sa_handler = on_fault};
    struct sigaction old_segv;
    struct sigaction old_bus;
    sigemptyset(&caught.sa_mask);
    sigaction(SIGSEGV, &caught, &old_segv);
    sigaction(SIGBUS, &caught, &old_bus);
    volatile bool faulted = true;
    if (sigsetjmp(fault_exit, 1) == 0) {
        action(context);
        faulted = false;
    }
    sigaction(SIGSEGV, &old_segv, NULL);
    sigaction(SIGBUS, &old_bus, NULL);
    return faulted;
}

/* Neighbours differ, and so do bytes a vector apart. */
static unsigned char pattern(const size_t position)
{
    return (unsigned char)(0xa5u ^ (position * 29u) ^ (position >> 7));
}

/* Positions are counted from the start of each chunk; memcpy and memcmp make a call cheap. */
enum { CHUNK = 1 << 14 };

static const unsigned char *pattern_chunk(void)
{
    static unsigned char chunk[CHUNK];
    if (chunk[0] != pattern(0)) {
        for (size_t i = 0; i < CHUNK; ++i) {
            chunk[i] = pattern(i);
        }
    }
    return chunk;
}

static size_t smaller(const size_t left, const size_t right)
{
    return left < right ? left : right;
}

void guard_fill(const guarded memory)
{
    for (size_t done = 0; done < memory.size; done += CHUNK) {
        memcpy(memory.begin + done, pattern_chunk(), smaller(CHUNK, memory.size - done));
    }
}

unsigned char guard_pattern(const size_t position)
{
    return pattern(position % CHUNK);
}

static bool holds_pattern(const guarded memory, size_t from, const size_t to)
{
    while (from < to) {
        const size_t inside = from % CHUNK;
        const size_t length = smaller(CHUNK - inside, to - from);
        if (memcmp(memory.begin + from, pattern_chunk() + inside, length) != 0) {
            return false;
        }
        from += length;
    }
    return true;
}

bool guard_is_untouched_outside(const guarded memory, const unsigned char *const first,
                                const size_t size)
{
    const size_t from = (size_t)(first - memory.begin);
    return holds_pattern(memory, 0, from) && holds_pattern(memory, from + size, memory.size);
}
