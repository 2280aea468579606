// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#define _GNU_SOURCE 1
#include "model.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

// Enough for the registers of a thread that all live in memory; only pages
// that are touched are backed. A process may have 65530 mappings (Linux,
// vm.max_map_count), and a guard page makes two, so that the stacks beyond the
// first ones have none.
enum {
  kStackBytes = 1 << 18,
  kGuardBytes = 1 << 12,
  kSlabStacks = 64,
  kGuarded = 1 << 13
};

static bool allocate(struct simt_fiber *fiber) {
  static char *slab;
  static int left, count;
  if (!left) {
    slab = mmap(NULL, (size_t)kSlabStacks * kStackBytes, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (slab == MAP_FAILED)
      return false;
    left = kSlabStacks;
  }
  void *memory = slab + (size_t)--left * kStackBytes;
  if (count < kGuarded) {
    mprotect(memory, kGuardBytes, PROT_NONE);
    ++count;
  }
  fiber->stack = memory;
  fiber->bytes = kStackBytes;
  return true;
}

// AddressSanitizer wants to know on which stack it is. What it has written
// beside variables of frames that nobody returns to stays: a fiber that ends
// takes it away, and a stack that is abandoned is not used again.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>

static _Thread_local const void *schedulerStack;
static _Thread_local size_t schedulerBytes;

static void leave(void **frames, const void *stack, size_t bytes) {
  __sanitizer_start_switch_fiber(frames, stack, bytes);
}

static void arrive(void *frames) {
  __sanitizer_finish_switch_fiber(frames, NULL, NULL);
}

void simt_fiber_begin(void) {
  __sanitizer_finish_switch_fiber(NULL, &schedulerStack, &schedulerBytes);
}

static void forgetFrames(void) { __asan_handle_no_return(); }

bool simt_fiber_abandon(struct simt_fiber *fiber) {
  mprotect(fiber->stack, fiber->bytes, PROT_NONE);
  return false;
}
#else
enum { schedulerBytes = 0 };
#define schedulerStack NULL

static void leave(void **frames, const void *stack, size_t bytes) {
  (void)frames, (void)stack, (void)bytes;
}

static void arrive(void *frames) { (void)frames; }

void simt_fiber_begin(void) {}

static void forgetFrames(void) {}

bool simt_fiber_abandon(struct simt_fiber *fiber) {
  (void)fiber;
  return true;
}
#endif

/// Saves the stack pointer in `*from` and goes on at `to`.
void simt_fiber_switch(void **from, void *to);

void simt_fiber_resume(void **from, const struct simt_fiber *fiber) {
  void *frames = NULL;
  leave(&frames, fiber->stack, fiber->bytes);
  simt_fiber_switch(from, fiber->top);
  arrive(frames);
}

void simt_fiber_suspend(void **from, void *resumed) {
  void *frames = NULL;
  leave(&frames, schedulerStack, schedulerBytes);
  simt_fiber_switch(from, resumed);
  arrive(frames);
}

void simt_fiber_end(void *resumed) {
  void *nowhere;
  forgetFrames();
  leave(NULL, schedulerStack, schedulerBytes);
  simt_fiber_switch(&nowhere, resumed);
  abort();
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

bool simt_fiber_start(struct simt_fiber *fiber, void (*run)(void)) {
  if (!fiber->stack && !allocate(fiber))
    return false;
  // `run` begins as if it had been called, and never returns.
  uint64_t *top = (uint64_t *)((char *)fiber->stack + fiber->bytes - 64);
  *--top = 0;
  *--top = (uint64_t)(uintptr_t)run;
  top -= 6;
  memset(top, 0, 6 * sizeof(*top));
  fiber->top = top;
  return true;
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

bool simt_fiber_start(struct simt_fiber *fiber, void (*run)(void)) {
  if (!fiber->stack && !allocate(fiber))
    return false;
  uint64_t *top = (uint64_t *)((char *)fiber->stack + fiber->bytes - 64) - 20;
  memset(top, 0, 160);
  top[11] = (uint64_t)(uintptr_t)run;
  fiber->top = top;
  return true;
}

#else
#error "the SIMT model has no fibers for this machine"
#endif
