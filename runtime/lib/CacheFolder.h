// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folders whose files may be executed: nobody but this user and root can put
// anything into them or in their place.

#ifndef TILERUNTIME_CACHEFOLDER_H
#define TILERUNTIME_CACHEFOLDER_H

#include "TileRuntime/Error.h"

/// Opens a folder as a file descriptor, or returns -1. Each folder on its real
/// path has to be this user's or root's, and not writable by group or others;
/// above the last one the sticky bit makes up for that. `create` makes missing
/// ones, with mode 0700. Without it a missing folder is no error: the message
/// is empty then.
int tile_rt_open_private_folder(const char *path, bool create,
                                TileRtError *error);

#endif // TILERUNTIME_CACHEFOLDER_H
