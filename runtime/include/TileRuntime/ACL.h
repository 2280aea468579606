// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ascend NPUs as devices, through the runtime of CANN alone (ACL), which is
// loaded when it is first asked for.

#ifndef TILERUNTIME_ACL_H
#define TILERUNTIME_ACL_H

#include "TileRuntime/Device.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The number of NPUs. Without the library, or with one that finds no NPU,
/// fails with "no ACL library: ..." or "no ACL device: ...".
///
/// The library is libascendcl.so, or the file that the environment variable
/// TILE_ACL_LIBRARY names.
bool tile_rt_acl_count(int32_t *count, TileRtError *error);

/// Opens an NPU by its number, from 0; close it with tile_rt_device_close. It
/// uses the device's default context, so streams, events and memory of others
/// may be given to it. Calls leave the caller's current context as it was, but
/// for a thread that has none. Tensors on it say TILE_RT_DL_EXT_DEV.
///
/// Images are ELF files of the device compiler (bisheng); `core` of the
/// metadata says for which cores they are. A kernel has one thread a block, and
/// no dynamic shared memory.
bool tile_rt_acl_open(int32_t ordinal, TileRtDevice **device,
                      TileRtError *error);

#ifdef __cplusplus
}
#endif

#endif // TILERUNTIME_ACL_H
