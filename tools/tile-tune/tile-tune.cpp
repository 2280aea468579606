//===- tile-tune.cpp - finds the values of parameters ---------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Candidates.h"

#include "Tile/CostModel/Describe.h"
#include "Tile/CostModel/Space.h"
#include "Tile/CostModel/Tuning.h"
#include "Tile/Driver/Backend.h"
#include "Tile/Driver/OutputFile.h"
#include "Tile/Driver/ParseModule.h"
#include "Tile/Driver/TemporaryFolder.h"
#include "Tile/Driver/Version.h"
#include "Tile/InitAll.h"
#include "TileRuntime/CUDA.h"
#include "TileRuntime/HIP.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

#include <thread>

using namespace mlir;
namespace cl = llvm::cl;
namespace cost = ::tile::cost;

static cl::opt<std::string> file(cl::Positional, cl::Required,
                                 cl::desc("<file.mlir>"));
static cl::opt<std::string> chip("chip", cl::desc("the chip to tune for"),
                                 cl::value_desc("name"));
static cl::opt<std::string>
    sizes("case",
          cl::desc("sizes to tune for, \"M=4096 N=4096\"; \"M=1..64\" stands for "
                   "all of them, timed at the last (default: the first of "
                   "tile.cases)"),
          cl::value_desc("sizes"));
static cl::opt<std::string>
    function("func", cl::desc("the function (default: the only one)"),
             cl::value_desc("name"));
static cl::opt<std::string>
    output("o", cl::desc("the record (default: FILE with .tune.json)"),
           cl::value_desc("file"));
static cl::opt<unsigned>
    top("top", cl::desc("candidates that are compiled and timed, beside the "
                        "default"),
        cl::init(20));
static cl::opt<unsigned> rounds("rounds", cl::desc("rounds of timing"),
                                cl::init(3));
static cl::opt<unsigned> runs("runs", cl::desc("timed runs in each round"),
                              cl::init(10));
static cl::opt<unsigned> jobs("jobs", cl::desc("compilations at a time"),
                              cl::init(0));
static cl::opt<unsigned> limit("limit",
                               cl::desc("seconds that one step may take"),
                               cl::init(120));
static cl::opt<std::string>
    save("save",
         cl::desc("compile the candidates into a folder that tile-replay runs "
                  "on another machine, and stop"),
         cl::value_desc("folder"));
static cl::opt<std::string>
    saved("saved",
          cl::desc("write the record by what tile-replay has found of such a "
                   "folder"),
          cl::value_desc("folder"));
static cl::opt<bool> list("list", cl::desc("print the estimates of all "
                                           "candidates and stop"));

