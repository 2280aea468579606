//===- Tool.cpp - external tools ------------------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Driver/Tool.h"

#include "Tile/Driver/OutputFile.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

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
  if (std::string problem = folder.create(); !problem.empty())
    return emitError(loc) << "cannot make a temporary file: " << problem;
  path = folder.join(("kernel." + suffix).str());
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

/// Starts a program in a process group of its own; `log` gets what it prints.
/// LLVM's ExecuteNoWait forks for that, and where the child cannot open its
/// output, the caller goes on in two processes. The error, or 0.
static int start(ArrayRef<StringRef> arguments, StringRef log, pid_t &process) {
  std::vector<std::string> words(arguments.begin(), arguments.end());
  std::vector<char *> pointers;
  for (std::string &word : words)
    pointers.push_back(word.data());
  pointers.push_back(nullptr);
  int output =
      open(log.str().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (output < 0)
    return errno;
  llvm::scope_exit closer([&] { close(output); });
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  if (int error = posix_spawn_file_actions_init(&actions))
    return error;
  llvm::scope_exit actionsEnd(
      [&] { posix_spawn_file_actions_destroy(&actions); });
  if (int error = posix_spawnattr_init(&attributes))
    return error;
  llvm::scope_exit attributesEnd([&] { posix_spawnattr_destroy(&attributes); });
  int error = 0;
  for (int stream : {STDOUT_FILENO, STDERR_FILENO})
    if (!error)
      error = posix_spawn_file_actions_adddup2(&actions, output, stream);
  // After those: `output` is 0 where the client has closed its input.
  if (!error)
    error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO,
                                             "/dev/null", O_RDONLY, 0);
  if (!error)
    error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  return error ? error
               : posix_spawn(&process, words.front().c_str(), &actions,
                             &attributes, pointers.data(), environ);
}

/// Waits for a process, and ends it with its children after the limit; false if
/// that had to be done.
static bool waitFor(pid_t process, unsigned seconds, int &status) {
  Clock::time_point end = Clock::now() + std::chrono::seconds(seconds);
  auto pause = std::chrono::microseconds(200);
  while (true) {
    pid_t done = waitpid(process, &status, WNOHANG);
    if (done == process)
      return true;
    if (done < 0 && errno != EINTR) {
      // untested: the client's handler of SIGCHLD has collected it
      status = 0;
      return true;
    }
    if (Clock::now() >= end)
      break;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds(10000));
  }
  kill(-process, SIGKILL);
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return false;
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
  pid_t process = 0;
  int status = 0;
  if (int error = start(arguments, log, process))
    return "cannot be run: " + std::generic_category().message(error);
  if (!waitFor(process, seconds, status))
    return "did not end within " + std::to_string(seconds) +
           " s; TILE_TOOL_SECONDS sets another limit";
  if (WIFSIGNALED(status))
    return std::string("failed: ") + strsignal(WTERMSIG(status));
  if (WEXITSTATUS(status))
    return "failed with exit code " + std::to_string(WEXITSTATUS(status));
  return "";
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
  for (size_t at; (at = text.find(input.path)) != std::string::npos;)
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
