//===- TemporaryFolder.h - files that nobody else can touch -----*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DRIVER_TEMPORARYFOLDER_H
#define TILE_DRIVER_TEMPORARYFOLDER_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace mlir::tile {

/// Why others than the user and root can replace what a folder holds; nothing if
/// they cannot, whatever is above it. In a sticky folder they cannot.
std::string findIntruder(const std::string &folder);

/// A folder of mode 0700 in the one for temporaries, whatever the umask is: what
/// lies in it is compiled, linked and executed. It goes away with the object,
/// and all that is in it.
///
/// There is none where another user could put something else in its place.
class TemporaryFolder {
public:
  TemporaryFolder() = default;
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  ~TemporaryFolder();

  /// What is wrong; nothing if there is the folder.
  std::string create();

  llvm::StringRef getPath() const { return path; }
  /// The path of a file in it.
  std::string join(llvm::StringRef name) const;

private:
  std::string path; ///< empty until it is created
};

} // namespace mlir::tile

#endif // TILE_DRIVER_TEMPORARYFOLDER_H
