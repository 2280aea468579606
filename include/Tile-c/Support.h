//===-- Tile-c/Support.h - what all headers need ------------------*- C -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_C_SUPPORT_H
#define TILE_C_SUPPORT_H

/// Functions with this mark are exported by libtile-c.so.
#define TILE_C_EXPORTED __attribute__((visibility("default")))

/// The version of these headers, major << 16 | minor; the functions that each
/// version brought say so. Functions are added in minor versions and change in
/// major ones.
enum { TILE_C_API_VERSION = 0 << 16 | 2 };

/// What a client gives for an enumeration may be any number, and what none has is
/// an error: in C++ as in C, each has a type that holds it.
#ifdef __cplusplus
#define TILE_C_ENUM : unsigned
#else
#define TILE_C_ENUM
#endif

#endif // TILE_C_SUPPORT_H
