// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#define _GNU_SOURCE 1
#include "Call.h"
#include "Device.h"
#include "Ranks.h"

#include "TileRuntime/Clock.h"
#include "TileRuntime/Compare.h"
#include "TileRuntime/Npy.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Enough to catch a write that misses by a row.
enum { kGuardBytes = 1 << 16 };

//===----------------------------------------------------------------------===//
// Crashes
//===----------------------------------------------------------------------===//

// Begins the line of a crash. Outside of compiled code it is our own fault.
static const char compilerCrash[] = "tile-run: error: internal: ";
static char crashMessage[512] = "tile-run: error: internal: ";

/// Writes the line and ends the process; only calls what signal handlers may.
static _Noreturn void dieOfCrash(const char *what, const char *detail) {
  const char *parts[] = {crashMessage, what, detail, "\n"};
  for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); ++i)
    if (write(STDERR_FILENO, parts[i], strlen(parts[i])) < 0)
      break;
  _exit(1);
}

static void onCrash(int signal) {
  dieOfCrash(signal == SIGFPE    ? "division by zero"
             : signal == SIGILL  ? "illegal instruction"
             : signal == SIGABRT ? "aborted"
                                 : "invalid memory access",
             "");
}

int tile_run_failed_assertion(const char *message) {
  dieOfCrash("assertion failed: ", message);
}

void tile_run_catch_crashes(void) {
  // A stack of its own, for when the stack is what ran out.
  static char stack[1 << 16];
  stack_t alternative = {.ss_sp = stack, .ss_size = sizeof(stack)};
  sigaltstack(&alternative, NULL);
  struct sigaction action = {.sa_handler = onCrash, .sa_flags = SA_ONSTACK};
  sigemptyset(&action.sa_mask);
  static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
  for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); ++i)
    sigaction(signals[i], &action, NULL);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// A call of one rank or of all, and what is said if it crashes.
typedef struct Run {
  TileRunCall call;
  const TileRunCase *ranks; ///< null: the function runs alone
  const TileRunImage *image; ///< of the ranks
  TileRtTensor *tensors;    ///< of all ranks
  TileRtComm *comm;         ///< null: ranks are threads
  char crash[512];
} Run;

static bool makeRun(Run *run, const TileRunCase *c,
                    const TileRunFunction *function, const TileRunImage *image,
                    TileRtTensor *tensors, TileRtError *error) {
  snprintf(run->crash, sizeof(run->crash),
           "%s: error: @%s crashed (%s): ", function->place, function->name,
           c->label);
  if (function == c->function && tile_run_find_world(function) >= 0) {
    run->ranks = c;
    run->image = image;
    run->tensors = tensors;
    return true;
  }
  return tile_run_make_call(&run->call, function, image, tensors, error);
}

static void runAlone(const TileRunCall *call) {
  static const uint32_t first[3] = {0, 0, 0}, one[3] = {1, 1, 1};
  static char report[1 << 16];
  report[0] = 0;
  if (call->block)
    call->block(call->parameters, first, one, NULL);
  else
    call->run(call->parameters, report, sizeof(report));
  if (*report)
    tile_run_failed_assertion(report);
}

