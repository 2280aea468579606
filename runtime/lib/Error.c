// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TileRuntime/Error.h"

#include <stdarg.h>
#include <stdio.h>

bool tile_rt_fail(TileRtError *error, const char *format, ...) {
  if (error) {
    va_list args;
    va_start(args, format);
    vsnprintf(error->message, sizeof(error->message), format, args);
    va_end(args);
  }
  return false;
}
