// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILERUNTIME_VERSION_H
#define TILERUNTIME_VERSION_H

#ifdef __cplusplus
extern "C" {
#endif

/// The version of the library that is loaded, "0.1.0".
const char *tile_rt_version(void);

#ifdef __cplusplus
}
#endif

#endif // TILERUNTIME_VERSION_H
