/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "harness.h"

#include "control_word.h"
#include "reference.h"

#include <setjmp.h>
#include <signal.h>
#include <string.h>

enum { HARNESS_BYTES = 4096 };

const char *verdict_name(const verdict value)
{
    static const char *const names[] = {
        [VERDICT_OK] = "ok",
        [VERDICT_WRONG_RESULT] = "wrong result",
        [VERDICT_WROTE_OUTSIDE] = "wrote outside the output span",
        [VERDICT_WROTE_INPUT] = "wrote to the input",
        [VERDICT_FAULT] = "touched a protected page",
        [VERDICT_CLOBBERED_REGISTER] = "clobbered a callee-saved register",
        [VERDICT_CHANGED_MODE] = "changed the floating-point control word",
    };
    return names[value];
}

size_t output_width(const sima_a65_dequant_result result)
{
    return result == SIMA_A65_DEQUANT_F32 ? sizeof(float) : sizeof(uint16_t);
}

float float_from_bits(const uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

void expected_fill(expected *const table, const int32_t zero_point, const uint32_t scale_bits)
{
    for (int value = -128; value < 128; ++value) {
        const uint32_t bits = reference_f32((int8_t)value, zero_point, scale_bits);
        table->f32[value + 128] = bits;
        table->bf16[value + 128] = reference_narrow(bits);
    }
}

harness harness_open(void)
{
    const harness watch = {guard_map(HARNESS_BYTES), guard_map(HARNESS_BYTES)};
    return watch;
}

void harness_close(const harness watch)
{
    guard_unmap(watch.input);
    guard_unmap(watch.output);
}

/* ---- the call itself ---- */

static sigjmp_buf fault_exit;

static void on_fault(const int signal_number)
{
    (void)signal_number;
    siglongjmp(fault_exit, 1);
}

#if defined(__aarch64__)
/*
 * uint64_t checked_call(run, input, output, count, operands)
 *
 * Plants a value in each of d8..d15, which a function must preserve, and returns what differs
 * afterwards: 0 when all are as they were.
 */
__asm__(".text\n"
        ".p2align 2\n"
        ".type checked_call, %function\n"
        "checked_call:\n"
        "    stp x29, x30, [sp, #-96]!\n"
        "    mov x29, sp\n"
        "    stp d8, d9, [sp, #16]\n"
        "    stp d10, d11, [sp, #32]\n"
        "    stp d12, d13, [sp, #48]\n"
        "    stp d14, d15, [sp, #64]\n"
        "    mov x9, #0x5a5a\n"
        "    movk x9, #0xc3c3, lsl #16\n"
        "    movk x9, #0x1248, lsl #48\n"
        "    fmov d8, x9\n    fmov d9, x9\n    fmov d10, x9\n    fmov d11, x9\n"
        "    fmov d12, x9\n    fmov d13, x9\n    fmov d14, x9\n    fmov d15, x9\n"
        "    str x9, [sp, #80]\n"
        "    mov x9, x0\n"
        "    mov x0, x1\n"
        "    mov x1, x2\n"
        "    mov x2, x3\n"
        "    mov x3, x4\n"
        "    blr x9\n"
        "    ldr x9, [sp, #80]\n"
        "    fmov x10, d8\n    eor x0, x10, x9\n"
        "    fmov x10, d9\n    eor x10, x10, x9\n    orr x0, x0, x10\n"
        "    fmov x10, d10\n    eor x10, x10, x9\n    orr x0, x0, x10\n"
        "    fmov x10, d11\n    eor x10, x10, x9\n    orr x0, x0, x10\n"
        "    fmov x10, d12\n    eor x10, x10, x9\n    orr x0, x0, x10\n"
        "    fmov x10, d13\n    eor x10, x10, x9\n    orr x0, x0, x10\n"
        "    fmov x10, d14\n    eor x10, x10, x9\n    orr x0, x0, x10\n"
        "    fmov x10, d15\n    eor x10, x10, x9\n    orr x0, x0, x10\n"
        "    ldp d8, d9, [sp, #16]\n"
        "    ldp d10, d11, [sp, #32]\n"
        "    ldp d12, d13, [sp, #48]\n"
        "    ldp d14, d15, [sp, #64]\n"
        "    ldp x29, x30, [sp], #96\n"
        "    ret\n"
        ".size checked_call, . - checked_call\n");
extern uint64_t checked_call(sima_a65_dequant_span_fn run, const int8_t *input, void *output,
                             size_t count, const sima_a65_dequant_operands *operands);
#else
/* The x86-64 System V convention preserves no vector register. */
static uint64_t checked_call(const sima_a65_dequant_span_fn run, const int8_t *const input,
                             void *const output, const size_t count,
                             const sima_a65_dequant_operands *const operands)
{
    run(input, output, count, operands);
    return 0;
}
#endif

static verdict watched_call(const sima_a65_dequant_span_fn run, const int8_t *const input,
                            void *const output, const size_t count,
                            const sima_a65_dequant_operands *const operands)
{
    struct sigaction caught = {.sa_handler = on_fault};
    struct sigaction old_segv;
    struct sigaction old_bus;
    sigemptyset(&caught.sa_mask);
    sigaction(SIGSEGV, &caught, &old_segv);
    sigaction(SIGBUS, &caught, &old_bus);
    const uint64_t mode = control_word_read();
    volatile verdict outcome = VERDICT_FAULT;
    if (sigsetjmp(fault_exit, 1) == 0) {
        const uint64_t clobbered = checked_call(run, input, output, count, operands);
        outcome = clobbered == 0 ? VERDICT_OK : VERDICT_CLOBBERED_REGISTER;
    }
    if (control_word_read() != mode) {
        control_word_write(mode);
        outcome = VERDICT_CHANGED_MODE;
    }
    sigaction(SIGSEGV, &old_segv, NULL);
    sigaction(SIGBUS, &old_bus, NULL);
    return outcome;
}

/* ---- placement and comparison ---- */

static unsigned char *place_span(const guarded memory, const size_t size, const placement place,
                                 const size_t offset)
{
    if (place == PLACE_AT_END) {
        return memory.begin + memory.size - size;
    }
    return memory.begin + (place == PLACE_AT_OFFSET ? offset : 0);
}

static int8_t input_value(const size_t index)
{
    return (int8_t)((int)(index % 256) - 128);
}

static bool inputs_are_unchanged(const int8_t *const input, const size_t count, const size_t first)
{
    for (size_t i = 0; i < count; ++i) {
        if (input[i] != input_value(first + i)) {
            return false;
        }
    }
    return true;
}

static bool results_match(const unsigned char *const results, const sima_a65_dequant_result result,
                          const expected *const table, const size_t count, const size_t first)
{
    for (size_t i = 0; i < count; ++i) {
        const size_t value = (first + i) % 256;
        const void *const want = result == SIMA_A65_DEQUANT_F32 ? (const void *)&table->f32[value]
                                                                : (const void *)&table->bf16[value];
        const size_t width = output_width(result);
        if (memcmp(results + i * width, want, width) != 0) {
            return false;
        }
    }
    return true;
}

verdict harness_call(const harness watch, const sima_a65_dequant_span_fn run,
                     const sima_a65_dequant_result result,
                     const sima_a65_dequant_operands *const operands, const expected *const table,
                     const size_t count, const size_t first, const placement place,
                     const size_t input_offset, const size_t output_offset)
{
    const size_t output_size = count * output_width(result);
    int8_t *const input = (int8_t *)place_span(watch.input, count, place, input_offset);
    unsigned char *const results = place_span(watch.output, output_size, place, output_offset);
    guard_fill(watch.input);
    guard_fill(watch.output);
    for (size_t i = 0; i < count; ++i) {
        input[i] = input_value(first + i);
    }
    const verdict outcome = watched_call(run, input, results, count, operands);
    if (outcome != VERDICT_OK) {
        return outcome;
    }
    if (!guard_is_untouched_outside(watch.output, results, output_size)) {
        return VERDICT_WROTE_OUTSIDE;
    }
    if (!guard_is_untouched_outside(watch.input, (unsigned char *)input, count) ||
        !inputs_are_unchanged(input, count, first)) {
        return VERDICT_WROTE_INPUT;
    }
    return results_match(results, result, table, count, first) ? VERDICT_OK : VERDICT_WRONG_RESULT;
}
