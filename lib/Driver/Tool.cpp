//===- Tool.cpp - external tools ------------------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Driver/Tool.h"

#include "Tile/Driver/OutputFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

using namespace mlir;
using namespace mlir::tile;

FailureOr<std::string> tool::findGiven(Location loc, StringRef kind,
                                       StringRef given, const char *variable) {
  std::string name = given.str(), from = "given";
  if (name.empty()) {
    name = llvm::sys::Process::GetEnv(variable).value_or("");
    from = std::string("named by ") + variable;
  }
  if (name.empty())
    return std::string();
  llvm::ErrorOr<std::string> program = llvm::sys::findProgramByName(name);
  std::error_code reason = program.getError();
  // What has a slash in it was not looked for.
  if (program && !llvm::sys::fs::can_execute(*program))
    reason =
        llvm::sys::fs::access(*program, llvm::sys::fs::AccessMode::Execute);
  if (!reason)
    return *program;
  return emitError(loc) << kind << " '" << name << "' that is " << from
                        << " cannot be run: " << reason.message();
}

LogicalResult tool::TemporaryFile::create(Location loc, StringRef suffix) {
  if (std::error_code error =
          llvm::sys::fs::createTemporaryFile("tile", suffix, path))
    return emitError(loc) << "cannot make a temporary file: "
                          << error.message();
  remover.setFile(path);
  return success();
}

LogicalResult tool::TemporaryFile::write(Location loc, StringRef text) const {
  if (std::error_code error = writeOutput(path, text))
    // untested: the disk is full
    return emitError(loc) << "cannot write " << path << ": " << error.message();
  return success();
}

FailureOr<std::string> tool::TemporaryFile::read() const {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return failure();
  return (*buffer)->getBuffer().str();
}

LogicalResult tool::run(Location loc, ArrayRef<StringRef> arguments,
                        const TemporaryFile &input, StringRef name,
                        std::string &text) {
  TemporaryFile log;
  if (failed(log.create(loc, "log")))
    return failure();
  std::optional<StringRef> redirects[] = {StringRef(""), StringRef(log.path),
                                          StringRef(log.path)};
  std::string reason;
  StringRef program = arguments.front();
  int status = llvm::sys::ExecuteAndWait(
      program, arguments, /*Env=*/std::nullopt, redirects, /*SecondsToWait=*/0,
      /*MemoryLimit=*/0, &reason);
  text = log.read().value_or("");
  if (status == 0)
    return success();
  for (size_t at; (at = text.find(input.path.str())) != std::string::npos;)
    text.replace(at, input.path.size(), name);
  return emitError(loc) << program << " failed"
                        << (status > 0
                                ? " with exit code " + std::to_string(status)
                                : ": " + reason)
                        << ": " << StringRef(text).trim();
}
