//===- Candidates.h - what tile-tune tries ----------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Candidates are compiled, checked and timed by tile-run and tile-translate in
// processes of their own: one that crashes or hangs is one candidate less.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TUNE_CANDIDATES_H
#define TILE_TUNE_CANDIDATES_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/JSON.h"

#include <chrono>
#include <map>
#include <string>
#include <vector>

struct Candidate {
  std::string bindings; ///< "BM=64 BN=128"
  double estimate = 0;  ///< seconds
  bool isDefault = false;
  bool compiled = false; ///< and saved
  bool checked = false;
  std::string problem; ///< why it is out; empty while it is not
  std::vector<double> samples;

  /// The median of the samples, or the estimate where there are none.
  double getSeconds() const;
};

/// What all candidates have in common.
struct Job {
  std::string file, function, chip, sizes;
  std::string target; ///< of tile-run: cpu, cuda, hip, ascend
  bool onDevice = true; ///< or there is none, and nothing is timed
  unsigned jobs = 1, rounds = 3, runs = 10, seconds = 60;
  /// On an NVIDIA GPU: where compiled candidates are, for tile-replay.
  std::string saved;
  std::string state; ///< the file that an interrupted run is resumed from
  std::string key;   ///< what it must have been a run of
};

class Tuner {
public:
  Tuner(const Job &job, std::vector<Candidate> &candidates);

  /// Takes over what an interrupted run has found; false where the file is
  /// none, or of another run.
  bool resume();
  /// Compiles in parallel; drops what fails or spills.
  void compile();
  /// Compares results with the reference on the cases of the function.
  void check();
  /// Times candidates in turn, round by round.
  void time();
  /// Checks and times what was saved on the GPU at hand.
  bool replay(std::string &error);
  /// Takes over the verdicts and times that tile-replay found.
  bool readTimes(std::string &error);
  /// What was run, or is to be, where the GPU is.
  std::string getReplayCommand() const;

private:
  struct Output {
    bool good;
    std::string text, errors;
  };

  Output run(llvm::StringRef program, std::vector<std::string> arguments,
             unsigned limit) const;
  std::vector<std::string> getArguments(const Candidate &candidate) const;
  void compileOne(Candidate &candidate) const;
  void saveOne(Candidate &candidate) const;
  void checkOne(Candidate &candidate);
  void takeTime(const llvm::json::Object &row);
  std::vector<std::string> getReplayArguments() const;
  void save() const;
  void begin(const char *what, size_t steps);
  void step(const Candidate &candidate);

  const Job &job;
  std::vector<Candidate> &candidates;
  std::string folder; ///< of the tools
  const char *what = "";
  size_t done = 0, steps = 0;
  std::chrono::steady_clock::time_point start;
};

/// The first error of a tool, without its place.
std::string getReason(llvm::StringRef text);

#endif // TILE_TUNE_CANDIDATES_H
