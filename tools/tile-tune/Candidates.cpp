//===- Candidates.cpp - what tile-tune tries ------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Candidates.h"

#include "Tile/Driver/JSON.h"
#include "Tile/Driver/OutputFile.h"
#include "Tile/Driver/TemporaryFolder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <mutex>
#include <thread>

using namespace llvm;

double Candidate::getSeconds() const {
  if (samples.empty())
    return estimate;
  std::vector<double> sorted = samples;
  llvm::sort(sorted);
  return sorted[sorted.size() / 2];
}

Tuner::Tuner(const Job &job, std::vector<Candidate> &candidates)
    : job(job), candidates(candidates) {
  static int anchor;
  folder = sys::path::parent_path(
               sys::fs::getMainExecutable("tile-tune", &anchor))
               .str();
}

//===----------------------------------------------------------------------===//
// Progress
//===----------------------------------------------------------------------===//

void Tuner::begin(const char *name, size_t count) {
  what = name;
  done = 0;
  steps = count;
  start = std::chrono::steady_clock::now();
}

/// A line for each step, with the time that is left at this speed.
void Tuner::step(const Candidate &candidate) {
  ++done;
  double passed =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  double left = passed / double(done) * double(steps - done);
  errs() << formatv("[{0}/{1}] {2} {3}{4}; {5:f0} s left\n", done, steps, what,
                    candidate.bindings,
                    candidate.problem.empty() ? ""
                                              : ": " + candidate.problem,
                    left);
}

//===----------------------------------------------------------------------===//
// Resumption
//===----------------------------------------------------------------------===//

void Tuner::save() const {
  json::Array list;
  for (const Candidate &candidate : candidates)
    list.push_back(json::Object{{"parameters", candidate.bindings},
                                {"compiled", candidate.compiled},
                                {"checked", candidate.checked},
                                {"problem", candidate.problem},
                                {"samples", json::Array(candidate.samples)}});
  json::Object object{{"run", job.key}, {"candidates", std::move(list)}};
  // It helps a later run; this one does without.
  (void)mlir::tile::writeOutput(
      job.state, formatv("{0:2}\n", json::Value(std::move(object))).str());
}

bool Tuner::resume() {
  auto buffer = MemoryBuffer::getFile(job.state);
  if (!buffer)
    return false;
  Expected<json::Value> value = mlir::tile::parseJSON((*buffer)->getBuffer());
  if (!value) {
    consumeError(value.takeError());
    return false;
  }
  const json::Object *object = value->getAsObject();
  const json::Array *list = object ? object->getArray("candidates") : nullptr;
  if (!list || object->getString("run").value_or("") != job.key)
    return false;
  size_t found = 0;
  for (const json::Value &one : *list) {
    const json::Object *old = one.getAsObject();
    if (!old)
      continue;
    StringRef bindings = old->getString("parameters").value_or("");
    for (Candidate &candidate : candidates) {
      if (candidate.bindings != bindings)
        continue;
      candidate.compiled = old->getBoolean("compiled").value_or(false);
      candidate.checked = old->getBoolean("checked").value_or(false);
      candidate.problem = old->getString("problem").value_or("").str();
      if (const json::Array *samples = old->getArray("samples"))
        for (const json::Value &sample : *samples)
          candidate.samples.push_back(sample.getAsNumber().value_or(0));
      found += candidate.compiled || candidate.checked ||
               !candidate.problem.empty();
    }
  }
  errs() << formatv("resumed from {0}: {1} candidates are known\n", job.state,
                    found);
  return true;
}

//===----------------------------------------------------------------------===//
// Processes
//===----------------------------------------------------------------------===//

Tuner::Output Tuner::run(StringRef program, std::vector<std::string> arguments,
                         unsigned limit) const {
  SmallString<128> path(folder);
  sys::path::append(path, program);
  arguments.insert(arguments.begin(), path.str().str());
  mlir::tile::TemporaryFolder temporaries;
  if (std::string problem = temporaries.create(); !problem.empty())
    return {false, "", "cannot make a temporary folder: " + problem};
  std::string text = temporaries.join("out"), errors = temporaries.join("err");
  std::optional<StringRef> redirects[] = {StringRef(""), StringRef(text),
                                          StringRef(errors)};
  std::string reason;
  SmallVector<StringRef> references(arguments.begin(), arguments.end());
  int code = sys::ExecuteAndWait(path, references, std::nullopt, redirects,
                                 limit, 0, &reason);
  auto read = [](StringRef file) {
    auto buffer = MemoryBuffer::getFile(file);
    return buffer ? (*buffer)->getBuffer().str() : std::string();
  };
  Output output{code == 0, read(text), read(errors)};
  if (!output.good && !reason.empty())
    output.errors = reason;
  return output;
}

std::vector<std::string>
Tuner::getArguments(const Candidate &candidate) const {
  std::vector<std::string> arguments{job.file};
  SmallVector<StringRef> parts;
  SplitString(candidate.bindings, parts);
  for (StringRef part : parts)
    arguments.push_back(("--param=" + part).str());
  return arguments;
}

