/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fibers. A switch saves the callee-saved registers and changes the stack pointer; the compiler saves the
 * rest. Each thread keeps its stacks, each with a guard page below it.
 */
#define _GNU_SOURCE
#include "kernels/fiber.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define HAVE_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAVE_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define HAVE_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HAVE_TSAN 1
#endif
#endif
#ifdef HAVE_ASAN
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef HAVE_TSAN
#include <sanitizer/tsan_interface.h>
#endif

enum { STACK_SIZE = 64 << 10 };

/* Pushes the callee-saved registers, stores the stack pointer in *from, and continues where `to` was
 * saved. */
void fiber_switch(void **from, void *to) __asm__("lode_fiber_switch") __attribute__((visibility("hidden")));

#if defined(__x86_64__)
__asm__(".text\n"
        ".globl lode_fiber_switch\n"
        ".hidden lode_fiber_switch\n"
        ".type lode_fiber_switch, @function\n"
        "lode_fiber_switch:\n"
        "    pushq %rbp\n    pushq %rbx\n    pushq %r12\n    pushq %r13\n    pushq %r14\n    pushq %r15\n"
        "    subq $8, %rsp\n    stmxcsr (%rsp)\n    fnstcw 4(%rsp)\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    ldmxcsr (%rsp)\n    fldcw 4(%rsp)\n    addq $8, %rsp\n"
        "    popq %r15\n    popq %r14\n    popq %r13\n    popq %r12\n    popq %rbx\n    popq %rbp\n"
        "    ret\n"
        ".size lode_fiber_switch, .-lode_fiber_switch\n");

/* Prepares a stack so that fiber_switch to it returns into `entry`. */
static void *prepare_stack(char *top, void (*entry)(void)) {
    uintptr_t *stack = (uintptr_t *)top;
    *--stack = 0; /* return address of entry; aligns the stack as after a call */
    *--stack = (uintptr_t)entry;
    stack -= 6; /* six registers */
    memset(stack, 0, 6 * sizeof *stack);
    uint32_t *control = (uint32_t *)--stack;
    __asm__ volatile("stmxcsr %0\n fnstcw %1" : "=m"(control[0]), "=m"(control[1]));
    return stack;
}
#elif defined(__aarch64__)
__asm__(".text\n"
        ".globl lode_fiber_switch\n"
        ".hidden lode_fiber_switch\n"
        ".type lode_fiber_switch, %function\n"
        "lode_fiber_switch:\n"
        "    sub sp, sp, #160\n"
        "    stp x19, x20, [sp]\n    stp x21, x22, [sp, #16]\n    stp x23, x24, [sp, #32]\n"
        "    stp x25, x26, [sp, #48]\n    stp x27, x28, [sp, #64]\n    stp x29, x30, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n    stp d10, d11, [sp, #112]\n    stp d12, d13, [sp, #128]\n"
        "    stp d14, d15, [sp, #144]\n"
        "    mov x9, sp\n    str x9, [x0]\n"
        "    mov sp, x1\n"
        "    ldp x19, x20, [sp]\n    ldp x21, x22, [sp, #16]\n    ldp x23, x24, [sp, #32]\n"
        "    ldp x25, x26, [sp, #48]\n    ldp x27, x28, [sp, #64]\n    ldp x29, x30, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n    ldp d10, d11, [sp, #112]\n    ldp d12, d13, [sp, #128]\n"
        "    ldp d14, d15, [sp, #144]\n"
        "    add sp, sp, #160\n"
        "    ret\n"
        ".size lode_fiber_switch, .-lode_fiber_switch\n");

static void *prepare_stack(char *top, void (*entry)(void)) {
    uintptr_t *stack = (uintptr_t *)(top - 160);
    memset(stack, 0, 160);
    stack[11] = (uintptr_t)entry;
    return stack;
}
#endif

#if HAVE_FIBERS

struct fiber {
    void *stack; /* its saved stack pointer */
    bool done;
    uint32_t local_id[3];
#ifdef HAVE_ASAN
    void *fake_stack;
#endif
#ifdef HAVE_TSAN
    void *tsan;
#endif
};

/* The fibers of a thread and their stacks. */
struct stacks {
    size_t count, stride;
    char *memory;
    struct fiber fibers[];
};
static pthread_key_t stacks_key;
static pthread_once_t stacks_once = PTHREAD_ONCE_INIT;
static _Thread_local struct stacks *stacks;

static void free_stacks(void *pointer) {
    struct stacks *old = pointer;
    munmap(old->memory, old->count * old->stride);
    free(old);
    stacks = NULL;
}

static void make_stacks_key(void) {
    pthread_key_create(&stacks_key, free_stacks);
}

static size_t page_size(void) {
    return (size_t)sysconf(_SC_PAGESIZE);
}

