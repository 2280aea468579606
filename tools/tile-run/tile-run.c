// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tile-run: runs functions of MLIR files and checks what they compute.

#define _GNU_SOURCE 1
#include "../Streams.h"
#include "Device.h"
#include "Table.h"
#include "TileRuntime/Clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef TILE_VERSION
#define TILE_VERSION "unknown"
#endif

/// Reports an error of the command line or of a run.
static bool report(const TileRtError *error) {
  fflush(stdout);
  fprintf(stderr, "tile-run: %s\n", error->message);
  return false;
}

/// Reports an error that concerns a function.
static bool reportAt(const TileRunFunction *function,
                     const TileRtError *error) {
  fflush(stdout);
  fprintf(stderr, "%s: error: %s\n", function->place, error->message);
  return false;
}

//===----------------------------------------------------------------------===//
// Choice of functions
//===----------------------------------------------------------------------===//

typedef struct FunctionList {
  int32_t count;
  const TileRunFunction **items;
} FunctionList;

static bool failNoFunction(const char *path, const TileRunFile *file) {
  char names[512] = "";
  size_t at = 0;
  int32_t count = tile_run_function_count(file);
  for (int32_t i = 0; i < count && at < sizeof(names); ++i)
    at += (size_t)snprintf(names + at, sizeof(names) - at, "%s@%s",
                           i ? ", " : "", tile_run_function(file, i)->name);
  TileRtError error;
  tile_rt_fail(&error,
               "%s: no function has tile.reference; choose one with --func "
               "(functions: %s)",
               path, count ? names : "none");
  return report(&error);
}

