// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#define _GNU_SOURCE 1
#include "Options.h"

#include "Device.h"
#include "TileRuntime/World.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool tile_run_parse_int(const char *text, int64_t *value) {
  char *end;
  errno = 0;
  *value = strtoll(text, &end, 10);
  return !isspace((unsigned char)*text) && end != text && *end == 0 && !errno;
}

bool tile_run_parse_double(const char *text, double *value) {
  char *end;
  *value = strtod(text, &end);
  return !isspace((unsigned char)*text) && end != text && *end == 0;
}

//===----------------------------------------------------------------------===//
// Lists
//===----------------------------------------------------------------------===//

static void *grow(void *items, int32_t count, size_t size) {
  // The command line was in memory: a copy of its pointers is, too.
  void *grown = realloc(items, ((size_t)count + 1) * size);
  if (!grown)
    abort();
  return grown;
}

static bool push(TileRunStringList *list, const char *text) {
  list->items = grow(list->items, list->count, sizeof(*list->items));
  list->items[list->count++] = text;
  return true;
}

const char *tile_run_indexed_find(const TileRunIndexedList *list,
                                  int32_t index) {
  for (int32_t i = 0; i < list->count; ++i)
    if (list->items[i].index == index)
      return list->items[i].text;
  return NULL;
}

/// Adds "IDX:text" to the list.
static bool pushIndexed(TileRunIndexedList *list, const char *option,
                        const char *value, TileRtError *error) {
  const char *colon = strchr(value, ':');
  char number[16];
  int64_t index = -1;
  if (colon && (size_t)(colon - value) < sizeof(number)) {
    memcpy(number, value, (size_t)(colon - value));
    number[colon - value] = 0;
    if (!tile_run_parse_int(number, &index) || index > INT32_MAX)
      index = -1;
  }
  if (index < 0 || colon[1] == 0)
    return tile_rt_fail(error,
                        "%s: expected NUMBER:VALUE with the number of an "
                        "argument, counting from 0, got '%s'",
                        option, value);
  if (tile_run_indexed_find(list, (int32_t)index))
    return tile_rt_fail(error, "%s: argument %lld is given twice", option,
                        (long long)index);
  list->items = grow(list->items, list->count, sizeof(*list->items));
  list->items[list->count++] = (TileRunIndexed){(int32_t)index, colon + 1};
  return true;
}

//===----------------------------------------------------------------------===//
// One parser an option
//===----------------------------------------------------------------------===//

typedef TileRunOptions Options;

static bool parseFunction(Options *o, const char *value, TileRtError *error) {
  (void)error;
  return push(&o->functions, *value == '@' ? value + 1 : value);
}

/// The compiler says what is wrong with a name or value.
static bool parseParameter(Options *o, const char *value, TileRtError *error) {
  (void)error;
  return push(&o->parameters, value);
}

static bool parseArgument(Options *o, const char *value, TileRtError *error) {
  return pushIndexed(&o->arguments, "--arg", value, error);
}

static bool parseShape(Options *o, const char *value, TileRtError *error) {
  return pushIndexed(&o->shapes, "--shape", value, error);
}

static bool parseOutput(Options *o, const char *value, TileRtError *error) {
  return pushIndexed(&o->outputs, "--out", value, error);
}

static bool parseCheck(Options *o, const char *value, TileRtError *error) {
  if (strchr(value, ':'))
    return pushIndexed(&o->checkFiles, "--check", value, error);
  if (o->check)
    return tile_rt_fail(error,
                        "--check: expected one function, got '%s' and "
                        "'%s'",
                        o->check, value);
  if (*value == 0)
    return tile_rt_fail(error, "--check: expected a function, 'none' or "
                               "NUMBER:FILE.npy, got nothing");
  o->check = *value == '@' ? value + 1 : value;
  return true;
}

