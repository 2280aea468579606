// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tile-replay: runs what `tile-run --save` has prepared, on a GPU. Links the
// runtime alone.
//
// Cases run in a child process, which is replaced when a kernel breaks its
// context or does not end: what comes after it is judged as if it had not been.

#define _GNU_SOURCE 1
#include "../Streams.h"
#include "CaseFile.h"
#include "Model.h"
#include "Ranks.h"

#include "TileRuntime/CUDA.h"
#include "TileRuntime/Npy.h"

#include <dirent.h>
#include <limits.h>
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
  int64_t samples, repeats, rounds, timeout, guard, device;
  int64_t launches, jitter, patience;
  int32_t ordinals[64], ordinalCount; ///< of the GPUs of ranks; 0: 0, 1 ...
  bool flushL2, noFork, model, json, overlap;
  const char *provider; ///< --comm, or null
  TileRtComm *comm;
} Options;

typedef enum Verdict { PENDING, UNCHECKED, PASSED, FAILED } Verdict;

typedef struct Folders {
  int32_t count;
  char **items;
  Verdict *verdicts; ///< of each
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
    size_t length = (size_t)snprintf(name, sizeof(name), "%s/%s", path,
                                     entry->d_name);
    // Links may lead in circles.
    if (length < sizeof(name) && lstat(name, &status) == 0 &&
        S_ISDIR(status.st_mode))
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
  int64_t step;
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

/// Fills the arguments, runs all ranks and judges; once for each repeat.
static bool runRanks(const TileReplayCase *c, const TileReplayProgram *programs,
                     int32_t ranks, int64_t repeat, const Options *options,
                     Outcome *outcome, Figures *figures, TileRtError *error) {
  TileRtTensor tensors[TILE_RT_MAX_ARGUMENTS];
  TileReplayRankArgument arguments[TILE_RT_MAX_ARGUMENTS];
  TileReplayRankOptions rankOptions = {
      .samples = repeat == options->repeats ? (int32_t)options->samples : 0,
      .launches = (int32_t)options->launches,
      .jitter = options->jitter,
      .timeout = options->patience * 1000000,
      .seed = (uint64_t)repeat,
      .overlap = options->overlap,
      .flushL2 = options->flushL2,
      .comm = options->comm};
  memset(tensors, 0, sizeof(tensors));
  bool good = true;
  for (int32_t i = 0; good && i < c->count; ++i) {
    const TileReplayCaseArgument *a = &c->arguments[i];
    good = tile_replay_case_argument(c, i, (size_t)options->guard, &tensors[i],
                                     error);
    arguments[i] = (TileReplayRankArgument){&tensors[i], a->scalar, a->world,
                                            a->symmetric};
  }
  good = good &&
         tile_replay_run_ranks(programs, ranks, arguments, c->count,
                               &rankOptions, &figures->first, &figures->timing,
                               error) &&
         compareAll(c, tensors, outcome, figures, error);
  for (int32_t i = 0; i < c->count; ++i)
    tile_rt_tensor_free(&tensors[i]);
  return good;
}

/// A process that gave up ends at once. What its library left on the device may
/// wait for the others for ever, and all that needs the device with it.
static void endAll(const TileReplayCase *c, TileRtComm *comm,
                   const TileRtError *error) {
  fflush(stdout);
  fprintf(stderr, "tile-replay: error: %s: %s\n", c->folder, error->message);
  comm->ops->abort(comm);
}

/// A case that several ranks run, each on a device.
static bool runRankCase(const TileReplayCase *c, int32_t world,
                        const TileReplayModel *model,
                        const TileReplayCode *code, char *const *texts,
                        const Options *options, Outcome *outcome,
                        Figures *figures, TileRtError *error) {
  TileRtDevice *devices[64] = {NULL};
  static TileReplayProgram programs[64];
  int64_t ranks = 1;
  bool few = true;
  for (int32_t d = 0; d < c->arguments[world].rank; ++d)
    few &= !__builtin_mul_overflow(ranks, c->arguments[world].shape[d], &ranks);
  if (!few || ranks < 1 || ranks > 64)
    return tile_rt_fail(error, "expected 1 to 64 ranks, got %lld",
                        few ? (long long)ranks : INT64_MAX);
  bool good =
      options->comm
          ? tile_replay_use_comm(options->comm, devices, (int32_t)ranks, error)
      : options->model
          ? tile_replay_model_open_ranks(model, devices, (int32_t)ranks, error)
          : tile_replay_open_ranks(
                devices, (int32_t)ranks,
                options->ordinalCount ? options->ordinals : NULL,
                options->ordinalCount, error);
  for (int64_t i = 0; i < ranks; ++i) {
    programs[i].count = 0;
    good = good && (!devices[i] ||
                    tile_replay_load(&programs[i], devices[i], code,
                                     c->kernelCount, (const char *const *)texts,
                                     error));
  }
  for (int64_t i = 1; good && i <= options->repeats; ++i)
    good = runRanks(c, programs, (int32_t)ranks, i, options, outcome, figures,
                    error);
  if (!good && options->comm)
    endAll(c, options->comm, error);
  for (int64_t i = 0; i < ranks; ++i)
    tile_replay_unload(&programs[i]);
  if (!options->comm)
    tile_replay_close_ranks(devices, (int32_t)ranks);
  return good;
}

static int32_t findWorld(const TileReplayCase *c) {
  int32_t at = 0;
  while (at < c->count && !c->arguments[at].world)
    ++at;
  return at < c->count ? at : -1;
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
  if (good && findWorld(c) >= 0) {
    good = runRankCase(c, findWorld(c), &model, &code, texts, options, outcome, figures,
                       error);
    goto done;
  }
  good = good && tile_replay_load(&program, device, &code, c->kernelCount,
                                  (const char *const *)texts, error);
  for (int64_t i = 1; good && i <= options->repeats; ++i)
    good = runOnce(c, &program, options, i == options->repeats, outcome,
                   figures, error);
  // A broken context takes its kernels with it.
  if (!outcome->broken)
    tile_replay_unload(&program);
done:
  tile_replay_model_close(&model);
  for (int32_t i = 0; i < c->kernelCount; ++i)
    free(texts[i]);
  free(image);
  return good;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

/// A string of JSON; what needs an escape is a question mark.
static void printString(const char *key, const char *text) {
  printf("\"%s\": \"", key);
  for (; *text; ++text)
    putchar((unsigned char)*text < ' ' || strchr("\"\\", *text) ? '?' : *text);
  putchar('"');
}

static void printObject(const char *folder, const TileReplayCase *c,
                        const Options *options, const Outcome *outcome,
                        const Figures *figures, const TileRtError *error) {
  putchar('{');
  printString("folder", folder);
  fputs(", ", stdout);
  printString("function", c->function);
  fputs(", ", stdout);
  printString("case", c->label);
  printf(", \"passed\": %s, \"checked\": %s",
         outcome->passed ? "true" : "false",
         outcome->checked ? "true" : "false");
  if (outcome->passed && options->samples)
    printf(", \"seconds\": %.6e, \"minimum\": %.6e", figures->timing.median,
           figures->timing.min);
  if (!outcome->passed) {
    fputs(", ", stdout);
    printString("message", error->message);
  }
  puts("}");
  fflush(stdout);
}

static void printHead(const Options *options) {
  if (options->json)
    return;
  printf("%-*s  %-10s  %-10s  %-17s  %12s", kNameWidth, "case", "max error",
         "relative", "tolerance", "first");
  if (options->samples)
    printf("  %12s  %12s", "median", "min");
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

static void printRow(const char *folder, const TileReplayCase *c,
                     const Options *options, const Outcome *outcome,
                     const Figures *figures, const TileRtError *error) {
  if (options->json) {
    printObject(folder, c, options, outcome, figures, error);
    return;
  }
  char name[512], tolerance[32] = "-";
  nameOf(folder, c, name);
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

static Outcome replay(TileRtDevice *device, const char *folder, int64_t step,
                      const Options *options) {
  TileReplayCase c;
  Outcome outcome = {.step = step};
  Figures figures = {0};
  TileRtError error = {{0}};
  outcome.passed = tile_replay_case_read(&c, folder, &error) &&
                   runCase(&c, device, options, &outcome, &figures, &error);
  printRow(folder, &c, options, &outcome, &figures, &error);
  return outcome;
}

//===----------------------------------------------------------------------===//
// Processes
//===----------------------------------------------------------------------===//

/// The case of a step: every round begins with another one.
static int32_t findCase(const Folders *folders, int64_t step) {
  return (int32_t)((step + step / folders->count) % folders->count);
}

/// The worst of a case's rounds counts.
static void judge(const Folders *folders, const Outcome *outcome) {
  Verdict now = !outcome->passed   ? FAILED
                : outcome->checked ? PASSED
                                   : UNCHECKED;
  Verdict *verdict = &folders->verdicts[findCase(folders, outcome->step)];
  if (now > *verdict)
    *verdict = now;
}

/// Runs steps from `begin` on until one breaks the device; tells each outcome
/// through the pipe if there is one. Cases that failed are not run again.
static int runCases(const Folders *folders, int64_t begin,
                    const Options *options, int out) {
  TileRtDevice *device = NULL;
  TileRtError error;
  if (!options->model && !options->comm &&
      !tile_rt_cuda_open((int32_t)options->device, &device, &error)) {
    fprintf(stderr, "tile-replay: %s\n", error.message);
    return 2;
  }
  for (int64_t step = begin; step < options->rounds * folders->count; ++step) {
    int32_t i = findCase(folders, step);
    if (folders->verdicts[i] == FAILED)
      continue;
    Outcome outcome = replay(device, folders->items[i], step, options);
    judge(folders, &outcome);
    if (ferror(stdout))
      return 2;
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
  (void)tile_replay_case_read(&c, folder, NULL);
  tile_rt_fail(&error, "%s", why);
  printRow(folder, &c, options, &outcome, &figures, &error);
}

/// The first step from this one on whose case has not failed.
static int64_t skipFailed(const Folders *folders, const Options *options,
                          int64_t step) {
  while (step < options->rounds * folders->count &&
         folders->verdicts[findCase(folders, step)] == FAILED)
    ++step;
  return step;
}

/// Watches a child until it ends or a case takes too long. Returns the next
/// step to run, or -1 where no device can be opened or nothing be printed.
static int64_t watch(pid_t child, int in, const Folders *folders, int64_t next,
                     const Options *options) {
  char why[96] = "";
  int64_t milliseconds = options->timeout * 1000;
  if (milliseconds > INT_MAX)
    milliseconds = INT_MAX;
  for (;;) {
    struct pollfd poller = {.fd = in, .events = POLLIN};
    Outcome outcome;
    int ready = poll(&poller, 1, (int)milliseconds);
    if (ready > 0 &&
        read(in, &outcome, sizeof(outcome)) == (ssize_t)sizeof(outcome)) {
      judge(folders, &outcome);
      next = skipFailed(folders, options, outcome.step + 1);
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
  if (why[0] && next < options->rounds * folders->count) {
    reportLost(options, folders->items[findCase(folders, next)], why);
    judge(folders, &(Outcome){.step = next});
    next = skipFailed(folders, options, next);
  }
  return next;
}

static bool runForked(const Folders *folders, const Options *options) {
  int64_t next = 0;
  while (next >= 0 && next < options->rounds * folders->count) {
    int ends[2];
    if (pipe(ends) != 0)
      return false;
    fflush(stdout);
    pid_t child = fork();
    if (child < 0)
      return false;
    if (child == 0) {
      close(ends[0]);
      _exit(runCases(folders, next, options, ends[1]));
    }
    close(ends[1]);
    next = watch(child, ends[0], folders, next, options);
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
    "  --rounds=N       go through the cases N times, so that what is timed is\n"
    "                   compared under the same conditions (1)\n"
    "  --json           print an object of JSON for each case and round\n"
    "  --filter=TEXT    only folders whose name has the text in it\n"
    "  --timeout=S      seconds that a case may take (60)\n"
    "  --guard=BYTES    red zones around arguments (65536); 0 for checkers of\n"
    "                   memory, which then see the ends themselves\n"
    "  --no-fork        run everything in one process, for such checkers\n"
    "  --device=N       the GPU (0)\n"
    "  --devices=N,N    the GPUs of a case that several ranks run, in turn\n"
    "                   (0,1 ...)\n"
    "  --launches=N     of ranks, in each timed run, one after the other (1)\n"
    "  --jitter=US      microseconds by which ranks begin late at most (0)\n"
    "  --overlap        of ranks: signals alone order the kernels of a case\n"
    "  --wait=MS        milliseconds after which a wait for another rank is in\n"
    "                   vain (10000)\n"
    "  --comm=NAME      each process, as of a torchrun, is a rank, by nccl or\n"
    "                   nvshmem; the first one prints\n"
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

/// "0,1": the GPUs of ranks.
static bool parseDevices(Options *options, const char *text) {
  static const char name[] = "--devices=";
  if (strncmp(text, name, strlen(name)) != 0)
    return false;
  const char *at = text + strlen(name);
  do {
    char *end;
    long number = strtol(at, &end, 10);
    if (end == at || number < 0 || number > 1 << 20 ||
        options->ordinalCount == 64 || (*end && *end != ',')) {
      fprintf(stderr, "tile-replay: --devices: expected numbers of GPUs, got "
                      "'%s'\n",
              text + strlen(name));
      exit(1);
    }
    options->ordinals[options->ordinalCount++] = (int32_t)number;
    at = *end ? end + 1 : end;
  } while (*at);
  return true;
}

static void parse(Options *options, Folders *folders, int argc, char **argv) {
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
    else if (strcmp(text, "--json") == 0)
      options->json = true;
    else if (strcmp(text, "--overlap") == 0)
      options->overlap = true;
    else if (strcmp(text, "--no-fork") == 0)
      options->noFork = true;
    else if (strncmp(text, "--comm=", 7) == 0)
      options->provider = text + 7, options->noFork = true;
    else if (strncmp(text, "--filter=", 9) == 0)
      options->filter = text + 9;
    else if (text[0] == '-' &&
             !parseNumber(text, "--time", 1, &options->samples) &&
             !parseNumber(text, "--repeat", 1, &options->repeats) &&
             !parseNumber(text, "--rounds", 1, &options->rounds) &&
             !parseNumber(text, "--timeout", 1, &options->timeout) &&
             !parseNumber(text, "--guard", 0, &options->guard) &&
             !parseNumber(text, "--launches", 1, &options->launches) &&
             !parseNumber(text, "--jitter", 0, &options->jitter) &&
             !parseNumber(text, "--wait", 1, &options->patience) &&
             !parseDevices(options, text) &&
             !parseNumber(text, "--device", 0, &options->device)) {
      fprintf(stderr, "tile-replay: unknown option '%s'; see --help\n", text);
      exit(1);
    }
  }
  for (int i = 1; i < argc; ++i)
    if (argv[i][0] != '-')
      addFolders(folders, argv[i], options->filter);
}

static int32_t countCases(const Folders *folders, Verdict verdict) {
  int32_t count = 0;
  for (int32_t i = 0; i < folders->count; ++i)
    count += folders->verdicts[i] == verdict;
  return count;
}

/// Joins the other processes. The first one prints.
static bool openComm(Options *options) {
  TileRtError error;
  if (!options->provider)
    return true;
  if (!tile_rt_comm_open(options->provider, &options->comm, &error)) {
    fprintf(stderr, "tile-replay: %s\n", error.message);
    return false;
  }
  if (options->comm->device)
    return options->comm->rank == 0 || freopen("/dev/null", "w", stdout);
  fprintf(stderr, "tile-replay: --comm=%s has no GPUs\n", options->provider);
  return false;
}

int main(int argc, char **argv) {
  Options options = {
      .repeats = 1, .rounds = 1, .timeout = 60, .guard = 1 << 16, .launches = 1};
  Folders folders = {0};
  tile_tool_reserve_streams();
  parse(&options, &folders, argc, argv);
  if (folders.count == 0) {
    fprintf(stderr, "tile-replay: no case.txt found; see --help\n");
    return 1;
  }
  folders.verdicts = calloc((size_t)folders.count, sizeof(*folders.verdicts));
  if (!folders.verdicts)
    abort();
  qsort(folders.items, (size_t)folders.count, sizeof(*folders.items),
        compareNames);
  if (!openComm(&options))
    return 1;
  printHead(&options);
  bool done = options.noFork ? runCases(&folders, 0, &options, -1) == 0
                             : runForked(&folders, &options);
  int32_t failed = countCases(&folders, FAILED);
  if (!options.json)
    printf("%d cases: %d passed, %d failed, %d not checked; 0 mismatches "
           "forgiven\n",
           folders.count, countCases(&folders, PASSED), failed,
           countCases(&folders, UNCHECKED));
  for (int32_t i = 0; i < folders.count; ++i)
    free(folders.items[i]);
  free(folders.items);
  free(folders.verdicts);
  tile_rt_comm_close(options.comm);
  done &= tile_tool_end_output("tile-replay");
  return done && failed == 0 ? 0 : 1;
}
