//===- Ptxas.cpp - NVIDIA's assembler -------------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ptxas.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"

using namespace mlir;
using namespace mlir::tile;

FailureOr<std::string> ptxas::find(Location loc, StringRef given) {
  std::string name = given.str(), from = "given";
  if (name.empty()) {
    name = llvm::sys::Process::GetEnv("TILE_PTXAS").value_or("");
    from = "named by TILE_PTXAS";
  }
  if (!name.empty()) {
    llvm::ErrorOr<std::string> program = llvm::sys::findProgramByName(name);
    std::error_code reason = program.getError();
    // What has a slash in it was not looked for.
    if (program && !llvm::sys::fs::can_execute(*program))
      reason = llvm::sys::fs::access(*program,
                                     llvm::sys::fs::AccessMode::Execute);
    if (!reason)
      return *program;
    return emitError(loc) << "the assembler '" << name << "' that is " << from
                          << " cannot be run: " << reason.message();
  }
  if (auto program = llvm::sys::findProgramByName("ptxas"))
    return *program;
  if (auto program =
          llvm::sys::findProgramByName("ptxas", {"/usr/local/cuda/bin"}))
    return *program;
  return std::string();
}

//===----------------------------------------------------------------------===//
// What it prints
//===----------------------------------------------------------------------===//

/// The number before `unit`, or 0.
static int64_t numberBefore(StringRef line, StringRef unit) {
  size_t at = line.find(unit);
  if (at == StringRef::npos)
    return 0;
  StringRef digits = line.take_front(at).rtrim();
  size_t begin = digits.find_last_not_of("0123456789");
  int64_t number = 0;
  if (begin != StringRef::npos)
    digits = digits.drop_front(begin + 1);
  (void)digits.getAsInteger(10, number);
  return number;
}

/// The text between the first two quotes, or what follows `prefix`.
static StringRef nameIn(StringRef line, StringRef prefix) {
  if (line.contains('\''))
    return line.split('\'').second.split('\'').first;
  return line.split(prefix).second.trim();
}

ptxas::Report ptxas::parse(StringRef text) {
  Report report;
  NVPTXResources *current = nullptr;
  // C7508: registers not redistributed; C751x: wgmma serialised. C7519 tells
  // of an instruction that was added, which costs nothing.
  llvm::Regex loss("C75(0[0-9]|1[0-8])|setmaxnreg.*ignored|serialized");
  for (StringRef line : llvm::split(text, '\n')) {
    if (line.contains("Compiling entry function"))
      current = &report.kernels[nameIn(line, "function")];
    else if (line.contains("Function properties for"))
      current = &report.kernels[nameIn(line, "properties for")];
    else if (loss.match(line))
      report.losses.push_back(line.trim().str());
    if (!current)
      continue;
    if (line.contains("spill stores")) {
      current->stack = numberBefore(line, "bytes stack frame");
      current->spillStores = numberBefore(line, "bytes spill stores");
      current->spillLoads = numberBefore(line, "bytes spill loads");
    }
    if (line.contains(": Used "))
      current->registers = numberBefore(line, "registers");
  }
  return report;
}

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

namespace {
/// A file that goes away with the object.
struct TemporaryFile {
  std::error_code create(StringRef suffix) {
    std::error_code error =
        llvm::sys::fs::createTemporaryFile("tile", suffix, path);
    if (!error)
      remover.setFile(path);
    return error;
  }

  FailureOr<std::string> read() const {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    if (!buffer)
      return failure();
    return (*buffer)->getBuffer().str();
  }

  SmallString<128> path;
  llvm::FileRemover remover;
};
} // namespace

static LogicalResult writeFile(Location loc, StringRef path, StringRef text) {
  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  if (!error) {
    os << text;
    os.close();
    error = os.error();
    os.clear_error();
  }
  if (error)
    return emitError(loc) << "cannot write " << path << ": "
                          << error.message();
  return success();
}

LogicalResult ptxas::assemble(Location loc, StringRef program, StringRef arch,
                              unsigned optLevel, StringRef ptx,
                              std::string &cubin, Report &report) {
  TemporaryFile input, output, log;
  std::error_code error;
  if ((error = input.create("ptx")) || (error = output.create("cubin")) ||
      (error = log.create("log")))
    return emitError(loc) << "cannot make a temporary file: "
                          << error.message();
  if (failed(writeFile(loc, input.path, ptx)))
    return failure();
  std::string chip = ("-arch=" + arch).str();
  std::string level = "-O" + std::to_string(optLevel);
  StringRef arguments[] = {program, chip, level,      "-v",
                           input.path, "-o", output.path};
  std::optional<StringRef> redirects[] = {StringRef(""), StringRef(log.path),
                                          StringRef(log.path)};
  std::string reason;
  int status =
      llvm::sys::ExecuteAndWait(program, arguments, /*Env=*/std::nullopt,
                                redirects, /*SecondsToWait=*/0,
                                /*MemoryLimit=*/0, &reason);
  std::string text = log.read().value_or("");
  if (status != 0) {
    // Its lines speak of a file that is gone.
    for (size_t at; (at = text.find(input.path.str())) != std::string::npos;)
      text.replace(at, input.path.size(), "ptx");
    return emitError(loc) << program << " failed"
                          << (status > 0 ? " with exit code " +
                                               std::to_string(status)
                                         : ": " + reason)
                          << ": " << StringRef(text).trim();
  }
  FailureOr<std::string> result = output.read();
  if (failed(result) || result->empty())
    return emitError(loc) << program << " has written no cubin";
  cubin = std::move(*result);
  report = parse(text);
  return success();
}