static bool parseTolerance(const char *option, const char *value, double *out,
                           bool *given, TileRtError *error) {
  *given = true;
  if (tile_run_parse_double(value, out) && *out >= 0 && isfinite(*out))
    return true;
  return tile_rt_fail(error, "%s: expected a number of at least 0, got '%s'",
                      option, value);
}

static bool parseAtol(Options *o, const char *value, TileRtError *error) {
  return parseTolerance("--atol", value, &o->atol, &o->hasAtol, error);
}

static bool parseRtol(Options *o, const char *value, TileRtError *error) {
  return parseTolerance("--rtol", value, &o->rtol, &o->hasRtol, error);
}

static bool parseSeed(Options *o, const char *value, TileRtError *error) {
  int64_t seed;
  if (!tile_run_parse_int(value, &seed))
    return tile_rt_fail(error, "--seed: expected an integer, got '%s'", value);
  o->seed = (uint64_t)seed;
  return true;
}

static bool parseTime(Options *o, const char *value, TileRtError *error) {
  int64_t repeats = 10;
  if (*value && (!tile_run_parse_int(value, &repeats) || repeats < 1 ||
                 repeats > 1000000))
    return tile_rt_fail(error,
                        "--time: expected a number of runs between 1 and "
                        "1000000, got '%s'",
                        value);
  o->repeats = (int32_t)repeats;
  return true;
}

/// The model of an NPU reads it where it is launched.
static bool parseTrace(Options *o, const char *value, TileRtError *error) {
  (void)error;
  o->trace = value;
  return setenv("TILE_ASCEND_TRACE", value, 1) == 0;
}

/// The runtime reads the number of threads from the environment, once.
static bool parseThreads(Options *o, const char *value, TileRtError *error) {
  (void)o;
  int64_t threads;
  if (!tile_run_parse_int(value, &threads) || threads < 1 || threads > 1024)
    return tile_rt_fail(
        error, "--threads: expected a number between 1 and 1024, got '%s'",
        value);
  setenv("TILE_NUM_THREADS", value, 1);
  return true;
}

/// Short for the size that a world without tile.shape has.
static bool parseRanks(Options *o, const char *value, TileRtError *error) {
  static char size[32];
  int64_t ranks;
  if (!tile_run_parse_int(value, &ranks) || ranks < 1 ||
      ranks > TILE_RT_MAX_RANKS)
    return tile_rt_fail(
        error, "--ranks: expected a number between 1 and %d, got '%s'",
        TILE_RT_MAX_RANKS, value);
  snprintf(size, sizeof(size), "ranks=%d", (int)ranks);
  push(&o->sizes, size);
  return true;
}

/// The simulator is the only NPU that cases run on.
static bool parseTarget(Options *o, const char *value, TileRtError *error) {
  o->target = strcmp(value, "ascend") == 0 ? "ascend-model" : value;
  return tile_run_has_target(o->target, error);
}

/// Before a --target that the library brings.
static bool parseLoadTarget(Options *o, const char *value, TileRtError *error) {
  (void)o;
  return tile_run_load_target(value, error);
}

static bool parseText(const char *option, const char *value, const char **out,
                      TileRtError *error) {
  *out = value;
  return *value ||
         tile_rt_fail(error, "%s: expected a name, got nothing", option);
}

static bool parseChip(Options *o, const char *value, TileRtError *error) {
  return parseText("--chip", value, &o->chip, error);
}

static bool parseDevice(Options *o, const char *value, TileRtError *error) {
  o->model = true;
  return strcmp(value, "model") == 0 ||
         tile_rt_fail(error, "--device: expected 'model', got '%s'", value);
}

static bool parsePtxas(Options *o, const char *value, TileRtError *error) {
  const char *file;
  o->ptxas = true;
  return parseText("--ptxas", value, &file, error) &&
         setenv("TILE_PTXAS", file, 1) == 0;
}

static bool parseComm(Options *o, const char *value, TileRtError *error) {
  return parseText("--comm", value, &o->provider, error);
}

