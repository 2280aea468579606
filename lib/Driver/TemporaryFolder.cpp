//===- TemporaryFolder.cpp - files that nobody else can touch -------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Driver/TemporaryFolder.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

using namespace mlir::tile;
namespace paths = llvm::sys::path;

std::string mlir::tile::findIntruder(const std::string &folder) {
  struct stat about;
  if (lstat(folder.c_str(), &about) != 0)
    return "'" + folder + "': " + std::strerror(errno);
  if (about.st_uid != geteuid() && about.st_uid != 0)
    return llvm::formatv("'{0}' belongs to user {1}, who could supply code",
                         folder, about.st_uid);
  // As a link is.
  bool isOpen = about.st_mode & (S_IWGRP | S_IWOTH);
  if (isOpen && !(about.st_mode & S_ISVTX))
    return "'" + folder + "' can be written to by others, who could supply code";
  return std::string();
}

/// The same of a path; `real` is the one without links, which stays the folder
/// that was looked at.
static std::string findIntruderOnPath(llvm::StringRef folder,
                                      llvm::SmallVectorImpl<char> &real) {
  if (std::error_code error = llvm::sys::fs::real_path(folder, real))
    return ("'" + folder + "': " + error.message()).str();
  for (llvm::StringRef at(real.data(), real.size()); !at.empty();
       at = paths::parent_path(at))
    if (std::string problem = findIntruder(at.str()); !problem.empty())
      return problem;
  return std::string();
}

// Not LLVM's createUniqueDirectory, whose folder the user's group may write to
// where the umask lets it.
std::string TemporaryFolder::create() {
  llvm::SmallString<128> name, real;
  paths::system_temp_directory(/*ErasedOnReboot=*/true, name);
  if (std::string problem = findIntruderOnPath(name, real); !problem.empty())
    return problem + "; let TMPDIR name a folder that only you can write to, or "
                     "a sticky one";
  paths::append(real, "tile-XXXXXX");
  if (!mkdtemp(const_cast<char *>(real.c_str())))
    return ("'" + real + "': " + std::strerror(errno)).str();
  path = std::string(real);
  return std::string();
}

TemporaryFolder::~TemporaryFolder() {
  if (!path.empty())
    llvm::sys::fs::remove_directories(path);
}

std::string TemporaryFolder::join(llvm::StringRef name) const {
  llvm::SmallString<128> result(path);
  paths::append(result, name);
  return std::string(result);
}
