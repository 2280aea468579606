// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TileRuntime/Version.h"

const char *tile_rt_version(void) { return TILE_VERSION; }