static bool parseSave(Options *o, const char *value, TileRtError *error) {
  // The names of functions and cases follow.
  enum { kMaxPath = 400 };
  if (strlen(value) > kMaxPath)
    return tile_rt_fail(error,
                        "--save: expected a path of at most %d bytes, got %zu",
                        kMaxPath, strlen(value));
  return parseText("--save", value, &o->save, error);
}

static bool parseFlush(Options *o, const char *value, TileRtError *error) {
  (void)value, (void)error;
  return o->flushL2 = true;
}

static bool parseJSON(Options *o, const char *value, TileRtError *error) {
  (void)value, (void)error;
  return o->json = true;
}

static bool parseTuning(Options *o, const char *value, TileRtError *error) {
  return parseText("--tuning", value, &o->tuning, error);
}

static bool parseEstimate(Options *o, const char *value, TileRtError *error) {
  o->estimate = *value ? value : "text";
  return strcmp(o->estimate, "text") == 0 ||
         strcmp(o->estimate, "json") == 0 ||
         tile_rt_fail(error, "--estimate: expected 'text' or 'json', got '%s'",
                      value);
}

static bool parseDump(Options *o, const char *value, TileRtError *error) {
  o->dump = strcmp(value, "mlir") == 0   ? TILE_RUN_DUMP_MLIR
            : strcmp(value, "llvm") == 0 ? TILE_RUN_DUMP_LLVM
            : strcmp(value, "ptx") == 0  ? TILE_RUN_DUMP_PTX
                                         : TILE_RUN_DUMP_NONE;
  return o->dump || tile_rt_fail(error,
                                 "--dump-ir: expected 'mlir', 'llvm' or "
                                 "'ptx', got '%s'",
                                 value);
}

static bool parseAssumptions(Options *o, const char *value,
                             TileRtError *error) {
  (void)value, (void)error;
  return o->checkAssumptions = true;
}

static bool parseHelp(Options *o, const char *value, TileRtError *error) {
  (void)value, (void)error;
  return o->help = true;
}

static bool parseNotes(Options *o, const char *value, TileRtError *error) {
  (void)value, (void)error;
  o->quiet = true;
  return true;
}

static bool parseVersion(Options *o, const char *value, TileRtError *error) {
  (void)value, (void)error;
  return o->version = true;
}

//===----------------------------------------------------------------------===//
// The table of options
//===----------------------------------------------------------------------===//

