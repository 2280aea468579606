//===- Ptxas.cpp - NVIDIA's assembler -------------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ptxas.h"

#include "Tile/Driver/Tool.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"

#include <cstdlib>
#include <mutex>

using namespace mlir;
using namespace mlir::tile;

FailureOr<std::string> ptxas::find(Location loc, StringRef given) {
  FailureOr<std::string> named =
      tool::findGiven(loc, "the assembler", given, "TILE_PTXAS");
  if (failed(named) || !named->empty())
    return named;
  return findInstalled();
}

std::string ptxas::findInstalled() {
  if (const char *named = std::getenv("TILE_PTXAS"); named && *named)
    return named;
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
  Resources *current = nullptr;
  // C7508: registers not redistributed; C751x: wgmma serialised. C7519 tells
  // of a fence that was added, which costs some percent.
  llvm::Regex loss("C75(0[0-9]|1[0-8])|setmaxnreg.*ignored|serialized");
  for (StringRef line : llvm::split(text, '\n')) {
    if (line.contains("Compiling entry function"))
      current = &report.kernels[nameIn(line, "function")];
    else if (line.contains("Function properties for"))
      current = &report.kernels[nameIn(line, "properties for")];
    else if (loss.match(line))
      report.perfWarnings.push_back(line.trim().str());
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

/// Whether the program assembles several kernels in parallel, as CUDA 12.1 and
/// later do.
static bool isParallel(Location loc, StringRef program) {
  static std::mutex mutex;
  static llvm::StringMap<bool> known;
  std::lock_guard<std::mutex> guard(mutex);
  auto [entry, isNew] = known.try_emplace(program, false);
  tool::TemporaryFile log;
  if (isNew && succeeded(log.create(loc, "txt")) &&
      tool::execute({program, "--help"}, log.path).empty())
    if (FailureOr<std::string> text = log.read(); succeeded(text))
      entry->second = StringRef(*text).contains("--split-compile");
  return entry->second;
}

LogicalResult ptxas::assemble(Location loc, StringRef program, StringRef arch,
                              unsigned optLevel, StringRef ptx,
                              std::string &cubin, Report &report) {
  tool::TemporaryFile input, output;
  if (failed(input.create(loc, "ptx")) || failed(output.create(loc, "cubin")) ||
      failed(input.write(loc, ptx)))
    return failure();
  std::string chip = ("-arch=" + arch).str();
  std::string level = "-O" + std::to_string(optLevel), text;
  SmallVector<StringRef> arguments = {program,    chip, level,      "-v",
                                      input.path, "-o", output.path};
  if (ptx.count(".entry ") > 1 && loc.getContext()->isMultithreadingEnabled() &&
      isParallel(loc, program))
    arguments.push_back("--split-compile=0");
  if (failed(tool::run(loc, arguments, input, "ptx", text)))
    return failure();
  FailureOr<std::string> result =
      tool::readObject(loc, output, program, "cubin");
  if (failed(result))
    return failure();
  cubin = std::move(*result);
  report = parse(text);
  return success();
}