static bool runOnce(const Run *run, double *seconds, TileRtError *error) {
  strcpy(crashMessage, run->crash);
  bool done = true;
  if (run->ranks) {
    done = tile_run_on_ranks(run->ranks, run->image, run->tensors, run->comm,
                             seconds, error);
  } else {
    int64_t start = tile_rt_now_ns();
    runAlone(&run->call);
    *seconds = (double)(tile_rt_now_ns() - start) * 1e-9;
    done = tile_rt_had_memory(error);
  }
  strcpy(crashMessage, compilerCrash);
  return done;
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

static bool makeTensor(const TileRunCase *c, int32_t index,
                       const TileRunOptions *options, TileRtTensor *tensor,
                       TileRtError *error) {
  const TileRunParameter *p = &c->function->parameters[index];
  const TileRunArgument *argument = &c->arguments[index];
  // The model knows the end of a tensor itself.
  if (!tile_rt_tensor_alloc(tensor, p->dtype, p->rank, argument->shape,
                            options->model ? 0 : kGuardBytes, error))
    return false;
  if (argument->given.data)
    return tile_rt_tensor_copy(tensor, &argument->given, error);
  return tile_run_spec_fill(&argument->spec, p->name, options->seed,
                            (uint64_t)index, tensor, error);
}

static bool copyTensor(TileRtTensor *to, const TileRtTensor *from,
                       TileRtError *error) {
  return tile_rt_tensor_alloc(to, from->dtype, from->rank, from->shape,
                              kGuardBytes, error) &&
         tile_rt_tensor_copy(to, from, error);
}

static void freeTensors(TileRtTensor *tensors, int32_t count) {
  for (int32_t i = 0; tensors && i < count; ++i)
    tile_rt_tensor_free(&tensors[i]);
  free(tensors);
}

/// Whether a function wrote next to a tensor.
static bool checkGuards(const TileRunFunction *function,
                        const TileRtTensor *tensors, TileRtError *error) {
  for (int32_t i = 0; i < function->parameterCount; ++i) {
    char who[256];
    snprintf(who, sizeof(who), "@%.80s wrote out of bounds: %.120s",
             function->name, function->parameters[i].name);
    if (!tile_rt_tensor_check_guard(&tensors[i], who, error))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Judgement
//===----------------------------------------------------------------------===//

/// How many elements are as they were before the run; -1 if that cannot be
/// told.
static int64_t countUntouched(const TileRunCase *c, int32_t index,
                              const TileRunOptions *options,
                              const TileRtTensor *got) {
  TileRtTensor before = {0};
  TileRtError ignored;
  int64_t count = -1;
  if (makeTensor(c, index, options, &before, &ignored)) {
    count = 0;
    for (int64_t k = 0, e = tile_rt_tensor_count(got); k < e; ++k) {
      int64_t at = tile_rt_tensor_offset(got, k);
      count += tile_rt_tensor_load_bits(got, at) ==
               tile_rt_tensor_load_bits(&before, at);
    }
  }
  tile_rt_tensor_free(&before);
  return count;
}

/// Says of a wrong result what else is known: who writes it, or that nobody
/// did.
static void explain(const TileRunCase *c, int32_t index,
                    const TileRunOptions *options, const TileRtTensor *got,
                    TileRtError *error) {
  const TileRunParameter *p = &c->function->parameters[index];
  TileRtError what = *error;
  int64_t count = tile_rt_tensor_count(got), untouched = 0;
  // What is poison at first is not so by chance.
  if (c->arguments[index].spec.kind == TILE_RUN_FILL &&
      c->arguments[index].spec.fill.kind == TILE_RT_FILL_POISON &&
      !c->arguments[index].given.data)
    untouched = countUntouched(c, index, options, got);
  char rest[256] = "";
  if (untouched > 0 && untouched == count)
    snprintf(rest, sizeof(rest), "; nothing was written to it");
  else if (untouched > 0)
    snprintf(rest, sizeof(rest), "; %lld elements were not written",
             (long long)untouched);
  if (p->writer && untouched < count)
    snprintf(rest + strlen(rest), sizeof(rest) - strlen(rest),
             "; it is written at %.160s", p->writer);
  tile_rt_fail(error, "%.700s%s", what.message, rest);
}

static void compareTensor(const TileRunCase *c, int32_t index,
                          const TileRunOptions *options,
                          const TileRtTensor *got, const TileRtTensor *expected,
                          TileRunOutcome *outcome) {
  TileRtTolerance tolerance = {.absolute = c->atol, .relative = c->rtol};
  TileRtComparison comparison = {0};
  outcome->checked = true;
  TileRtError error;
  if (!tile_rt_compare(c->function->parameters[index].name, got, expected,
                       &tolerance, &comparison, &error)) {
    if (outcome->passed) {
      explain(c, index, options, got, &error);
      outcome->message = error;
    }
    outcome->passed = false;
  }
  if (comparison.maxAbsolute > outcome->maxAbsolute)
    outcome->maxAbsolute = comparison.maxAbsolute;
  if (comparison.maxRelative > outcome->maxRelative)
    outcome->maxRelative = comparison.maxRelative;
}

bool tile_run_is_result(const TileRunCase *c, int32_t index) {
  const TileRunFunction *f = c->function;
  bool marked = false;
  if (f->parameters[index].world)
    return false;
  for (int32_t i = 0; i < f->parameterCount; ++i)
    marked |= f->parameters[i].result;
  return marked ? f->parameters[index].result : !f->parameters[index].scalar;
}

/// Runs the reference on its own tensors. It knows no ranks: it is given the
/// tensors of all, and not the world.
static bool runReference(const TileRunCase *c, TileRtTensor *expected,
                         TileRtError *error) {
  int32_t world = c->reference == c->function
                      ? -1
                      : tile_run_find_world(c->function);
  TileRtTensor *given =
      calloc((size_t)c->function->parameterCount + 1, sizeof(*given));
  if (!given)
    return tile_rt_fail(error, "no memory for the reference");
  for (int32_t i = 0, at = 0; i < c->function->parameterCount; ++i)
    if (i != world)
      given[at++] = expected[i];
  Run run = {0};
  double seconds;
  bool ran = makeRun(&run, c, c->reference, c->referenceImage, given, error) &&
             runOnce(&run, &seconds, error);
  tile_run_free_call(&run.call);
  ran = ran && checkGuards(c->reference, given, error);
  free(given);
  return ran;
}

/// Compares with the reference, if there is one, and with given files.
static void compareAll(const TileRunCase *c, const TileRunOptions *options,
                       const TileRtTensor *got, const TileRtTensor *expected,
                       TileRunOutcome *outcome) {
  for (int32_t i = 0; c->reference && i < c->function->parameterCount; ++i)
    if (tile_run_is_result(c, i))
      compareTensor(c, i, options, &got[i], &expected[i], outcome);
  for (int32_t i = 0; i < c->function->parameterCount; ++i)
    if (c->arguments[i].expected.data)
      compareTensor(c, i, options, &got[i], &c->arguments[i].expected, outcome);
}

static bool writeOutputs(const TileRunCase *c, const TileRtTensor *tensors,
                         TileRtError *error) {
  for (int32_t i = 0; i < c->function->parameterCount; ++i)
    if (c->arguments[i].output &&
        !tile_rt_npy_write(c->arguments[i].output, &tensors[i], error))
      return false;
  return true;
}

static bool timeRuns(const Run *run, int32_t repeats,
                     TileRunOutcome *outcome) {
  double *samples = malloc((size_t)repeats * sizeof(*samples));
  if (!samples)
    return tile_rt_fail(&outcome->message, "no memory for %d samples", repeats);
  for (int32_t i = 0; i < repeats; ++i)
    if (!runOnce(run, &samples[i], &outcome->message)) {
      free(samples);
      return false;
    }
  outcome->seconds = tile_rt_median(samples, repeats);
  outcome->minimum = samples[0];
  free(samples);
  return true;
}

/// Fills the arguments, those of the reference alike.
static bool makeTensors(const TileRunCase *c, const TileRunOptions *options,
                        TileRtTensor *got, TileRtTensor *expected,
                        TileRtError *error) {
  for (int32_t i = 0; i < c->function->parameterCount; ++i)
    if (!makeTensor(c, i, options, &got[i], error) ||
        (c->reference && !copyTensor(&expected[i], &got[i], error)))
      return false;
  return true;
}

/// The steps of a run; false if one could not be done.
static bool runSteps(const TileRunCase *c, const TileRunOptions *options,
                     TileRtTensor *got, TileRtTensor *expected,
                     TileRunOutcome *outcome) {
  TileRtError *error = &outcome->message;
  if (!makeTensors(c, options, got, expected, error))
    return false;
  Run run = {.comm = options->comm};
  bool done = makeRun(&run, c, c->function, c->image, got, error) &&
              runOnce(&run, &outcome->seconds, error);
  if (done) {
    outcome->minimum = outcome->seconds;
    outcome->ran = true;
    done = checkGuards(c->function, got, error) &&
           writeOutputs(c, got, error) &&
           (!c->reference || runReference(c, expected, error));
  }
  if (done)
    compareAll(c, options, got, expected, outcome);
  if (done && outcome->passed && options->repeats > 0) {
    snprintf(run.crash, sizeof(run.crash),
             "%s: error: @%s crashed (%s) when run again: ", c->function->place,
             c->function->name, c->label);
    done = timeRuns(&run, options->repeats, outcome);
  }
  tile_run_free_call(&run.call);
  return done;
}

/// The same on a GPU, or to a folder for one.
static bool runDeviceSteps(const TileRunCase *c, const TileRunOptions *options,
                           const TileRunDevice *device, TileRtTensor *got,
                           TileRtTensor *expected, TileRunOutcome *outcome) {
  TileRtError *error = &outcome->message;
  if (!c->image)
    return tile_rt_fail(error, "@%s could not be compiled for %s",
                        c->function->name,
                        device->chip ? device->chip : options->target);
  // Another machine fills the arguments of what is saved.
  bool needsTensors = !options->save || c->reference;
  if ((needsTensors && !makeTensors(c, options, got, expected, error)) ||
      (c->reference && !runReference(c, expected, error)))
    return false;
  if (options->save)
    return tile_run_save(c, options, c->reference ? expected : NULL, error);
  if (!tile_run_on_device(device, c, options, got, outcome) ||
      !checkGuards(c->function, got, error) || !writeOutputs(c, got, error))
    return false;
  compareAll(c, options, got, expected, outcome);
  return true;
}

void tile_run_case(const TileRunCase *c, const TileRunOptions *options,
                   const TileRunDevice *device, TileRunOutcome *outcome) {
  *outcome = (TileRunOutcome){.passed = true};
  size_t count = (size_t)c->function->parameterCount;
  TileRtTensor *got = calloc(count + 1, sizeof(*got));
  TileRtTensor *expected = calloc(count + 1, sizeof(*expected));
  if (!got || !expected)
    outcome->passed = tile_rt_fail(&outcome->message, "out of memory");
  else if (device ? !runDeviceSteps(c, options, device, got, expected, outcome)
                  : !runSteps(c, options, got, expected, outcome))
    outcome->passed = false;
  freeTensors(got, (int32_t)count);
  freeTensors(expected, (int32_t)count);
}