std::string getReason(StringRef text) {
  size_t at = text.find("error: ");
  if (at != StringRef::npos)
    text = text.substr(at + StringRef("error: ").size());
  text = text.split('\n').first.trim();
  return text.empty() ? "failed" : text.str();
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// Only NVIDIA's assembler says what spills; elsewhere the first run compiles.
void Tuner::compileOne(Candidate &candidate) const {
  std::vector<std::string> arguments = getArguments(candidate);
  for (const std::string &more :
       {std::string("--tile-to-cubin"), "--chip=" + job.chip,
        "--gpu-function=" + job.function,
        std::string("--remarks-filter=tile-emit-nvptx"), std::string("-o"),
        std::string("/dev/null")})
    arguments.push_back(more);
  Output output = run("tile-translate", arguments, /*limit=*/0);
  if (!output.good) {
    candidate.problem = getReason(output.errors);
    return;
  }
  StringRef text = output.errors;
  for (size_t at = text.find("spill stores="); at != StringRef::npos;
       at = text.find("spill stores=", at + 1)) {
    int64_t bytes = 0;
    text.substr(at + StringRef("spill stores=").size())
        .take_while([](char c) { return isDigit(c); })
        .getAsInteger(10, bytes);
    if (bytes > 0)
      candidate.problem = formatv("spills {0} bytes of registers", bytes);
  }
  if (candidate.problem.empty() && !job.saved.empty())
    saveOne(candidate);
}

void Tuner::compile() {
  if (job.target != "cuda")
    return;
  std::vector<Candidate *> open;
  for (Candidate &candidate : candidates)
    if (!candidate.compiled && !candidate.checked && candidate.problem.empty())
      open.push_back(&candidate);
  begin("compile", open.size());
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  auto work = [&] {
    for (size_t i = next++; i < open.size(); i = next++) {
      // Others read the list while it is written.
      Candidate candidate = *open[i];
      compileOne(candidate);
      std::lock_guard<std::mutex> lock(mutex);
      *open[i] = std::move(candidate);
      step(*open[i]);
      save();
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < job.jobs; ++i)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();
}

void Tuner::checkOne(Candidate &candidate) {
  std::vector<std::string> arguments = getArguments(candidate);
  arguments.push_back("--func=" + job.function);
  arguments.push_back("--target=" + job.target);
  arguments.push_back("--no-notes");
  arguments.push_back("--json");
  if (job.target != "cpu")
    arguments.push_back("--chip=" + job.chip);
  if (!job.onDevice)
    arguments.push_back("--device=model");
  Output output = run("tile-run", arguments, job.seconds);
  bool isChecked = StringRef(output.text).contains("\"checked\": true");
  if (!output.good) {
    size_t at = output.text.find("\"message\": ");
    candidate.problem = at == std::string::npos
                            ? getReason(output.errors)
                            : "is wrong: " + output.text.substr(at + 11);
    candidate.problem = StringRef(candidate.problem).split('\n').first.str();
  } else if (!isChecked) {
    candidate.problem = "nothing to compare its results with";
  }
  candidate.checked = candidate.problem.empty();
}

void Tuner::check() {
  std::vector<Candidate *> open;
  for (Candidate &candidate : candidates)
    if (!candidate.checked && candidate.problem.empty())
      open.push_back(&candidate);
  // The model takes its time: the best one is enough.
  begin(job.onDevice ? "check" : "check on the model", open.size());
  for (Candidate *candidate : open) {
    checkOne(*candidate);
    step(*candidate);
    save();
    if (!job.onDevice && candidate->checked)
      break;
  }
}

void Tuner::time() {
  std::vector<Candidate *> open;
  for (Candidate &candidate : candidates)
    if (candidate.checked)
      open.push_back(&candidate);
  size_t left = 0;
  for (Candidate *candidate : open)
    left += job.rounds - std::min<size_t>(job.rounds, candidate->samples.size());
  begin("time", left);
  for (unsigned round = 0; round < job.rounds; ++round)
    for (size_t i = 0; i < open.size(); ++i) {
      // Each round begins with another one.
      Candidate &candidate = *open[(i + round) % open.size()];
      if (candidate.samples.size() > round || !candidate.problem.empty())
        continue;
      std::vector<std::string> arguments = getArguments(candidate);
      arguments.push_back("--func=" + job.function);
      arguments.push_back("--target=" + job.target);
      for (StringRef more : {"--no-notes", "--json", "--check=none"})
        arguments.push_back(more.str());
      arguments.push_back("--time=" + std::to_string(job.runs));
      if (job.target != "cpu") {
        arguments.push_back("--chip=" + job.chip);
        arguments.push_back("--flush-l2");
      }
      SmallVector<StringRef> sizes;
      SplitString(job.sizes, sizes);
      for (StringRef size : sizes)
        arguments.push_back(size.str());
      Output output = run("tile-run", arguments, job.seconds);
      double seconds = 0;
      if (Expected<json::Value> value = mlir::tile::parseJSON(output.text)) {
        if (const json::Object *object = value->getAsObject())
          seconds = object->getNumber("seconds").value_or(0);
      } else {
        consumeError(value.takeError());
      }
      if (output.good && seconds > 0)
        candidate.samples.push_back(seconds);
      else
        candidate.problem = getReason(output.errors);
      step(candidate);
      save();
    }
}
