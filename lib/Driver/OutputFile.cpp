//===- OutputFile.cpp - files that are complete or not there --------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Driver/OutputFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

#include <unistd.h>

using namespace mlir;

namespace fs = llvm::sys::fs;

std::error_code tile::writeBytes(int descriptor, StringRef bytes) {
  llvm::raw_fd_ostream os(descriptor, /*shouldClose=*/false,
                          /*unbuffered=*/true);
  os << bytes;
  std::error_code error = os.error();
  os.clear_error();
  return error;
}

/// Writes to what is there already.
static std::error_code writeThrough(StringRef path, StringRef bytes) {
  int descriptor = -1;
  if (std::error_code error =
          fs::openFileForWrite(path, descriptor, fs::CD_OpenExisting))
    return error;
  // A file that has come into its place is not written over.
  fs::file_status status;
  std::error_code error = fs::status(descriptor, status);
  if (!error && fs::is_regular_file(status))
    error = std::make_error_code(std::errc::file_exists);
  if (!error)
    error = tile::writeBytes(descriptor, bytes);
  std::error_code closed = llvm::sys::Process::SafelyCloseFileDescriptor(
      descriptor);
  return error ? error : closed;
}

std::error_code tile::writeOutput(StringRef path, StringRef bytes) {
  if (path == "-")
    return writeBytes(STDOUT_FILENO, bytes);
  fs::file_status status;
  if (!fs::status(path, status) && !fs::is_regular_file(status))
    return writeThrough(path, bytes);
  // Of LLVM's TempFile a '%' in the path would be a random digit.
  std::string temporary =
      llvm::formatv("{0}.tmp-{1:x-}", path, llvm::sys::Process::GetRandomNumber())
          .str();
  int descriptor = -1;
  if (std::error_code error =
          fs::openFileForWrite(temporary, descriptor, fs::CD_CreateNew))
    return error;
  llvm::FileRemover remover(temporary);
  llvm::sys::RemoveFileOnSignal(temporary);
  std::error_code error = writeBytes(descriptor, bytes);
  std::error_code closed =
      llvm::sys::Process::SafelyCloseFileDescriptor(descriptor);
  if (!error && !closed && !(error = fs::rename(temporary, path)))
    remover.releaseFile();
  llvm::sys::DontRemoveFileOnSignal(temporary);
  return error ? error : closed;
}
