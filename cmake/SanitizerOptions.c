// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options of the sanitizers in our programs. libMLIR.so and libLLVM.so are not instrumented: vectors and allocators that they and
// we use are marked by one side only, and what they do with atomic variables orders nothing that ThreadSanitizer sees. Tests that
// run out of memory want the null pointer, not a report, and children of a fork start threads of their own.

const char *__asan_default_options(void);
const char *__asan_default_options(void) {
  return "detect_container_overflow=0:allow_user_poisoning=0:"
         "detect_stack_use_after_return=0:allocator_may_return_null=1";
}

const char *__tsan_default_options(void);
const char *__tsan_default_options(void) {
  return "ignore_noninstrumented_modules=1:allocator_may_return_null=1:"
         "die_after_fork=0";
}
