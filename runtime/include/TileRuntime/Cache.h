// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled code on disk, by the hash of all that it was made from. Any number
// of processes may use a folder at once: an entry appears complete, under its
// name, or not at all, and one that was damaged is taken as missing. Entries
// are files of the folder; its owner may delete them at any time.
//
// Entries are code that will be executed. A folder is used only if it and each
// folder above it belong to the user or to root and nobody else may write to
// them (a sticky folder such as /tmp may stand above); missing ones are made
// with mode 0700. An entry is a regular file of the user that nobody else may
// write to; anything else under its name is taken as missing. Links are not
// followed in the folder.

#ifndef TILERUNTIME_CACHE_H
#define TILERUNTIME_CACHE_H

#include "TileRuntime/Error.h"
#include "TileRuntime/Hash.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Reads the entry of a key; free() the bytes. False, without an error, if
/// there is none or it is damaged; `error` then has an empty message. A folder
/// that others could write to is an error.
bool tile_rt_cache_read(const char *folder, const TileRtHash *key, void **bytes,
                        size_t *size, TileRtError *error);

/// Writes the entry of a key, and the folder if need be. Where another process
/// writes the same entry, the last one stays.
bool tile_rt_cache_write(const char *folder, const TileRtHash *key,
                         const void *bytes, size_t size, TileRtError *error);

/// Deletes the entries that were neither read nor written for the longest time
/// until those that are left have at most `limit` bytes, and what processes
/// that ended while writing have left. Entries that others delete at the same
/// time are no error.
bool tile_rt_cache_trim(const char *folder, uint64_t limit, TileRtError *error);

#ifdef __cplusplus
}
#endif

#endif // TILERUNTIME_CACHE_H
