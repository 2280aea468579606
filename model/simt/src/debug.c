// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels print, and where they stop themselves.

#include "debug.h"

#include <stdio.h>
#include <string.h>

static const void *pointer(struct simt_call *call, int operand) {
  return (const void *)(uintptr_t)simt_number(call, 0, operand);
}

/// The next argument of vprintf: each lies at a multiple of its size.
static uint64_t take(const unsigned char **at, size_t bytes) {
  uint64_t value = 0;
  uintptr_t rest = (uintptr_t)*at % bytes;
  *at += rest ? bytes - rest : 0;
  memcpy(&value, *at, bytes);
  *at += bytes;
  return value;
}

/// %d, %lld, %g with a precision, and %%: what the compiler writes.
void simt_vprintf(struct simt_call *call) {
  const char *format = pointer(call, 0);
  const unsigned char *values = pointer(call, 1);
  while (*format) {
    size_t length = strcspn(format, "%");
    fwrite(format, 1, length, stdout);
    format += length;
    if (!*format)
      break;
    char one[16];
    length = 1 + strcspn(format + 1, "%dg") + 1;
    if (length >= sizeof(one))
      simt_fail(call, 0, "the model does not know the format '%s'", format);
    memcpy(one, format, length);
    one[length] = 0;
    format += length;
    if (one[length - 1] == 'd') {
      long long value = strstr(one, "ll") ? (long long)take(&values, 8)
                                          : (long long)(int32_t)take(&values, 4);
      printf("%lld", value);
    } else if (one[length - 1] == 'g') {
      uint64_t bits = take(&values, 8);
      double value;
      memcpy(&value, &bits, sizeof(value));
      printf("%.9g", value);
    } else {
      putchar('%');
    }
  }
  fflush(stdout);
  simt_set(call, 0, 0, 0);
}

void simt_assertfail(struct simt_call *call) {
  const char *message = pointer(call, 0);
  simt_fail(call, 0, "assertion failed: %s", message);
}

void simt_trap(struct simt_call *call) {
  simt_fail(call, 0, "the kernel has stopped itself");
}