/// Fills in the functions of a file that are to be run.
static bool chooseFunctions(const TileRunOptions *options, const char *path,
                            const TileRunFile *file, FunctionList *list) {
  int32_t count = tile_run_function_count(file);
  int32_t room =
      count > options->functions.count ? count : options->functions.count;
  list->items = calloc((size_t)room + 1, sizeof(*list->items));
  if (!list->items)
    abort();
  for (int32_t i = 0; i < options->functions.count; ++i) {
    const char *name = options->functions.items[i];
    const TileRunFunction *function = tile_run_find_function(file, name);
    TileRtError error;
    if (!function) {
      tile_rt_fail(&error, "%s: there is no function @%s", path, name);
      return report(&error);
    }
    list->items[list->count++] = function;
  }
  if (list->count > 0)
    return true;
  for (int32_t i = 0; i < count; ++i)
    if (tile_run_function(file, i)->reference)
      list->items[list->count++] = tile_run_function(file, i);
  if (list->count > 0)
    return true;
  for (int32_t i = 0; i < count; ++i) {
    const TileRunFunction *function = tile_run_function(file, i);
    if (function->isPublic && !function->problem)
      list->items[list->count++] = function;
  }
  return list->count == 1 || failNoFunction(path, file);
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

/// A file whose functions are run; null if it could not be read.
typedef struct Program {
  const char *path;
  TileRunFile *file;
  FunctionList functions;
  TileRunCaseList cases;
} Program;

/// Whether each size of the command line belongs to some function.
static bool checkSizes(const TileRunOptions *options, const Program *programs) {
  for (int32_t i = 0; i < options->sizes.count; ++i) {
    TileRunSizes one = {0};
    TileRtError error;
    if (!tile_run_sizes_parse(&one, options->sizes.items[i], &error))
      return report(&error);
    bool known = false, readable = true;
    for (int32_t p = 0; p < options->files.count; ++p) {
      readable &= programs[p].file != NULL;
      for (int32_t f = 0; f < programs[p].functions.count; ++f)
        known |= tile_run_has_size(programs[p].functions.items[f],
                                   one.items[0].name);
    }
    if (!known && readable) {
      tile_rt_fail(&error, "unknown size %s: no tile.shape names it",
                   one.items[0].name);
      return report(&error);
    }
  }
  return true;
}

/// Options that count arguments mean those of one function.
static bool checkSingle(const TileRunOptions *options,
                        const Program *programs) {
  int32_t functions = 0;
  for (int32_t p = 0; p < options->files.count; ++p)
    functions += programs[p].functions.count;
  if (functions <= 1 || options->arguments.count + options->shapes.count +
                                options->outputs.count +
                                options->checkFiles.count ==
                            0)
    return true;
  TileRtError error;
  tile_rt_fail(&error,
               "--arg, --shape, --out and --check=IDX:FILE concern one "
               "function, but %d are to be run; choose one with --func",
               functions);
  return report(&error);
}

static bool planProgram(const TileRunOptions *options, Program *program) {
  for (int32_t i = 0; i < program->functions.count; ++i) {
    TileRtError error;
    const TileRunFunction *function = program->functions.items[i];
    if (!tile_run_plan(&program->cases, options, program->file, function,
                       &error))
      return reportAt(function, &error);
  }
  return true;
}

/// The sizes of a case as the compiler takes them.
static const char *sizesOf(const TileRunCase *c) {
  return strcmp(c->label, "-") == 0 ? "" : c->label;
}

/// Compiles the function of a case, unless an earlier one has it, and its
/// reference. On a device a function that fails is a failure of its cases.
static bool compileCase(const TileRunOptions *options, const char *chip,
                        const Program *program, int32_t index) {
  TileRunCase *c = &program->cases.items[index];
  TileRunCompileOptions how = {.target = tile_run_backend(options),
                               .chip = chip,
                               .parameterCount = options->parameters.count,
                               .parameters = options->parameters.items,
                               .checkAssumptions = options->checkAssumptions,
                               .poisonTiles = options->repeats == 0,
                               .dump = options->dump,
                               .lazy = !options->save,
                               .withBitcode = options->save != NULL};
  // Host code runs in this process.
  if (!options->onDevice && !c->function->hasKernels)
    how.target = "cpu", how.chip = NULL;
  TileRunCompileOptions onCPU = how;
  onCPU.target = "cpu", onCPU.chip = NULL, onCPU.withBitcode = false;
  if (options->onDevice)
    onCPU.dump = TILE_RUN_DUMP_NONE;
  const TileRunCase *before = index > 0 ? c - 1 : NULL;
  how.tuning = options->tuning;
  how.sizes = sizesOf(c);
  // With a record, other sizes may be other code.
  if (before && before->function == c->function && !options->tuning)
    c->image = before->image;
  else
    c->image = tile_run_compile(program->file, c->function->name, &how);
  if (before && before->reference == c->reference)
    c->referenceImage = before->referenceImage;
  else if (c->reference)
    c->referenceImage =
        tile_run_compile(program->file, c->reference->name, &onCPU);
  return (c->image || options->onDevice) &&
         (c->referenceImage || !c->reference);
}

static bool compile(const TileRunOptions *options, const TileRunDevice *device,
                    const Program *program) {
  fflush(stdout);
  for (int32_t i = 0; i < program->cases.count; ++i)
    if (!compileCase(options, device ? device->chip : options->chip, program,
                     i))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

/// Begins a step. Away from a terminal only those of more than two seconds get
/// a line: the rows of the table tell the rest.
static void beginStep(TileRtProgress *progress, const char *what) {
  tile_rt_progress_begin(progress, what);
  progress->startNs = progress->stepNs;
}

/// Ends a step. On a terminal its line goes away: the table says it better.
static void endStep(TileRtProgress *progress) {
  tile_rt_progress_end(progress);
  if (progress->terminal)
    fputs("\033[1A\033[K", stderr);
}

static TileRunCompileOptions howToEstimate(const TileRunOptions *options,
                                           const char *chip) {
  return (TileRunCompileOptions){.chip = chip,
                                 .parameterCount = options->parameters.count,
                                 .parameters = options->parameters.items,
                                 .tuning = options->tuning};
}

/// Estimates in the place of runs.
static bool estimateProgram(const TileRunOptions *options,
                            const Program *program) {
  TileRunCompileOptions how = howToEstimate(options, options->chip);
  for (int32_t i = 0; i < program->cases.count; ++i) {
    const TileRunCase *c = &program->cases.items[i];
    if (!tile_run_estimate(program->file, c->function->name, &how, sizesOf(c),
                           options->estimate))
      return false;
  }
  return true;
}

static void runProgram(const TileRunOptions *options,
                       const TileRunDevice *device, Program *program,
                       TileRunTable *table, TileRtProgress *progress) {
  if (options->estimate) {
    table->failed += !estimateProgram(options, program);
    return;
  }
  char what[384];
  snprintf(what, sizeof(what), "compile %s", program->path);
  beginStep(progress, what);
  bool compiled = compile(options, device, program);
  endStep(progress);
  if (!compiled) {
    ++table->failed;
    return;
  }
  for (int32_t i = 0; i < program->cases.count; ++i) {
    const TileRunCase *c = &program->cases.items[i];
    snprintf(what, sizeof(what), "%.100s %s", c->function->name, c->label);
    beginStep(progress, what);
    TileRunOutcome outcome;
    tile_run_case(c, options, device, &outcome);
    if (device && options->repeats > 0 && outcome.ran) {
      TileRunCompileOptions how = howToEstimate(options, device->chip);
      outcome.work = tile_run_find_work(program->file, c->function->name, &how,
                                        sizesOf(c));
    }
    endStep(progress);
    tile_run_table_row(table, c, &outcome);
  }
}

/// Runs what can be run and prints the table; false if anything failed.
static bool runPrograms(const TileRunOptions *options,
                        const TileRunDevice *device, Program *programs,
                        int32_t broken) {
  TileRunCaseList all = {0};
  int32_t steps = 0;
  for (int32_t p = 0; p < options->files.count; ++p) {
    all.count += programs[p].cases.count;
    steps += programs[p].cases.count + (programs[p].cases.count > 0);
  }
  if (all.count == 0)
    return false;
  all.items = calloc((size_t)all.count, sizeof(*all.items));
  if (!all.items)
    abort();
  int32_t at = 0;
  for (int32_t p = 0; p < options->files.count; ++p)
    for (int32_t i = 0; i < programs[p].cases.count; ++i)
      all.items[at++] = programs[p].cases.items[i];
  TileRunTable table;
  tile_run_table_begin(&table, &all, options->repeats > 0,
                       device && options->repeats > 0,
                       options->json || options->estimate);
  free(all.items);
  table.failed = broken;
  TileRtProgress progress;
  tile_rt_progress_start(&progress, steps);
  for (int32_t p = 0; p < options->files.count; ++p)
    if (programs[p].cases.count > 0)
      runProgram(options, device, &programs[p], &table, &progress);
  tile_run_table_end(&table);
  return table.failed == 0;
}

static bool run(const TileRunOptions *options, const TileRunDevice *device) {
  Program *programs = calloc((size_t)options->files.count, sizeof(*programs));
  if (!programs)
    abort();
  int32_t broken = 0;
  for (int32_t p = 0; p < options->files.count; ++p) {
    Program *program = &programs[p];
    program->path = options->files.items[p];
    program->file = tile_run_open(program->path);
    if (program->file && !options->quiet)
      tile_run_enable_notes(program->file);
    if (!program->file ||
        !chooseFunctions(options, program->path, program->file,
                         &program->functions)) {
      program->functions.count = 0;
      ++broken;
    }
  }
  bool done = checkSizes(options, programs) && checkSingle(options, programs);
  for (int32_t p = 0; done && p < options->files.count; ++p)
    if (!planProgram(options, &programs[p])) {
      tile_run_cases_free(&programs[p].cases);
      programs[p].cases = (TileRunCaseList){0};
      ++broken;
    }
  done = done && runPrograms(options, device, programs, broken);
  for (int32_t p = 0; p < options->files.count; ++p) {
    tile_run_cases_free(&programs[p].cases);
    free(programs[p].functions.items);
    if (programs[p].file)
      tile_run_close(programs[p].file);
  }
  free(programs);
  return done;
}

/// Joins other processes, of which the first one prints.
static bool openComm(TileRunOptions *options, TileRtError *error) {
  if (!options->provider)
    return true;
  if (!tile_rt_comm_open(options->provider, &options->comm, error))
    return false;
  return options->comm->rank == 0 || freopen("/dev/null", "w", stdout) ||
         tile_rt_fail(error, "expected to open /dev/null");
}

int main(int argc, char **argv) {
  TileRunOptions options;
  TileRtError error;
  tile_tool_reserve_streams();
  bool done =
      tile_run_options_parse(&options, argc, (const char *const *)argv, &error);
  if (!done) {
    report(&error);
  } else if (options.help) {
    tile_run_options_help();
  } else if (options.version) {
    printf("tile-run %s\n", TILE_VERSION);
  } else {
    tile_run_catch_crashes();
    tile_run_on_assertion(tile_run_failed_assertion);
    TileRunDevice device = {0};
    if (!openComm(&options, &error))
      done = report(&error);
    else if (!options.onDevice || options.estimate)
      done = run(&options, NULL);
    else if (tile_run_device_open(&device, &options, &error))
      done = run(&options, &device);
    else
      done = report(&error);
    tile_run_device_close(&device);
    tile_rt_comm_close(options.comm);
  }
  tile_run_options_free(&options);
  done &= tile_tool_end_output("tile-run");
  return done ? 0 : 1;
}
