// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tile-replay: runs what `tile-run --save` has prepared, on a GPU. Links the
// runtime alone.
//
// Cases run in a child process, which is replaced when a kernel breaks its
// context or does not end: what comes after it is judged as if it had not been.

#define _GNU_SOURCE 1
#include "CaseFile.h"
#include "Model.h"

#include "TileRuntime/CUDA.h"
#include "TileRuntime/Npy.h"

#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct Options {
  const char *filter; ///< a part of the folder's name, or null
  int64_t samples, repeats, timeout, guard, device;
  bool flushL2, noFork, model;
} Options;

typedef struct Folders {
  int32_t count;
  char **items;
} Folders;

enum { kNameWidth = 44 };

//===----------------------------------------------------------------------===//
// Search
//===----------------------------------------------------------------------===//

static void addFolders(Folders *folders, const char *path, const char *filter) {
  char name[1024];
  struct stat status;
  snprintf(name, sizeof(name), "%s/case.txt", path);
  if (stat(name, &status) == 0 && (!filter || strstr(path, filter))) {
    folders->items = realloc(folders->items, ((size_t)folders->count + 1) *
                                                 sizeof(*folders->items));
    if (!folders->items)
      abort();
    folders->items[folders->count++] = strdup(path);
  }
  DIR *directory = opendir(path);
  if (!directory)
    return;
  for (struct dirent *entry; (entry = readdir(directory));) {
    if (entry->d_name[0] == '.')
      continue;
    snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
    if (stat(name, &status) == 0 && S_ISDIR(status.st_mode))
      addFolders(folders, name, filter);
  }
  closedir(directory);
}

static int compareNames(const void *a, const void *b) {
  return strverscmp(*(char *const *)a, *(char *const *)b);
}

//===----------------------------------------------------------------------===//
// One case
//===----------------------------------------------------------------------===//

/// What a child tells of a case.
typedef struct Outcome {
  int32_t index;
  bool passed, checked;
  bool broken; ///< the device cannot be used any more
} Outcome;

typedef struct Figures {
  double maxAbsolute, maxRelative;
  double first;
  TileRtTiming timing;
} Figures;

static bool compareAll(const TileReplayCase *c, const TileRtTensor *tensors,
                       Outcome *outcome, Figures *figures, TileRtError *error) {
  for (int32_t i = 0; i < c->count; ++i) {
    const TileReplayCaseArgument *a = &c->arguments[i];
    char path[2048], who[32];
    TileRtTensor expected = {0};
    TileRtComparison comparison = {0};
    TileRtTolerance tolerance = {.absolute = c->absolute,
                                 .relative = c->relative};
    snprintf(who, sizeof(who), "argument %d", i);
    if (!tile_rt_tensor_check_guard(&tensors[i], who, error))
      return false;
    if (!a->expected[0])
      continue;
    snprintf(path, sizeof(path), "%s%s", c->folder, a->expected);
    outcome->checked = true;
    bool good = tile_rt_npy_read(path, a->dtype, &expected, error) &&
                tile_rt_compare(who, &tensors[i], &expected, &tolerance,
                                &comparison, error);
    tile_rt_tensor_free(&expected);
    if (comparison.maxAbsolute > figures->maxAbsolute)
      figures->maxAbsolute = comparison.maxAbsolute;
    if (comparison.maxRelative > figures->maxRelative)
      figures->maxRelative = comparison.maxRelative;
    if (!good)
      return false;
  }
  return true;
}