static const struct Option {
  const char *name;
  const char *value; ///< what stands behind '=', null for nothing
  bool mayOmit;      ///< the value
  bool (*parse)(Options *, const char *, TileRtError *);
  const char *help;
} table[] = {
    {"--func", "NAME", false, parseFunction,
     "run this function (may be repeated); otherwise all functions with\n"
     "tile.reference, or else the only public one"},
    {"--param", "NAME=VALUE", false, parseParameter,
     "compile with this value of a tile.param (may be repeated); otherwise\n"
     "with its default"},
    {"--arg", "IDX:SPEC", false, parseArgument,
     "fill argument IDX: normal, uniform(low,high), integers(low,high),\n"
     "offsets(last), permutation, mask(probability), zeros, ones, iota,\n"
     "poison, a number, or FILE.npy; integers may be sizes: N, N - 1"},
    {"--shape", "IDX:2x3", false, parseShape,
     "the shape of argument IDX, if it is dynamic"},
    {"--out", "IDX:FILE.npy", false, parseOutput,
     "write argument IDX after the run"},
    {"--check", "NAME|none|IDX:FILE.npy", false, parseCheck,
     "check against another function than tile.reference, not at all, or\n"
     "argument IDX against a file; with another target than the CPU, 'cpu' is\n"
     "the same function there, which is also what serves without a reference"},
    {"--atol", "X", false, parseAtol, "absolute tolerance"},
    {"--rtol", "X", false, parseRtol, "relative tolerance"},
    {"--seed", "N", false, parseSeed, "seed of random arguments (default 0)"},
    {"--time", "RUNS", true, parseTime,
     "time more runs (default 10), show median and minimum, on a GPU also\n"
     "operations and bytes a second, and the part of what the chip allows; with\n"
     "--target=ascend, print what an NPU would take, by an account of its pipes"},
    {"--trace", "FILE", false, parseTrace,
     "with --target=ascend, write the timeline of a block, for chrome://tracing"},
    {"--threads", "N", false, parseThreads,
     "number of threads (default: all that the process may use)"},
    {"--ranks", "N", false, parseRanks,
     "ranks of functions with an argument of type !world.ranks"},
    {"--comm", "mpi|nccl|nvshmem", false, parseComm,
     "ranks are the processes of an mpirun, and not threads; with --target=cuda,\n"
     "those of a torchrun, and not the GPUs of one process"},
    {"--target", "NAME", false, parseTarget,
     "where to run: cpu, cuda, hip,\n"
     "ascend (the model of an NPU), or a target of --load-target"},
    {"--load-target", "FILE", false, parseLoadTarget,
     "a shared library with a target (examples/embed-target)"},
    {"--chip", "NAME", false, parseChip,
     "the chip to compile for: a GPU (default: the one at hand, or sm_90a), "
     "with\n"
     "--target=ascend an NPU (default: the file's tile.target, or 910B), or a "
     "CPU,\n"
     "such as x86-64-v3 (default: this one); references are for this CPU"},
    {"--device", "model", false, parseDevice,
     "with --target=cuda or hip, run on a model of the GPU, which reports "
     "races\n"
     "and the like; TILE_SIMT_SEED chooses another order of threads"},
    {"--ptxas", "FILE", false, parsePtxas,
     "NVIDIA's assembler (default: TILE_PTXAS, PATH, /usr/local/cuda/bin)"},
    {"--save", "DIR", false, parseSave,
     "with --target=cuda, run nothing on a GPU: write to a folder what\n"
     "tile-replay needs to do so"},
    {"--flush-l2", NULL, true, parseFlush,
     "empty the GPU's caches before each timed run"},
    {"--json", NULL, true, parseJSON,
     "print an object of JSON for each case in place of the table"},
    {"--estimate", "text|json", true, parseEstimate,
     "run nothing: print how long the cost model thinks that it takes"},
    {"--tuning", "FILE", false, parseTuning,
     "compile with the parameters that tile-tune found for these sizes"},
    {"--check-assumptions", NULL, true, parseAssumptions,
     "stop where a tile.assume does not hold"},
    {"--no-notes", NULL, true, parseNotes,
     "do not say which pipelines, asynchronous copies and matrix instructions\n"
     "a kernel asks for and does not get"},
    {"--dump-ir", "mlir|llvm|ptx", false, parseDump,
     "print the LLVM dialect, the optimised LLVM IR, or PTX"},
    {"--help", NULL, true, parseHelp, "show this text"},
    {"--version", NULL, true, parseVersion, "show the version"},
};

void tile_run_options_help(void) {
  printf(
      "usage: tile-run FILE... [NAME=VALUE...] [options]\n\n"
      "Compiles functions of MLIR files ('-' is stdin) and runs them; checks "
      "their\nresults against tile.reference. NAME=VALUE sets a size named "
      "by tile.shape;\nwithout sizes, the cases of tile.cases are run.\n\n");
  for (size_t i = 0; i < sizeof(table) / sizeof(*table); ++i) {
    const struct Option *option = &table[i];
    char left[64];
    snprintf(left, sizeof(left), "%s%s%s%s%s", option->name,
             option->value && option->mayOmit ? "[" : "",
             option->value ? "=" : "", option->value ? option->value : "",
             option->value && option->mayOmit ? "]" : "");
    printf(strlen(left) > 21 ? "  %s\n%24s" : "  %-21s %s", left, "");
    for (const char *c = option->help; *c; ++c)
      if (*c == '\n')
        printf("\n%24s", "");
      else
        putchar(*c);
    putchar('\n');
  }
}

