//===- OutputFile.h - files that are complete or not there ------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DRIVER_OUTPUTFILE_H
#define TILE_DRIVER_OUTPUTFILE_H

#include "mlir/Support/LLVM.h"

#include <system_error>

namespace mlir::tile {

/// Writes all bytes to a descriptor; the reason if that fails. LLVM's streams
/// end the process where nobody has asked for it.
std::error_code writeBytes(int descriptor, StringRef bytes);

/// Writes a file, which appears, or replaces an older one, when it is complete.
/// "-" is the standard output; what is no regular file, like a pipe or
/// /dev/null, is written to as it is.
std::error_code writeOutput(StringRef path, StringRef bytes);

} // namespace mlir::tile

#endif // TILE_DRIVER_OUTPUTFILE_H