/// Fills the arguments, runs the kernels and judges; once for each repeat.
static bool runOnce(const TileReplayCase *c, const TileReplayProgram *program,
                    const Options *options, bool last, Outcome *outcome,
                    Figures *figures, TileRtError *error) {
  TileRtTensor tensors[TILE_RT_MAX_ARGUMENTS];
  TileReplayArgument arguments[TILE_RT_MAX_ARGUMENTS];
  TileReplayTiming timing = {.samples = last ? (int32_t)options->samples : 0,
                             .flushL2 = options->flushL2};
  memset(tensors, 0, sizeof(tensors));
  bool good = true;
  for (int32_t i = 0; good && i < c->count; ++i) {
    good = tile_replay_case_argument(c, i, (size_t)options->guard, &tensors[i],
                                     error);
    arguments[i] = (TileReplayArgument){&tensors[i], c->arguments[i].scalar};
  }
  if (good && !tile_replay_run(program, arguments, c->count, &timing,
                               &figures->first, &figures->timing, error)) {
    // Refused arguments leave the device as it was; the driver tells the rest.
    TileRtError ignored;
    good = false;
    outcome->broken =
        !program->device->ops->sync(program->device, NULL, &ignored);
  }
  good = good && compareAll(c, tensors, outcome, figures, error);
  for (int32_t i = 0; i < c->count; ++i)
    tile_rt_tensor_free(&tensors[i]);
  return good;
}

/// Reads the code for the device, or for the model.
static char *readImage(const TileReplayCase *c, const Options *options,
                       size_t *size, TileRtError *error) {
  if (!options->model)
    return tile_replay_read_file(c, c->image, size, error);
  if (c->bitcode[0])
    return tile_replay_read_file(c, c->bitcode, size, error);
  tile_rt_fail(error, "%scase.txt: expected bitcode, which --device=model "
                      "runs; save the case again",
               c->folder);
  return NULL;
}

