//===- Saved.cpp - candidates that run where the GPU is -------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Candidates for an NVIDIA GPU are compiled into a folder, each with the cases
// of the function, which are compared, and the sizes that are timed. tile-replay
// runs them all: here, or on a machine without a compiler.
//
//===----------------------------------------------------------------------===//

#include "Candidates.h"

#include "Tile/CostModel/Tuning.h"
#include "Tile/Driver/JSON.h"
#include "Tile/Driver/OutputFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;

/// "BM=64,BN=128".
static std::string getFolderName(const Candidate &candidate) {
  std::string name = candidate.bindings;
  llvm::replace(name, ' ', ',');
  return name;
}

static std::string getTimesFile(const Job &job) {
  SmallString<128> path(job.saved);
  sys::path::append(path, "times.json");
  return path.str().str();
}

//===----------------------------------------------------------------------===//
// Saving
//===----------------------------------------------------------------------===//

void Tuner::saveOne(Candidate &candidate) const {
  SmallString<128> folder(job.saved);
  sys::path::append(folder, getFolderName(candidate));
  std::vector<std::string> arguments = getArguments(candidate);
  for (const std::string &more :
       {"--func=" + job.function, std::string("--target=cuda"),
        "--chip=" + job.chip, std::string("--no-notes"),
        "--save=" + folder.str().str()})
    arguments.push_back(more);
  // The cases come last: where one of them has the sizes that are timed, it is
  // also compared.
  std::vector<std::string> timed = arguments;
  timed.push_back("--check=none");
  SmallVector<StringRef> sizes;
  SplitString(job.sizes, sizes);
  for (StringRef size : sizes)
    timed.push_back(size.str());
  for (const std::vector<std::string> &one : {timed, arguments}) {
    Output output = run("tile-run", one, job.seconds);
    if (!output.good) {
      candidate.problem = getReason(output.errors);
      return;
    }
  }
  candidate.compiled = true;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

std::vector<std::string> Tuner::getReplayArguments() const {
  return {job.saved,
          "--time=" + std::to_string(job.runs),
          "--rounds=" + std::to_string(job.rounds),
          "--timeout=" + std::to_string(job.seconds),
          "--flush-l2",
          "--json"};
}

std::string Tuner::getReplayCommand() const {
  return "tile-replay " + llvm::join(getReplayArguments(), " ") + " > " +
         getTimesFile(job);
}

bool Tuner::replay(std::string &error) {
  size_t count = llvm::count_if(candidates, [](const Candidate &candidate) {
    return candidate.compiled;
  });
  errs() << formatv("check and time {0} candidates\n", count);
  // It has a limit for each case. What failed is a line of its output.
  Output output = run("tile-replay", getReplayArguments(), /*limit=*/0);
  if (output.text.empty()) {
    error = getReason(output.errors);
    return false;
  }
  if (std::error_code problem =
          mlir::tile::writeOutput(getTimesFile(job), output.text)) {
    error = getTimesFile(job) + ": " + problem.message();
    return false;
  }
  return readTimes(error);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Whether a case has the sizes that are timed; it may have others, too.
static bool isTimedCase(StringRef label, StringRef sizes) {
  auto of = mlir::tile::parseNamedNumbers(label == "-" ? "" : label);
  auto timed = mlir::tile::parseNamedNumbers(sizes);
  return of && timed && llvm::all_of(*timed, [&](const auto &size) {
           auto found = of->find(size.first);
           return found != of->end() && found->second == size.second;
         });
}

void Tuner::takeTime(const json::Object &row) {
  StringRef folder = row.getString("folder").value_or("");
  StringRef label = row.getString("case").value_or("");
  for (Candidate &candidate : candidates) {
    if (!candidate.compiled ||
        !folder.contains("/" + getFolderName(candidate) + "/"))
      continue;
    if (!row.getBoolean("passed").value_or(false))
      candidate.problem =
          (label + ": " + row.getString("message").value_or("failed")).str();
    candidate.checked |= row.getBoolean("checked").value_or(false);
    if (std::optional<double> seconds = row.getNumber("seconds");
        seconds && isTimedCase(label, job.sizes))
      candidate.samples.push_back(*seconds);
  }
}

bool Tuner::readTimes(std::string &error) {
  std::string path = getTimesFile(job);
  auto buffer = MemoryBuffer::getFile(path);
  if (!buffer) {
    error = path + ": " + buffer.getError().message() + "; run '" +
            getReplayCommand() + "' where the GPU is";
    return false;
  }
  for (Candidate &candidate : candidates)
    candidate.samples.clear();
  SmallVector<StringRef> lines;
  (*buffer)->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (auto [number, line] : llvm::enumerate(lines)) {
    Expected<json::Value> value = mlir::tile::parseJSON(line);
    const json::Object *row = value ? value->getAsObject() : nullptr;
    if (!row || !row->getString("folder")) {
      consumeError(value.takeError());
      error = formatv("{0}: line {1}: expected a line of tile-replay --json",
                      path, number + 1);
      return false;
    }
    takeTime(*row);
  }
  for (Candidate &candidate : candidates) {
    if (candidate.compiled && candidate.problem.empty() && !candidate.checked)
      candidate.problem = "nothing to compare its results with";
    errs() << formatv("{0}: {1}\n", candidate.bindings,
                      !candidate.problem.empty() ? candidate.problem
                      : candidate.samples.empty()
                          ? "not timed"
                          : formatv("{0:f2} us", candidate.getSeconds() * 1e6)
                                .str());
  }
  return true;
}
