// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the runtime reports failures.

#ifndef TILERUNTIME_ERROR_H
#define TILERUNTIME_ERROR_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One line, lower case, without a newline: "what: expected ..., got ...".
/// Functions that can fail return false and fill the error they are given; null
/// stands for "no message wanted". After success its content is unchanged.
typedef struct TileRtError {
  char message[1024];
} TileRtError;

/// Formats the message, cut to the size of the struct, and returns false.
bool tile_rt_fail(TileRtError *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#ifdef __cplusplus
}
#endif

#endif // TILERUNTIME_ERROR_H