static bool runCase(const TileReplayCase *c, TileRtDevice *device,
                    const Options *options, Outcome *outcome, Figures *figures,
                    TileRtError *error) {
  TileReplayProgram program = {0};
  TileReplayModel model = {0};
  char *texts[TILE_REPLAY_MAX_KERNELS] = {NULL};
  size_t size = 0, ignored;
  char *image = readImage(c, options, &size, error);
  TileReplayCode code = {image, 0, NULL};
  bool good = image != NULL;
  for (int32_t i = 0; good && i < c->kernelCount; ++i)
    good = (texts[i] = tile_replay_read_file(c, c->kernels[i], &ignored,
                                             error)) != NULL;
  if (good && options->model) {
    good = tile_replay_model_open(&model, image, size, texts[0], error);
    device = model.device, code.image = model.image, size = model.size;
  }
  code.size = size;
  good = good && tile_replay_load(&program, device, &code, c->kernelCount,
                                  (const char *const *)texts, error);
  for (int64_t i = 1; good && i <= options->repeats; ++i)
    good = runOnce(c, &program, options, i == options->repeats, outcome,
                   figures, error);
  // A broken context takes its kernels with it.
  if (!outcome->broken)
    tile_replay_unload(&program);
  tile_replay_model_close(&model);
  for (int32_t i = 0; i < c->kernelCount; ++i)
    free(texts[i]);
  free(image);
  return good;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static void printHead(const Options *options) {
  printf("%-*s  %-10s  %-10s  %-17s  %12s", kNameWidth, "case", "max error",
         "relative", "tolerance", "first");
  if (options->samples)
    printf("  %12s  %12s", "median", "min");
  putchar('\n');
  fflush(stdout);
}

static void printRow(const char *name, const TileReplayCase *c,
                     const Options *options, const Outcome *outcome,
                     const Figures *figures, const TileRtError *error) {
  char tolerance[32] = "-";
  if (outcome->checked)
    snprintf(tolerance, sizeof(tolerance), "%.1e %.1e", c->absolute,
             c->relative);
  printf("%-*s  %-10.3g  %-10.3g  %-17s  %9.2f us", kNameWidth, name,
         figures->maxAbsolute, figures->maxRelative, tolerance,
         figures->first * 1e6);
  if (options->samples)
    printf("  %9.2f us  %9.2f us", figures->timing.median * 1e6,
           figures->timing.min * 1e6);
  if (!outcome->passed)
    printf("  FAIL: %s", error->message);
  else if (!outcome->checked)
    printf("  not checked");
  putchar('\n');
  fflush(stdout);
}

static void nameOf(const char *folder, const TileReplayCase *c,
                   char name[512]) {
  const char *last = strrchr(folder, '/');
  snprintf(name, 512, "%.200s %.200s",
           c->function[0] ? c->function : (last ? last + 1 : folder),
           c->label);
}

static Outcome replay(TileRtDevice *device, const char *folder, int32_t index,
                      const Options *options) {
  TileReplayCase c;
  Outcome outcome = {.index = index};
  Figures figures = {0};
  TileRtError error = {{0}};
  outcome.passed = tile_replay_case_read(&c, folder, &error) &&
                   runCase(&c, device, options, &outcome, &figures, &error);
  char name[512];
  nameOf(folder, &c, name);
  printRow(name, &c, options, &outcome, &figures, &error);
  return outcome;
}

//===----------------------------------------------------------------------===//
// Processes
//===----------------------------------------------------------------------===//

typedef struct Totals {
  int32_t passed, failed, unchecked;
} Totals;

static void count(Totals *totals, const Outcome *outcome) {
  if (!outcome->passed)
    ++totals->failed;
  else if (outcome->checked)
    ++totals->passed;
  else
    ++totals->unchecked;
}

/// Runs cases from `begin` on until one breaks the device; tells each outcome
/// through the pipe if there is one.
static int runCases(const Folders *folders, int32_t begin,
                    const Options *options, int out, Totals *totals) {
  TileRtDevice *device = NULL;
  TileRtError error;
  if (!options->model &&
      !tile_rt_cuda_open((int32_t)options->device, &device, &error)) {
    fprintf(stderr, "tile-replay: %s\n", error.message);
    return 2;
  }
  for (int32_t i = begin; i < folders->count; ++i) {
    Outcome outcome = replay(device, folders->items[i], i, options);
    if (totals)
      count(totals, &outcome);
    if (out >= 0 && write(out, &outcome, sizeof(outcome)) < 0)
      return 1;
    if (outcome.broken && out >= 0)
      return 0;
  }
  if (device)
    tile_rt_device_close(device);
  return 0;
}

static void reportLost(const Options *options, const char *folder,
                       const char *why) {
  TileReplayCase c;
  Figures figures = {0};
  Outcome outcome = {0};
  TileRtError error;
  char name[512];
  (void)tile_replay_case_read(&c, folder, NULL);
  nameOf(folder, &c, name);
  tile_rt_fail(&error, "%s", why);
  printRow(name, &c, options, &outcome, &figures, &error);
}

/// Watches a child until it ends or a case takes too long. Returns the next
/// case to run, or -1 where no device can be opened.
static int32_t watch(pid_t child, int in, const Folders *folders, int32_t next,
                     const Options *options, Totals *totals) {
  char why[96] = "";
  for (;;) {
    struct pollfd poller = {.fd = in, .events = POLLIN};
    Outcome outcome;
    int ready = poll(&poller, 1, (int)options->timeout * 1000);
    if (ready > 0 &&
        read(in, &outcome, sizeof(outcome)) == (ssize_t)sizeof(outcome)) {
      count(totals, &outcome);
      next = outcome.index + 1;
      continue;
    }
    if (ready == 0) {
      snprintf(why, sizeof(why), "did not end within %lld s",
               (long long)options->timeout);
      kill(child, SIGKILL);
    }
    break;
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
    return -1;
  if (WIFSIGNALED(status) && !why[0])
    snprintf(why, sizeof(why), "the process ended by signal %d (%s)",
             WTERMSIG(status), strsignal(WTERMSIG(status)));
  if (why[0] && next < folders->count) {
    reportLost(options, folders->items[next], why);
    ++totals->failed;
    ++next;
  }
  return next;
}

static bool runForked(const Folders *folders, const Options *options,
                      Totals *totals) {
  int32_t next = 0;
  while (next >= 0 && next < folders->count) {
    int ends[2];
    if (pipe(ends) != 0)
      return false;
    fflush(stdout);
    pid_t child = fork();
    if (child < 0)
      return false;
    if (child == 0) {
      close(ends[0]);
      _exit(runCases(folders, next, options, ends[1], NULL));
    }
    close(ends[1]);
    next = watch(child, ends[0], folders, next, options, totals);
    close(ends[0]);
  }
  return next >= 0;
}

//===----------------------------------------------------------------------===//
// The command line
//===----------------------------------------------------------------------===//

static const char usage[] =
    "usage: tile-replay FOLDER... [options]\n\n"
    "Runs the cases that tile-run --save has written to the folders (searched "
    "for\ncase.txt) on an NVIDIA GPU, and compares what they compute.\n\n"
    "  --time=RUNS      time more runs by events, show median and minimum\n"
    "  --flush-l2       empty the caches before each timed run\n"
    "  --repeat=N       run each case N times on fresh arguments\n"
    "  --filter=TEXT    only folders whose name has the text in it\n"
    "  --timeout=S      seconds that a case may take (60)\n"
    "  --guard=BYTES    red zones around arguments (65536); 0 for checkers of\n"
    "                   memory, which then see the ends themselves\n"
    "  --no-fork        run everything in one process, for such checkers\n"
    "  --device=N       the GPU (0)\n"
    "  --device=model   the SIMT model in place of a GPU, and no red zones\n";

static bool parseNumber(const char *text, const char *name, int64_t low,
                        int64_t *value) {
  size_t length = strlen(name);
  if (strncmp(text, name, length) != 0 || text[length] != '=')
    return false;
  char *end;
  *value = strtoll(text + length + 1, &end, 10);
  if (end != text + length + 1 && *end == 0 && *value >= low &&
      *value <= 1 << 30)
    return true;
  fprintf(stderr, "tile-replay: %s: expected a number of at least %lld, got "
                  "'%s'\n",
          name, (long long)low, text + length + 1);
  exit(1);
}

static void parse(Options *options, Folders *folders, int argc, char **argv) {
  const char *paths[1024];
  int32_t count = 0;
  for (int i = 1; i < argc; ++i) {
    const char *text = argv[i];
    if (strcmp(text, "--help") == 0) {
      fputs(usage, stdout);
      exit(0);
    }
    if (strcmp(text, "--version") == 0) {
      puts("tile-replay " TILE_VERSION);
      exit(0);
    }
    if (strcmp(text, "--flush-l2") == 0)
      options->flushL2 = true;
    else if (strcmp(text, "--device=model") == 0)
      options->model = true, options->guard = 0;
    else if (strcmp(text, "--no-fork") == 0)
      options->noFork = true;
    else if (strncmp(text, "--filter=", 9) == 0)
      options->filter = text + 9;
    else if (text[0] != '-' && count < 1024)
      paths[count++] = text;
    else if (!parseNumber(text, "--time", 1, &options->samples) &&
             !parseNumber(text, "--repeat", 1, &options->repeats) &&
             !parseNumber(text, "--timeout", 1, &options->timeout) &&
             !parseNumber(text, "--guard", 0, &options->guard) &&
             !parseNumber(text, "--device", 0, &options->device)) {
      fprintf(stderr, "tile-replay: unknown option '%s'; see --help\n", text);
      exit(1);
    }
  }
  for (int32_t i = 0; i < count; ++i)
    addFolders(folders, paths[i], options->filter);
}

int main(int argc, char **argv) {
  Options options = {.repeats = 1, .timeout = 60, .guard = 1 << 16};
  Folders folders = {0};
  Totals totals = {0};
  parse(&options, &folders, argc, argv);
  if (folders.count == 0) {
    fprintf(stderr, "tile-replay: no case.txt found; see --help\n");
    return 1;
  }
  qsort(folders.items, (size_t)folders.count, sizeof(*folders.items),
        compareNames);
  printHead(&options);
  bool done = options.noFork
                  ? runCases(&folders, 0, &options, -1, &totals) == 0
                  : runForked(&folders, &options, &totals);
  printf("%d cases: %d passed, %d failed, %d not checked; 0 mismatches "
         "forgiven\n",
         folders.count, totals.passed, totals.failed, totals.unchecked);
  for (int32_t i = 0; i < folders.count; ++i)
    free(folders.items[i]);
  free(folders.items);
  return done && totals.failed == 0 ? 0 : 1;
}
