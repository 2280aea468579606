// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#define _GNU_SOURCE 1
#include "Device.h"
#include "Ranks.h"

#include "../tile-replay/CaseFile.h"
#include "TileRuntime/CUDA.h"
#include "TileRuntime/HIP.h"
#include "TileRuntime/Npy.h"
#ifdef TILE_HAS_SIMT_MODEL
#include "tile_simt_device.h"
#endif

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/// The devices of the runtime, by the names that launch metadata have for them.
static const struct {
  const char *target, *model; ///< back ends
  bool (*open)(int32_t ordinal, TileRtDevice **device, TileRtError *error);
} kinds[] = {{"cuda", "cuda-model", tile_rt_cuda_open},
             {"hip", "hip-model", tile_rt_hip_open}};

static int32_t findKind(const char *target) {
  int32_t at = 0, count = sizeof(kinds) / sizeof(*kinds);
  while (at < count && strcmp(kinds[at].target, target) != 0)
    ++at;
  return at < count ? at : -1;
}

bool tile_run_is_device(const char *target) { return findKind(target) >= 0; }

const char *tile_run_backend(const TileRunOptions *options) {
  return options->model ? kinds[findKind(options->target)].model
                        : options->target;
}

static bool openModel(const char *target, const char *chip,
                      TileRtDevice **device, TileRtError *error) {
#ifdef TILE_HAS_SIMT_MODEL
  return tile_simt_open(target, chip, device, error);
#else
  (void)target, (void)chip, (void)device;
  return tile_rt_fail(error, "--device=model: this build has no GPUs");
#endif
}

/// Opens a GPU; the error names the way without one.
static bool openGPU(int32_t kind, TileRtDevice **device, TileRtError *error) {
  TileRtError inner;
  return kinds[kind].open(0, device, &inner) ||
         tile_rt_fail(error, "%s; --device=model runs kernels on a model",
                      inner.message);
}

bool tile_run_device_open(TileRunDevice *device, const TileRunOptions *options,
                          TileRtError *error) {
  int32_t kind = findKind(options->target);
  *device = (TileRunDevice){.chip = options->chip,
                            .isShared = options->comm != NULL};
  if (options->save)
    return true;
  if (options->model)
    return openModel(options->target, options->chip, &device->device, error);
  if (options->comm)
    device->device = options->comm->device;
  else if (!openGPU(kind, &device->device, error))
    return false;
  if (options->chip)
    return true;
  device->chip = tile_run_find_chip(options->target, device->device->chip);
  if (device->chip)
    return true;
  tile_rt_fail(error,
               "nothing is known of the GPU %s (%s); choose a chip "
               "whose code it runs with --chip",
               device->device->name, device->device->chip);
  tile_run_device_close(device);
  return false;
}

void tile_run_device_close(TileRunDevice *device) {
  if (device->device && !device->isShared)
    tile_rt_device_close(device->device);
  device->device = NULL;
}

bool tile_run_on_device(const TileRunDevice *device, const TileRunCase *c,
                        const TileRunOptions *options, TileRtTensor *tensors,
                        TileRunOutcome *outcome) {
  TileRtError *error = &outcome->message;
  TileReplayArgument arguments[TILE_RT_MAX_ARGUMENTS];
  int32_t count = c->function->parameterCount;
  if (count > TILE_RT_MAX_ARGUMENTS)
    return tile_rt_fail(error, "expected at most %d arguments, got %d",
                        TILE_RT_MAX_ARGUMENTS, count);
  if (tile_run_find_world(c->function) >= 0)
    return tile_run_on_devices(c, options, tensors, outcome);
  for (int32_t i = 0; i < count; ++i)
    arguments[i] =
        (TileReplayArgument){&tensors[i], c->function->parameters[i].scalar};
  TileReplayTiming timing = {.samples = options->repeats,
                             .flushL2 = options->flushL2};
  TileReplayProgram program;
  TileRtTiming timed = {0};
  TileReplayCode code = {c->image->bytes, c->image->size, c->image->sources};
  bool done = tile_replay_load(&program, device->device, &code,
                               c->image->kernelCount, c->image->kernels,
                               error) &&
              tile_replay_run(&program, arguments, count, &timing,
                              &outcome->seconds, &timed, error);
  tile_replay_unload(&program);
  outcome->ran = done;
  outcome->minimum = outcome->seconds;
  if (done && options->repeats > 0) {
    outcome->seconds = timed.median;
    outcome->minimum = timed.min;
  }
  return done;
}

