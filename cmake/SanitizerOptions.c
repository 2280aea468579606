// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options of AddressSanitizer in our programs. libMLIR.so and libLLVM.so are not instrumented: vectors and allocators that
// they and we use are marked by one side only.

const char *__asan_default_options(void);
const char *__asan_default_options(void) {
  return "detect_container_overflow=0:allow_user_poisoning=0:"
         "detect_stack_use_after_return=0:allocator_may_return_null=1";
}
