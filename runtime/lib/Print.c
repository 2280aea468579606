// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines of tile.print.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "TileRuntime/Print.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

// Whether the line of this thread has an index already.
static _Thread_local bool has_index;

void tile_rt_print_begin(const char *message) {
  flockfile(stdout);
  has_index = false;
  fputs(message, stdout);
}

void tile_rt_print_index(int64_t index) {
  printf("%s%" PRId64, has_index ? ", " : "[", index);
  has_index = true;
}

static void end_line(void) {
  putchar('\n');
  funlockfile(stdout);
}

void tile_rt_print_float(double value) {
  printf("%s = %.9g", has_index ? "]" : "", value);
  end_line();
}

void tile_rt_print_integer(int64_t value) {
  printf("%s = %" PRId64, has_index ? "]" : "", value);
  end_line();
}