//===----------------------------------------------------------------------===//
// Folders
//===----------------------------------------------------------------------===//

/// Appends a text of which only letters, digits and a few signs are left.
static void appendName(char *path, size_t size, const char *text,
                       size_t length) {
  size_t at = strlen(path);
  for (size_t i = 0; i < length && text[i] && at + 1 < size; ++i, ++at)
    path[at] = isalnum((unsigned char)text[i]) || strchr("_-=", text[i])
                   ? text[i]
                   : '_';
  path[at] = 0;
}

/// Appends the name of the file that a function is in, without its suffix.
static void appendStem(char *path, size_t size, const char *place) {
  const char *slash = strrchr(place, '/');
  const char *stem = slash ? slash + 1 : place;
  appendName(path, size, stem, strcspn(stem, ".:"));
}

static bool makeFolders(char *path, TileRtError *error) {
  for (char *at = path + 1; *at; ++at) {
    if (*at != '/')
      continue;
    *at = 0;
    bool made = mkdir(path, 0777) == 0 || errno == EEXIST;
    if (!made)
      tile_rt_fail(error, "%s: %s", path, strerror(errno));
    *at = '/';
    if (!made)
      return false;
  }
  return true;
}

static bool writeFile(const char *folder, const char *name, const void *bytes,
                      size_t size, TileRtError *error) {
  char path[1400], temporary[1408];
  snprintf(path, sizeof(path), "%s%s", folder, name);
  snprintf(temporary, sizeof(temporary), "%s.tmp", path);
  FILE *file = fopen(temporary, "wb");
  bool good = file && fwrite(bytes, 1, size, file) == size;
  if (file)
    good = fclose(file) == 0 && good;
  if (good && rename(temporary, path) == 0)
    return true;
  tile_rt_fail(error, "%s: %s", path, strerror(errno));
  remove(temporary);
  return false;
}

//===----------------------------------------------------------------------===//
// Cases
//===----------------------------------------------------------------------===//

/// What an argument contains, for another machine to make it again.
static bool saveContent(const TileRunCase *c, const TileRunOptions *options,
                        int32_t index, const char *folder,
                        TileReplayContent *content, TileRtError *error) {
  const TileRunArgument *argument = &c->arguments[index];
  const TileRunSpec *spec = &argument->spec;
  TileRtDType dtype = c->function->parameters[index].dtype;
  if (argument->given.data) {
    char path[1400];
    content->kind = TILE_REPLAY_FILE;
    snprintf(content->path, sizeof(content->path), "input-%d.npy", index);
    snprintf(path, sizeof(path), "%s%s", folder, content->path);
    return tile_rt_npy_write(path, &argument->given, error);
  }
  if (spec->kind == TILE_RUN_FILL && !c->function->parameters[index].scalar) {
    content->kind = TILE_REPLAY_FILL;
    content->fill = spec->fill;
    content->fill.seed = options->seed;
    content->fill.argument = (uint64_t)index;
    return true;
  }
  // Checked and rounded as for a run.
  TileRtTensor one;
  char who[32];
  snprintf(who, sizeof(who), "argument %d", index);
  bool good = tile_rt_tensor_alloc(&one, dtype, 0, NULL, 0, error) &&
              tile_run_spec_fill(spec, who, options->seed, (uint64_t)index,
                                 &one, error);
  content->kind = TILE_REPLAY_BITS;
  if (good)
    content->bits = tile_rt_tensor_load_bits(&one, 0);
  tile_rt_tensor_free(&one);
  return good;
}

static bool saveArgument(const TileRunCase *c, const TileRunOptions *options,
                         int32_t index, const TileRtTensor *expected,
                         TileReplayCase *saved, TileRtError *error) {
  const TileRunParameter *p = &c->function->parameters[index];
  TileReplayCaseArgument *a = &saved->arguments[index];
  *a = (TileReplayCaseArgument){
      .scalar = p->scalar,
      .world = p->world,
      .symmetric = p->symmetric,
      .dtype = p->dtype,
      .rank = p->rank};
  memcpy(a->shape, c->arguments[index].shape, sizeof(a->shape));
  if (!saveContent(c, options, index, saved->folder, &a->content, error))
    return false;
  const TileRtTensor *compared = NULL;
  if (c->arguments[index].expected.data)
    compared = &c->arguments[index].expected;
  else if (expected && tile_run_is_result(c, index))
    compared = &expected[index];
  if (!compared)
    return true;
  char path[1400];
  snprintf(a->expected, sizeof(a->expected), "expected-%d.npy", index);
  snprintf(path, sizeof(path), "%s%s", saved->folder, a->expected);
  return tile_rt_npy_write(path, compared, error);
}

