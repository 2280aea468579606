//===- Tool.cpp - external tools ------------------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Driver/Tool.h"

#include "Tile/Driver/OutputFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

#include <chrono>
#include <csignal>
#include <thread>

using namespace mlir;
using namespace mlir::tile;

using Clock = std::chrono::steady_clock;

/// Minutes are much for a file of one module.
static constexpr unsigned kDefaultSeconds = 600;
/// What a message quotes of what a program prints, at most.
static constexpr size_t kQuoted = 4000;

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

/// Waits for a process, and ends it with its children after the limit. LLVM's
/// own limit would take the alarm clock of the client's process.
static llvm::sys::ProcessInfo waitFor(const llvm::sys::ProcessInfo &process,
                                      unsigned seconds, std::string &reason) {
  Clock::time_point end = Clock::now() + std::chrono::seconds(seconds);
  auto pause = std::chrono::microseconds(200);
  while (true) {
    llvm::sys::ProcessInfo done =
        llvm::sys::Wait(process, /*SecondsToWait=*/0, &reason);
    if (done.Pid != 0)
      return done;
    if (Clock::now() >= end)
      break;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds(10000));
  }
  kill(-process.Pid, SIGKILL);
  llvm::sys::ProcessInfo done = llvm::sys::Wait(process, std::nullopt, &reason);
  reason = "did not end within " + std::to_string(seconds) +
           " s; TILE_TOOL_SECONDS sets another limit";
  return done;
}

std::string tool::execute(ArrayRef<StringRef> arguments, StringRef log) {
  unsigned seconds = kDefaultSeconds;
  std::string given =
      llvm::sys::Process::GetEnv("TILE_TOOL_SECONDS").value_or("");
  if (!given.empty() && (StringRef(given).getAsInteger(10, seconds) ||
                         seconds == 0 || seconds > 1000000))
    return "was not run: TILE_TOOL_SECONDS: expected a number of seconds, "
           "1 to 1000000, got '" +
           given + "'";
  std::optional<StringRef> redirects[] = {StringRef(""), log, log};
  std::string reason;
  bool failed = false;
  llvm::sys::ProcessInfo process = llvm::sys::ExecuteNoWait(
      arguments.front(), arguments, /*Env=*/std::nullopt, redirects,
      /*MemoryLimit=*/0, &reason, &failed, /*AffinityMask=*/nullptr,
      /*DetachProcess=*/true);
  if (failed)
    return "cannot be run: " + reason;
  int status = waitFor(process, seconds, reason).ReturnCode;
  if (StringRef(reason).starts_with("did not"))
    return reason;
  if (status > 0)
    return "failed with exit code " + std::to_string(status);
  return status == 0 ? "" : "failed: " + reason;
}

std::string tool::quote(StringRef text) {
  text = text.trim();
  std::string shown;
  for (char c : text.take_front(kQuoted))
    shown += llvm::isPrint(c) || c == '\n' || c == '\t' || (c & 0x80) ? c : '?';
  return text.size() > kQuoted ? shown + " …" : shown;
}

LogicalResult tool::run(Location loc, ArrayRef<StringRef> arguments,
                        const TemporaryFile &input, StringRef name,
                        std::string &text) {
  TemporaryFile log;
  if (failed(log.create(loc, "log")))
    return failure();
  std::string problem = execute(arguments, log.path);
  text = log.read().value_or("");
  if (problem.empty())
    return success();
  for (size_t at; (at = text.find(input.path.str())) != std::string::npos;)
    text.replace(at, input.path.size(), name);
  std::string quoted = quote(text);
  return emitError(loc) << arguments.front() << " " << problem
                        << (quoted.empty() ? "" : ": ") << quoted;
}

FailureOr<std::string> tool::readObject(Location loc,
                                        const TemporaryFile &output,
                                        StringRef program, StringRef kind) {
  FailureOr<std::string> object = output.read();
  if (succeeded(object) && StringRef(*object).starts_with("\177ELF"))
    return object;
  return emitError(loc) << program << " has written no " << kind;
}
