//===- TemporaryFolder.cpp - files that nobody else can touch -------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Driver/TemporaryFolder.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cerrno>
#include <cstdlib>

using namespace mlir::tile;

// Not LLVM's createUniqueDirectory, whose folder the user's group may write to
// where the umask lets it.
std::error_code TemporaryFolder::create() {
  llvm::SmallString<128> name;
  llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, name);
  llvm::sys::path::append(name, "tile-XXXXXX");
  if (!mkdtemp(const_cast<char *>(name.c_str())))
    return std::error_code(errno, std::generic_category());
  path = std::string(name);
  return std::error_code();
}

TemporaryFolder::~TemporaryFolder() {
  if (!path.empty())
    llvm::sys::fs::remove_directories(path);
}

std::string TemporaryFolder::join(llvm::StringRef name) const {
  llvm::SmallString<128> result(path);
  llvm::sys::path::append(result, name);
  return std::string(result);
}