/// Writes the image and the texts of its kernels to the folder above the case.
static bool saveImage(const TileRunImage *image, const char *folder,
                      TileReplayCase *saved, TileRtError *error) {
  char name[64];
  snprintf(name, sizeof(name), "image.%s", image->suffix);
  snprintf(saved->image, sizeof(saved->image), "../%s", name);
  if (!writeFile(folder, name, image->bytes, image->size, error))
    return false;
  strcpy(saved->bitcode, "../image.bc");
  if (!writeFile(folder, "image.bc", image->bitcode, image->bitcodeSize, error))
    return false;
  if (image->kernelCount > TILE_REPLAY_MAX_KERNELS)
    return tile_rt_fail(error, "expected at most %d kernels, got %d",
                        TILE_REPLAY_MAX_KERNELS, image->kernelCount);
  for (int32_t i = 0; i < image->kernelCount; ++i) {
    snprintf(name, sizeof(name), "kernel-%d.json", i);
    snprintf(saved->kernels[i], sizeof(saved->kernels[i]), "../%s", name);
    if (!writeFile(folder, name, image->kernels[i], strlen(image->kernels[i]),
                   error))
      return false;
  }
  saved->kernelCount = image->kernelCount;
  return true;
}

/// Notes whose a folder is: functions of one name in files of one name would
/// write over each other.
static bool claimFolder(const char *folder, const TileRunFunction *function,
                        TileRtError *error) {
  static struct Claim {
    const TileRunFunction *function;
    char *folder;
  } *claims;
  static int32_t count;
  for (int32_t i = 0; i < count; ++i)
    if (strcmp(claims[i].folder, folder) == 0)
      return claims[i].function == function ||
             tile_rt_fail(error,
                          "%s: has the cases of @%s of %s; save those of @%s "
                          "of %s to another folder",
                          folder, claims[i].function->name,
                          claims[i].function->place, function->name,
                          function->place);
  claims = realloc(claims, ((size_t)count + 1) * sizeof(*claims));
  if (!claims || !(claims[count].folder = strdup(folder)))
    abort();
  claims[count++].function = function;
  return true;
}

bool tile_run_save(const TileRunCase *c, const TileRunOptions *options,
                   const TileRtTensor *expected, TileRtError *error) {
  const TileRunFunction *f = c->function;
  if (f->parameterCount > TILE_RT_MAX_ARGUMENTS)
    return tile_rt_fail(error, "expected at most %d arguments, got %d",
                        TILE_RT_MAX_ARGUMENTS, f->parameterCount);
  TileReplayCase *saved = calloc(1, sizeof(*saved));
  if (!saved)
    abort();
  char folder[900];
  snprintf(folder, sizeof(folder), "%s/", options->save);
  appendStem(folder, sizeof(folder), f->place);
  strcat(folder, ".");
  appendName(folder, sizeof(folder) - 1, f->name, strlen(f->name));
  strcat(folder, "/");
  snprintf(saved->folder, sizeof(saved->folder), "%s", folder);
  appendName(saved->folder, sizeof(saved->folder) - 1,
             strcmp(c->label, "-") == 0 ? "case" : c->label,
             strlen(c->label) + 4);
  strcat(saved->folder, "/");
  snprintf(saved->function, sizeof(saved->function), "%s", f->name);
  snprintf(saved->label, sizeof(saved->label), "%s", c->label);
  saved->absolute = c->atol;
  saved->relative = c->rtol;
  saved->count = f->parameterCount;
  bool done = claimFolder(folder, f, error) &&
              makeFolders(saved->folder, error) &&
              saveImage(c->image, folder, saved, error);
  for (int32_t i = 0; done && i < f->parameterCount; ++i)
    done = saveArgument(c, options, i, expected, saved, error);
  done = done && tile_replay_case_write(saved, error);
  free(saved);
  return done;
}
