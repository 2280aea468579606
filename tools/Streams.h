// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The standard streams of the tools that are written in C.

#ifndef TILE_TOOLS_STREAMS_H
#define TILE_TOOLS_STREAMS_H

#include <stdbool.h>

/// Where standard streams are closed, lets no file or pipe take their numbers.
void tile_tool_reserve_streams(void);

/// Ends stdout; says so where not all of what was printed could be written.
bool tile_tool_end_output(const char *tool);

#endif // TILE_TOOLS_STREAMS_H