static bool parseOption(Options *options, const char *text,
                        TileRtError *error) {
  for (size_t i = 0; i < sizeof(table) / sizeof(*table); ++i) {
    const struct Option *option = &table[i];
    size_t length = strlen(option->name);
    if (strncmp(text, option->name, length) != 0 ||
        (text[length] != '=' && text[length] != 0))
      continue;
    bool hasValue = text[length] == '=';
    if (hasValue && !option->value)
      return tile_rt_fail(error, "%s takes no value", option->name);
    if (!hasValue && !option->mayOmit)
      return tile_rt_fail(error, "%s needs a value: %s=%s", option->name,
                          option->name, option->value);
    return option->parse(options, hasValue ? text + length + 1 : "", error);
  }
  return tile_rt_fail(error, "unknown option '%s'; see tile-run --help", text);
}

/// Whether the text is "name=...".
static bool isSize(const char *text) {
  if (!isalpha((unsigned char)*text) && *text != '_')
    return false;
  while (isalnum((unsigned char)*text) || *text == '_')
    ++text;
  return *text == '=';
}

bool tile_run_options_parse(TileRunOptions *options, int argc,
                            const char *const *argv, TileRtError *error) {
  *options = (TileRunOptions){.target = "cpu"};
  for (int i = 1; i < argc; ++i) {
    const char *text = argv[i];
    if (text[0] == '-' && text[1] != 0) {
      if (!parseOption(options, text, error))
        return false;
    } else {
      push(isSize(text) ? &options->sizes : &options->files, text);
    }
  }
  // An estimate runs nothing: its chip may be any.
  if (options->chip && !options->estimate &&
      !tile_run_has_chip(options->target, options->chip, error))
    return false;
  options->onDevice = tile_run_is_device(options->target);
  if (!options->onDevice &&
      (options->ptxas || options->save || options->flushL2 ||
       options->dump == TILE_RUN_DUMP_PTX))
    return tile_rt_fail(error, "--ptxas, --save, --flush-l2 and "
                               "--dump-ir=ptx need --target=cuda");
  if (options->provider) {
    bool onGPUs = strcmp(options->provider, "nccl") == 0 ||
                  strcmp(options->provider, "nvshmem") == 0;
    const char *target = onGPUs ? "cuda" : "cpu";
    if (strcmp(options->target, target) != 0 || options->model || options->save)
      return tile_rt_fail(error, "--comm=%s needs --target=%s, and runs there",
                          options->provider, target);
  }
  if (options->model && !options->onDevice)
    return tile_rt_fail(error, "--device=model needs --target=cuda or hip");
  if (options->model && (options->ptxas || options->save || options->flushL2 ||
                         options->dump == TILE_RUN_DUMP_PTX))
    return tile_rt_fail(error, "--ptxas, --save, --flush-l2 and --dump-ir=ptx "
                               "are not for --device=model");
  if (options->onDevice && options->dump == TILE_RUN_DUMP_LLVM)
    return tile_rt_fail(error, "--dump-ir=llvm: expected 'mlir' or 'ptx' with "
                               "--target=cuda");
  bool isModel = strcmp(options->target, "ascend-model") == 0;
  if (options->trace && !isModel)
    return tile_rt_fail(error, "--trace needs --target=ascend");
  if (isModel && options->repeats > 0) {
    setenv("TILE_ASCEND_TIME", "1", 0);
    options->repeats = 0;
  }
  if (options->save && options->repeats > 0)
    return tile_rt_fail(error, "--time: nothing runs with --save; give it to "
                               "tile-replay");
  if (options->help || options->version || options->files.count > 0)
    return true;
  return tile_rt_fail(error, "no file given; see tile-run --help");
}

void tile_run_options_free(TileRunOptions *options) {
  free(options->files.items);
  free(options->functions.items);
  free(options->sizes.items);
  free(options->parameters.items);
  free(options->arguments.items);
  free(options->shapes.items);
  free(options->outputs.items);
  free(options->checkFiles.items);
}