static struct stacks *stacks_new(size_t count) {
    struct stacks *made = malloc(sizeof *made + count * sizeof made->fibers[0]);
    if (!made) return NULL;
    *made = (struct stacks){.count = count, .stride = STACK_SIZE + page_size()};
    made->memory = mmap(NULL, count * made->stride, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (made->memory == MAP_FAILED) {
        free(made);
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        mprotect(made->memory + i * made->stride, page_size(), PROT_NONE);
    return made;
}

static struct stacks *stacks_of(size_t count) {
    if (stacks && stacks->count >= count) return stacks;
    pthread_once(&stacks_once, make_stacks_key);
    struct stacks *more = stacks_new(count);
    if (!more) return NULL;
    if (stacks) free_stacks(stacks);
    stacks = more;
    pthread_setspecific(stacks_key, more);
    return more;
}

/* A group while its items run. The kernel gets a pointer to the first member. */
struct fiber_group {
    struct native_group group;
    const struct native_kernel *kernel;
    void *const *args;
    void *scheduler; /* saved stack pointer of the scheduler */
    struct fiber *current;
    struct stacks *stacks;
    struct fiber *fibers;
#ifdef HAVE_ASAN
    void *fake_stack;
    const void *bottom;
    size_t size;
#endif
#ifdef HAVE_TSAN
    void *tsan;
#endif
};

/* The group of a fiber being started: a new stack carries no argument. */
static _Thread_local struct fiber_group *starting;

static void to_scheduler(struct fiber_group *group) {
    struct fiber *fiber = group->current;
#ifdef HAVE_ASAN
    __sanitizer_start_switch_fiber(fiber->done ? NULL : &fiber->fake_stack, group->bottom, group->size);
#endif
#ifdef HAVE_TSAN
    __tsan_switch_to_fiber(group->tsan, 0);
#endif
    fiber_switch(&fiber->stack, group->scheduler);
#ifdef HAVE_ASAN
    __sanitizer_finish_switch_fiber(fiber->fake_stack, &group->bottom, &group->size);
#endif
}

static void to_fiber(struct fiber_group *group, struct fiber *fiber) {
    group->current = fiber;
    starting = group;
#ifdef HAVE_ASAN
    char *memory = group->stacks->memory + (size_t)(fiber - group->fibers) * group->stacks->stride;
    __sanitizer_start_switch_fiber(&group->fake_stack, memory + page_size(), STACK_SIZE);
#endif
#ifdef HAVE_TSAN
    __tsan_switch_to_fiber(fiber->tsan, 0);
#endif
    fiber_switch(&group->scheduler, fiber->stack);
#ifdef HAVE_ASAN
    __sanitizer_finish_switch_fiber(group->fake_stack, NULL, NULL);
#endif
}

static void barrier(const struct native_group *group) {
    to_scheduler((struct fiber_group *)group);
}

static void fiber_main(void) {
    struct fiber_group *group = starting;
#ifdef HAVE_ASAN
    __sanitizer_finish_switch_fiber(NULL, &group->bottom, &group->size);
#endif
    struct fiber *fiber = group->current;
    group->kernel->run_item(&group->group, fiber->local_id, group->args);
    fiber->done = true;
    to_scheduler(group);
    __builtin_unreachable();
}

static void fiber_prepare(struct fiber_group *group, size_t index) {
    const uint32_t *size = group->group.size;
    char *top = group->stacks->memory + (index + 1) * group->stacks->stride;
    group->fibers[index] = (struct fiber){
            .stack = prepare_stack(top, fiber_main),
            .local_id = {(uint32_t)(index % size[0]), (uint32_t)(index / size[0] % size[1]),
                         (uint32_t)(index / size[0] / size[1])},
    };
#ifdef HAVE_TSAN
    group->fibers[index].tsan = __tsan_create_fiber(0);
#endif
}

/* Each round runs every item up to the next barrier. */
static void run_rounds(struct fiber_group *group, size_t items) {
    for (size_t left = items; left > 0;) {
        for (size_t i = 0; i < items; i++) {
            struct fiber *fiber = &group->fibers[i];
            if (fiber->done) continue;
            to_fiber(group, fiber);
            left -= fiber->done;
        }
    }
}

bool fibers_run_group(const struct native_kernel *kernel, const struct native_group *native,
                      void *const *args) {
    size_t items = (size_t)native->size[0] * native->size[1] * native->size[2];
    struct fiber_group group = {.group = *native, .kernel = kernel, .args = args};
    group.group.barrier = barrier;
    group.stacks = stacks_of(items);
    if (!group.stacks) return false;
    group.fibers = group.stacks->fibers;
#ifdef HAVE_TSAN
    group.tsan = __tsan_get_current_fiber();
#endif
    for (size_t i = 0; i < items; i++)
        fiber_prepare(&group, i);
    run_rounds(&group, items);
#ifdef HAVE_TSAN
    for (size_t i = 0; i < items; i++)
        __tsan_destroy_fiber(group.fibers[i].tsan);
#endif
    return true;
}
#else
bool fibers_run_group(const struct native_kernel *kernel, const struct native_group *group,
                      void *const *args) {
    (void)kernel, (void)group, (void)args;
    return false;
}
#endif
