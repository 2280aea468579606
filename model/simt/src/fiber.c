// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#define _GNU_SOURCE 1
#include "model.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

// Enough for the registers of a thread that all live in memory; only pages
// that are touched are backed.
enum { kStackBytes = 1 << 18, kGuardBytes = 1 << 12 };

static void allocate(struct simt_fiber *fiber) {
  void *memory = mmap(NULL, kStackBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    abort();
  mprotect(memory, kGuardBytes, PROT_NONE);
  fiber->stack = memory;
  fiber->bytes = kStackBytes;
}

#if defined(__x86_64__)

// What a callee must keep: rbx, rbp, r12 to r15. The rest is the caller's.
__asm__(".text\n"
        ".globl simt_fiber_switch\n"
        ".hidden simt_fiber_switch\n"
        ".type simt_fiber_switch, @function\n"
        "simt_fiber_switch:\n"
        "  pushq %rbx\n"
        "  pushq %rbp\n"
        "  pushq %r12\n"
        "  pushq %r13\n"
        "  pushq %r14\n"
        "  pushq %r15\n"
        "  movq %rsp, (%rdi)\n"
        "  movq %rsi, %rsp\n"
        "  popq %r15\n"
        "  popq %r14\n"
        "  popq %r13\n"
        "  popq %r12\n"
        "  popq %rbp\n"
        "  popq %rbx\n"
        "  ret\n"
        ".size simt_fiber_switch, . - simt_fiber_switch\n");

void simt_fiber_start(struct simt_fiber *fiber, void (*run)(void)) {
  if (!fiber->stack)
    allocate(fiber);
  // `run` begins as if it had been called, and never returns.
  uint64_t *top = (uint64_t *)((char *)fiber->stack + fiber->bytes - 64);
  *--top = 0;
  *--top = (uint64_t)(uintptr_t)run;
  top -= 6;
  memset(top, 0, 6 * sizeof(*top));
  fiber->top = top;
}

#elif defined(__aarch64__)

// What a callee must keep: x19 to x30, d8 to d15.
__asm__(".text\n"
        ".globl simt_fiber_switch\n"
        ".hidden simt_fiber_switch\n"
        ".type simt_fiber_switch, %function\n"
        "simt_fiber_switch:\n"
        "  sub sp, sp, #160\n"
        "  stp x19, x20, [sp]\n"
        "  stp x21, x22, [sp, #16]\n"
        "  stp x23, x24, [sp, #32]\n"
        "  stp x25, x26, [sp, #48]\n"
        "  stp x27, x28, [sp, #64]\n"
        "  stp x29, x30, [sp, #80]\n"
        "  stp d8, d9, [sp, #96]\n"
        "  stp d10, d11, [sp, #112]\n"
        "  stp d12, d13, [sp, #128]\n"
        "  stp d14, d15, [sp, #144]\n"
        "  mov x9, sp\n"
        "  str x9, [x0]\n"
        "  mov sp, x1\n"
        "  ldp x19, x20, [sp]\n"
        "  ldp x21, x22, [sp, #16]\n"
        "  ldp x23, x24, [sp, #32]\n"
        "  ldp x25, x26, [sp, #48]\n"
        "  ldp x27, x28, [sp, #64]\n"
        "  ldp x29, x30, [sp, #80]\n"
        "  ldp d8, d9, [sp, #96]\n"
        "  ldp d10, d11, [sp, #112]\n"
        "  ldp d12, d13, [sp, #128]\n"
        "  ldp d14, d15, [sp, #144]\n"
        "  add sp, sp, #160\n"
        "  ret\n"
        ".size simt_fiber_switch, . - simt_fiber_switch\n");

void simt_fiber_start(struct simt_fiber *fiber, void (*run)(void)) {
  if (!fiber->stack)
    allocate(fiber);
  uint64_t *top = (uint64_t *)((char *)fiber->stack + fiber->bytes - 64) - 20;
  memset(top, 0, 160);
  top[11] = (uint64_t)(uintptr_t)run;
  fiber->top = top;
}

#else
#error "the SIMT model has no fibers for this machine"
#endif