static int fail(const Twine &message) {
  llvm::errs() << "tile-tune: " << message << "\n";
  return 1;
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

using Ranges = std::map<std::string, std::pair<int64_t, int64_t>>;

/// "M=1..64 N=32"; nothing where the text is no such list.
static std::optional<Ranges> parseRanges(StringRef text) {
  Ranges ranges;
  SmallVector<StringRef> parts;
  llvm::SplitString(text, parts, " ,");
  for (StringRef part : parts) {
    auto [name, number] = part.split('=');
    auto [first, last] = number.split("..");
    int64_t from, to;
    if (name.empty() || first.getAsInteger(10, from) || from < 0)
      return std::nullopt;
    to = from;
    if (number.contains("..") && (last.getAsInteger(10, to) || to < from))
      return std::nullopt;
    if (!ranges.try_emplace(name.str(), from, to).second)
      return std::nullopt;
  }
  return ranges;
}

/// The last of each range.
static std::string formatLast(const Ranges &ranges) {
  mlir::tile::NamedNumbers numbers;
  for (auto &[name, range] : ranges)
    numbers[name] = range.second;
  return mlir::tile::formatNamedNumbers(numbers);
}

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

namespace {
/// What is tuned.
struct Problem {
  FunctionOpInterface function;
  std::unique_ptr<cost::Program> program;
  mlir::tile::ChipRates chip;
  Ranges ranges;
  std::string last; ///< the sizes that are timed
  std::string hash;
};
} // namespace

static FailureOr<Problem> makeProblem(ModuleOp module) {
  Problem problem;
  FailureOr<mlir::tile::ChipRates> rated =
      mlir::tile::findChipRates(module, chip);
  if (failed(rated))
    return failure();
  problem.chip = *rated;
  mlir::tile::CompileOptions options;
  if (!function.empty())
    options.functions = {function};
  auto names = mlir::tile::getKernelFunctions(module, options);
  if (failed(names))
    return failure();
  if (names->size() != 1)
    return module.emitError("expected one function with kernels, got ")
           << names->size() << "; choose one with --func";
  problem.function = module.lookupSymbol<FunctionOpInterface>(names->front());
  std::string text = sizes.empty() ? mlir::tile::getFirstCase(problem.function)
                                   : sizes.getValue();
  std::optional<Ranges> ranges = parseRanges(text);
  if (!ranges)
    return problem.function.emitError("expected sizes NAME=NUMBER or "
                                      "NAME=NUMBER..NUMBER, got '")
           << text << "'";
  problem.ranges = *ranges;
  problem.last = formatLast(*ranges);
  auto program = mlir::tile::describeKernels(problem.function);
  if (failed(program))
    return failure();
  problem.program = std::move(*program);
  if (problem.program->parameters.empty())
    return module.emitError("has no parameters to tune; declare some with "
                            "'tile.param'");
  return problem;
}

/// The back end of a chip, by the names of tile-run.
static std::string getTarget(const ::tile::target::Target &target) {
  using ::tile::target::Vendor;
  switch (target.vendor) {
  case Vendor::NVIDIA:
    return "cuda";
  case Vendor::AMD:
    return "hip";
  case Vendor::Ascend:
    return "ascend";
  case Vendor::CPU:
    return "cpu";
  }
  llvm_unreachable("all vendors are above");
}

/// Whether something of that kind is here to time on.
static bool hasDevice(StringRef target) {
  TileRtDevice *device = nullptr;
  TileRtError error;
  bool opened = target == "cuda"  ? tile_rt_cuda_open(0, &device, &error)
                : target == "hip" ? tile_rt_hip_open(0, &device, &error)
                                  : false;
  if (opened)
    tile_rt_device_close(device);
  return opened || target == "cpu";
}

static std::vector<Candidate> choose(const Problem &problem,
                                     const cost::Space &space) {
  std::vector<Candidate> chosen;
  for (const cost::Configuration &one : space.ranked) {
    // Stages that do not fit are the same code as fewer: two of those that the
    // model cannot tell apart are enough.
    bool isKnown = llvm::count_if(chosen, [&](const Candidate &candidate) {
                     return candidate.estimate == one.seconds;
                   }) >= 2;
    if ((chosen.size() >= top || isKnown) && !one.isDefault)
      continue;
    Candidate &candidate = chosen.emplace_back();
    candidate.bindings = cost::formatBindings(*problem.program, one);
    candidate.estimate = one.seconds;
    candidate.isDefault = one.isDefault;
  }
  return chosen;
}

/// Writes the best candidate to the record, beside what it has.
static int finish(const Problem &problem, const Job &job,
                  const std::vector<Candidate> &candidates,
                  mlir::tile::TuningRecord record, StringRef path) {
  const Candidate *best = nullptr, *standard = nullptr;
  for (const Candidate &candidate : candidates) {
    if (candidate.isDefault)
      standard = &candidate;
    bool isOpen = candidate.problem.empty() &&
                  (job.onDevice ? !candidate.samples.empty()
                                : candidate.checked);
    if (isOpen && (!best || candidate.getSeconds() < best->getSeconds()))
      best = &candidate;
  }
  if (!best)
    return fail("no candidate is right; the default's reason: " +
                (standard ? standard->problem : "none"));
  mlir::tile::TuningEntry entry;
  entry.function = job.function;
  entry.sourceHash = problem.hash;
  entry.sizes = problem.ranges;
  entry.parameters = *mlir::tile::parseNamedNumbers(best->bindings);
  entry.seconds = best->getSeconds();
  entry.defaultSeconds = standard ? standard->getSeconds() : 0;
  entry.measured = job.onDevice;
  record.add(entry);
  std::error_code lost = mlir::tile::writeOutput(path, record.write());
  if (!lost && saved.empty()) {
    (void)llvm::sys::fs::remove(job.state);
    if (!job.saved.empty())
      (void)llvm::sys::fs::remove_directories(job.saved);
  }
  // What took so long to find is told, whatever became of the record.
  llvm::outs() << llvm::formatv(
      "@{0} on {1}, {2}: {3}\n  {4:f2} us {5}, {6:f2} times the default's "
      "speed\n",
      job.function, job.chip, problem.last, best->bindings,
      entry.seconds * 1e6, entry.measured ? "measured" : "estimated",
      entry.seconds > 0 ? entry.defaultSeconds / entry.seconds : 0);
  return lost ? fail(path + ": " + lost.message()) : 0;
}

/// The record that is written, and what it holds if it is there already.
static FailureOr<mlir::tile::TuningRecord> openRecord(StringRef path,
                                                      StringRef chip) {
  mlir::tile::TuningRecord record;
  record.chip = chip.str();
  if (!llvm::sys::fs::exists(path))
    return record;
  std::string error;
  auto old = mlir::tile::readTuningRecord(path, error);
  if (!old)
    return fail(path + ": " + error), failure();
  if (old->chip != record.chip)
    return fail(path + ": is for " + old->chip + ", not for " + record.chip +
                "; name another file with -o"),
           failure();
  return *old;
}

static Job makeJob(Problem &problem, StringRef path) {
  Job job;
  job.file = file;
  job.function = problem.function.getName().str();
  job.chip = problem.chip.target->name.str();
  job.sizes = problem.last;
  job.target = getTarget(*problem.chip.target);
  job.onDevice = !saved.empty() || (save.empty() && hasDevice(job.target));
  job.jobs = jobs ? jobs : std::max(1u, std::thread::hardware_concurrency());
  job.rounds = rounds;
  job.runs = runs;
  job.seconds = limit;
  job.state = path.str() + ".part";
  if (!save.empty() || !saved.empty()) {
    job.saved = save.empty() ? saved : save;
    SmallString<128> state(job.saved);
    llvm::sys::path::append(state, "candidates.json");
    job.state = state.str().str();
  } else if (job.onDevice && job.target == "cuda") {
    job.saved = path.str() + ".cases";
  }
  job.key = problem.hash + " " + job.chip + " " + job.sizes;
  return job;
}

/// Finds times; false where that fails, or is for another machine to do.
static FailureOr<bool> measure(Tuner &tuner, const Job &job) {
  std::string error;
  if (!saved.empty()) {
    if (!tuner.resume())
      return fail(job.saved + ": has no candidates for these sizes of this "
                              "program; make some with --save"),
             failure();
    if (!tuner.readTimes(error))
      return fail(error), failure();
    return true;
  }
  tuner.resume();
  tuner.compile();
  if (!save.empty()) {
    llvm::outs() << "next, where the GPU is: " << tuner.getReplayCommand()
                 << "\nthen, here: the same command with --saved=" << job.saved
                 << " in place of --save\n";
    return false;
  }
  if (!job.saved.empty()) {
    if (!tuner.replay(error))
      return fail(error), failure();
    return true;
  }
  tuner.check();
  if (job.onDevice)
    tuner.time();
  return true;
}

static int tune(ModuleOp module, Problem &problem, const cost::Space &space) {
  std::string path = output;
  if (path.empty()) {
    SmallString<128> name(file);
    llvm::sys::path::replace_extension(name, ".tune.json");
    path = name.str().str();
  }
  auto record = openRecord(path, problem.chip.target->name);
  if (failed(record))
    return 1;
  problem.hash = mlir::tile::hashSource(module, problem.function.getName());
  std::vector<Candidate> candidates = choose(problem, space);
  Job job = makeJob(problem, path);
  if (!job.saved.empty() && job.target != "cuda")
    return fail("--save: expected an NVIDIA GPU, which tile-replay runs, got " +
                job.chip);
  if (!save.empty())
    if (std::error_code code = llvm::sys::fs::create_directories(job.saved))
      return fail(job.saved + ": " + code.message());
  // All cases in it are run.
  if (!job.saved.empty() && save.empty() && saved.empty()) {
    if (std::error_code code = llvm::sys::fs::create_directory(
            job.saved, /*IgnoreExisting=*/true, llvm::sys::fs::owner_all))
      return fail(job.saved + ": " + code.message());
    if (std::string problem = mlir::tile::findIntruder(job.saved);
        !problem.empty())
      return fail(problem + "; name another file with -o");
  }
  if (!job.onDevice && save.empty())
    llvm::errs() << "no device of " << job.chip
                 << " is here: the times are estimates\n";
  Tuner tuner(job, candidates);
  FailureOr<bool> measured = measure(tuner, job);
  if (failed(measured))
    return 1;
  return *measured ? finish(problem, job, candidates, std::move(*record), path)
                   : 0;
}

static int run(ModuleOp module) {
  FailureOr<Problem> problem = makeProblem(module);
  if (failed(problem))
    return 1;
  auto values = mlir::tile::getSymbolValues(problem->function,
                                            *problem->program, problem->last);
  if (failed(values))
    return 1;
  auto start = std::chrono::steady_clock::now();
  cost::Space space = cost::rank(*problem->program, *problem->chip.target,
                                 *problem->chip.rates, *values);
  double passed =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  llvm::errs() << llvm::formatv(
      "{0} combinations, {1} do not meet tile.require, {2} do not fit; ranked "
      "at {3:f0} a second\n",
      space.total, space.unmet, space.tooLarge, double(space.total) / passed);
  if (!save.empty() && !saved.empty())
    return fail("--save and --saved are two steps");
  if (!list)
    return tune(module, *problem, space);
  for (const cost::Configuration &one : space.ranked)
    llvm::outs() << llvm::formatv("{0:f3} us  {1}\n", one.seconds * 1e6,
                                  cost::formatBindings(*problem->program, one));
  return 0;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  mlir::tile::setToolName("tile-tune");
  cl::ParseCommandLineOptions(argc, argv, "finds the values of parameters\n");
  DialectRegistry registry;
  mlir::tile::registerAllDialects(registry);
  MLIRContext context(registry);
  // An error about the whole module would print the whole module.
  context.printOpOnDiagnostic(false);
  std::string message;
  if (!rounds || !runs)
    return fail("--rounds and --runs: expected at least 1");
  if (file == "-" && !list)
    return fail("expected a file, from which each candidate is compiled, got "
                "the standard input");
  std::unique_ptr<llvm::MemoryBuffer> buffer = mlir::tile::openInput(file, &message);
  if (!buffer)
    return fail(message);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(sources, &context);
  OwningOpRef<ModuleOp> module = mlir::tile::parseModule(sources, &context);
  if (!module)
    return 1;
  FailureOr<OwningOpRef<ModuleOp>> prepared =
      mlir::tile::prepareEstimate(*module);
  return failed(prepared) ? 1 : run(**prepared);
}
