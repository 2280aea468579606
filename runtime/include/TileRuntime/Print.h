/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What tile.print calls. A line is begun, given any number of indices, and ended by its value; other threads wait until then, so
 * that lines never mix. Output goes to stdout.
 */
#ifndef TILE_RUNTIME_PRINT_H
#define TILE_RUNTIME_PRINT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Begins a line with a message; the message may be empty. */
void tile_rt_print_begin(const char *message);
/* Adds one index of an element. */
void tile_rt_print_index(int64_t index);
/* Ends the line with a value. */
void tile_rt_print_float(double value);
void tile_rt_print_integer(int64_t value);

#ifdef __cplusplus
}
#endif

#endif
