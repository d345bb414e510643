/* SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"

#include "control_word.h"
#include "reference.h"

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

/*
 * uint64_t checked_call(run, input, output, count, operands)
 *
 * Plants a value in each register that a function must preserve, and returns what differs
 * afterwards: 0 when all are as they were. A fault leaves by siglongjmp(), which puts the
 * caller's own values back.
 */
#if defined(__aarch64__)
/* x19..x28, and d8..d15: of the vector registers, the lower halves of these. */
__asm__(".text\n"
        ".p2align 2\n"
        ".type checked_call, %function\n"
        "checked_call:\n"
        "    stp x29, x30, [sp, #-176]!\n"
        "    mov x29, sp\n"
        "    stp d8, d9, [sp, #16]\n"
        "    stp d10, d11, [sp, #32]\n"
        "    stp d12, d13, [sp, #48]\n"
        "    stp d14, d15, [sp, #64]\n"
        "    stp x19, x20, [sp, #80]\n"
        "    stp x21, x22, [sp, #96]\n"
        "    stp x23, x24, [sp, #112]\n"
        "    stp x25, x26, [sp, #128]\n"
        "    stp x27, x28, [sp, #144]\n"
        "    mov x9, #0x5a5a\n"
        "    movk x9, #0xc3c3, lsl #16\n"
        "    movk x9, #0x1248, lsl #48\n"
        "    str x9, [sp, #160]\n"
        "    .irp n, 8, 9, 10, 11, 12, 13, 14, 15\n"
        "    fmov d\\n, x9\n"
        "    .endr\n"
        "    .irp n, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28\n"
        "    mov x\\n, x9\n"
        "    .endr\n"
        "    mov x9, x0\n"
        "    mov x0, x1\n"
        "    mov x1, x2\n"
        "    mov x2, x3\n"
        "    mov x3, x4\n"
        "    blr x9\n"
        "    ldr x9, [sp, #160]\n"
        "    mov x0, #0\n"
        "    .irp n, 8, 9, 10, 11, 12, 13, 14, 15\n"
        "    fmov x10, d\\n\n"
        "    eor x10, x10, x9\n"
        "    orr x0, x0, x10\n"
        "    .endr\n"
        "    .irp n, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28\n"
        "    eor x10, x\\n, x9\n"
        "    orr x0, x0, x10\n"
        "    .endr\n"
        "    ldp d8, d9, [sp, #16]\n"
        "    ldp d10, d11, [sp, #32]\n"
        "    ldp d12, d13, [sp, #48]\n"
        "    ldp d14, d15, [sp, #64]\n"
        "    ldp x19, x20, [sp, #80]\n"
        "    ldp x21, x22, [sp, #96]\n"
        "    ldp x23, x24, [sp, #112]\n"
        "    ldp x25, x26, [sp, #128]\n"
        "    ldp x27, x28, [sp, #144]\n"
        "    ldp x29, x30, [sp], #176\n"
        "    ret\n"
        ".size checked_call, . - checked_call\n");
#elif defined(__x86_64__)
/* rbx, rbp and r12..r15: the System V convention preserves no vector register. */
__asm__(".text\n"
        ".type checked_call, @function\n"
        "checked_call:\n"
        "    pushq %rbp\n    pushq %rbx\n    pushq %r12\n"
        "    pushq %r13\n    pushq %r14\n    pushq %r15\n"
        "    subq $8, %rsp\n"
        "    movq %rdi, %rax\n"
        "    movq %rsi, %rdi\n"
        "    movq %rdx, %rsi\n"
        "    movq %rcx, %rdx\n"
        "    movq %r8, %rcx\n"
        "    movabsq $0x12480000c3c35a5a, %rbx\n"
        "    movq %rbx, %rbp\n    movq %rbx, %r12\n    movq %rbx, %r13\n"
        "    movq %rbx, %r14\n    movq %rbx, %r15\n"
        "    call *%rax\n"
        "    movabsq $0x12480000c3c35a5a, %rcx\n"
        "    xorq %rcx, %rbx\n    xorq %rcx, %rbp\n    xorq %rcx, %r12\n"
        "    xorq %rcx, %r13\n    xorq %rcx, %r14\n    xorq %rcx, %r15\n"
        "    movq %rbx, %rax\n"
        "    orq %rbp, %rax\n    orq %r12, %rax\n    orq %r13, %rax\n"
        "    orq %r14, %rax\n    orq %r15, %rax\n"
        "    addq $8, %rsp\n"
        "    popq %r15\n    popq %r14\n    popq %r13\n"
        "    popq %r12\n    popq %rbx\n    popq %rbp\n"
        "    ret\n"
        ".size checked_call, . - checked_call\n");
#else
#error "the tests know the calling conventions of AArch64 and x86-64 only"
#endif
extern uint64_t checked_call(sima_a65_dequant_span_fn run, const int8_t *input, void *output,
                             size_t count, const sima_a65_dequant_operands *operands);

typedef struct watched {
    sima_a65_dequant_span_fn run;
    const int8_t *input;
    void *output;
    size_t count;
    const sima_a65_dequant_operands *operands;
    uint64_t clobbered;
} watched;

static void call_watched(void *const context)
{
    watched *const call = context;
    call->clobbered =
        checked_call(call->run, call->input, call->output, call->count, call->operands);
}

static verdict watched_call(const sima_a65_dequant_span_fn run, const int8_t *const input,
                            void *const output, const size_t count,
                            const sima_a65_dequant_operands *const operands)
{
    watched call = {run, input, output, count, operands, 0};
    const uint64_t mode = control_word_read();
    const bool faulted = guard_catches_fault(call_watched, &call);
    if (control_word_read() != mode) {
        control_word_write(mode);
        return VERDICT_CHANGED_MODE;
    }
    if (faulted) {
        return VERDICT_FAULT;
    }
    return call.clobbered == 0 ? VERDICT_OK : VERDICT_CLOBBERED_REGISTER;
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

/* Compares in runs, since the table is one cycle of the inputs. */
static bool results_match(const unsigned char *const results, const sima_a65_dequant_result result,
                          const expected *const table, const size_t count, const size_t first)
{
    const size_t width = output_width(result);
    const unsigned char *const wanted = result == SIMA_A65_DEQUANT_F32
                                            ? (const unsigned char *)table->f32
                                            : (const unsigned char *)table->bf16;
    for (size_t done = 0; done < count;) {
        const size_t value = (first + done) % 256;
        const size_t run = count - done < 256 - value ? count - done : 256 - value;
        if (memcmp(results + done * width, wanted + value * width, run * width) != 0) {
            return false;
        }
        done += run;
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
