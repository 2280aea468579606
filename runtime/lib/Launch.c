// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch makes a plan: the checked arguments as a key, all numbers of the
// launch and the bytes of all parameters. A later launch whose arguments have
// the same key only copies its scalars and calls the device.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "TileRuntime/Launch.h"

#include "Devices.h"
#include "Handles.h"
#include "LaunchCheck.h"
#include "Workspace.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  kPlans = 8,       // rotating inputs and a few shapes fit
  kScalarBytes = 8, // of the largest parameter that is no tensor map
};

/// One form of the kernel; they have the same arguments.
typedef struct Version {
  const TileRtMetadata *metadata;
  void *code;     ///< null until it is loaded
  size_t *places; ///< of the parameters in the storage of a plan
} Version;

typedef struct Plan {
  int64_t *key;
  Version *version;
  unsigned char *storage; ///< of the parameters
  uint64_t *offsets;      ///< of parameters in the workspace
  TileRtTensorMap *maps;  ///< of parameters, where they describe tensors there
  void *workspace;        ///< that these are encoded for; null: none yet
  TileRtLaunch launch;
  bool empty; ///< of an empty grid
  size_t workspaceBytes;
  uint64_t used; ///< the time of the last use
} Plan;

/// What a TileRtKernel, which is a number, stands for.
typedef struct Kernel {
  TileRtDevice *device;
  const TileRtMetadata *metadata;
  Version versions[1 + TILE_RT_MAX_VERSIONS]; ///< the general form first
  int32_t versionCount;
  TileRtImageSource source; ///< of versions that are not loaded
  const Version *last; ///< that was launched
  pthread_mutex_t lock; ///< of all that follows
  size_t keyWords;
  int64_t *key; ///< of the current launch
  int64_t symbols[TILE_RT_MAX_SYMBOLS];
  size_t storageBytes; ///< of the parameters of any version
  int32_t parameterCount; ///< the largest
  Plan plans[kPlans];
  int32_t planCount;
  int32_t lastPlan;
  uint64_t clock;
  int64_t known, checked;
} Kernel;

static void destroyKernel(void *object);

static TileRtHandles kernels =
    TILE_RT_HANDLES("a kernel", "unloaded", destroyKernel);

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

TileRtArgument tile_rt_argument_tensor(const TileRtDLTensor *tensor) {
  return (TileRtArgument){.tensor = tensor};
}

TileRtArgument tile_rt_argument_float(TileRtDType dtype, double value) {
  return (TileRtArgument){.dtype = dtype, .bits = tile_rt_encode(dtype, value)};
}

TileRtArgument tile_rt_argument_integer(TileRtDType dtype, int64_t value) {
  return (TileRtArgument){.dtype = dtype,
                          .bits = tile_rt_encode_int(dtype, value)};
}

/// Stores the low bytes of a code, whatever the byte order.
static void storeBits(void *to, TileRtDType dtype, uint64_t bits) {
  switch (tile_rt_dtype_bits(dtype)) {
  case 8:
    *(uint8_t *)to = (uint8_t)bits;
    break;
  case 16:
    *(uint16_t *)to = (uint16_t)bits;
    break;
  case 32:
    *(uint32_t *)to = (uint32_t)bits;
    break;
  default:
    *(uint64_t *)to = bits;
    break;
  }
}

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

// Of a tensor: address, type and rank, device, then shape and strides.
enum { kTensorWords = 3, kScalarWords = 2 };

static size_t countKeyWords(const TileRtMetadata *m) {
  size_t words = 0;
  for (int32_t i = 0; i < m->argumentCount; ++i)
    words += m->arguments[i].scalar
                 ? kScalarWords
                 : kTensorWords + 2 * (size_t)m->arguments[i].rank;
  return words;
}

/// Writes the key of a launch; false when the arguments cannot be right.
static bool writeKey(const Kernel *kernel,
                     const TileRtArgument *arguments, int32_t count,
                     int64_t *key) {
  const TileRtMetadata *m = kernel->metadata;
  if (count != m->argumentCount)
    return false;
  for (int32_t i = 0; i < count; ++i) {
    const TileRtArgumentInfo *info = &m->arguments[i];
    const TileRtDLTensor *t = arguments[i].tensor;
    if (info->scalar) {
      *key++ = t ? -1 : (int64_t)arguments[i].dtype;
      // Other scalars are copied by each launch.
      *key++ = info->bindsSymbol ? (int64_t)arguments[i].bits : 0;
      continue;
    }
    if (!t || t->ndim != info->rank || (info->rank && !t->shape))
      return false;
    *key++ = (int64_t)((uint64_t)(uintptr_t)t->data + t->byte_offset);
    *key++ = (int64_t)((uint64_t)t->dtype.code << 24 |
                       (uint64_t)t->dtype.bits << 16 | t->dtype.lanes);
    *key++ = (int64_t)((uint64_t)(uint32_t)t->device.device_type << 32 |
                       (uint32_t)t->device.device_id);
    for (int32_t d = 0; d < info->rank; ++d)
      *key++ = t->shape[d];
    tile_rt_tensor_strides(t, key);
    key += info->rank;
  }
  return true;
}

static Plan *findPlan(Kernel *kernel) {
  size_t bytes = kernel->keyWords * sizeof(*kernel->key);
  for (int32_t i = 0; i < kernel->planCount; ++i) {
    int32_t index = (kernel->lastPlan + i) % kernel->planCount;
    Plan *plan = &kernel->plans[index];
    if (memcmp(plan->key, kernel->key, bytes) == 0) {
      kernel->lastPlan = index;
      return plan;
    }
  }
  return NULL;
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

static bool isMap(const TileRtParameterInfo *parameter) {
  return parameter->kind == TILE_RT_PARAMETER_TENSOR_MAP;
}

static void freePlan(Plan *plan) {
  free(plan->key);
  free(plan->storage);
  free(plan->offsets);
  free(plan->maps);
  free(plan->launch.parameters);
  *plan = (Plan){0};
}

static bool allocPlan(const Kernel *kernel, Plan *plan) {
  size_t count = (size_t)kernel->parameterCount;
  // One more of each, so that none is empty.
  plan->key = calloc(kernel->keyWords + 1, sizeof(*plan->key));
  plan->storage = aligned_alloc(TILE_RT_MAP_ALIGN, kernel->storageBytes);
  plan->offsets = calloc(count + 1, sizeof(*plan->offsets));
  plan->maps = calloc(count + 1, sizeof(*plan->maps));
  plan->launch.parameters = calloc(count + 1, sizeof(void *));
  if (!plan->key || !plan->storage || !plan->offsets || !plan->maps ||
      !plan->launch.parameters) {
    freePlan(plan);
    return false;
  }
  memset(plan->storage, 0, kernel->storageBytes);
  return true;
}

/// Lets the plan be one of the version.
static void setVersion(Kernel *kernel, Plan *plan,
                       const TileRtMetadata *metadata) {
  Version *version = kernel->versions;
  while (version->metadata != metadata)
    ++version;
  plan->version = version;
  plan->launch.parameterCount = metadata->parameterCount;
  for (int32_t i = 0; i < metadata->parameterCount; ++i)
    plan->launch.parameters[i] = plan->storage + version->places[i];
}

/// Evaluates an expression of at least `min`, which is 0 or stands for it, and
/// at most `max`.
static bool evaluateIn(const Kernel *kernel, const char *what,
                       const TileRtExpr *expr, int64_t min, int64_t max,
                       int64_t *value, TileRtError *error) {
  char where[160];
  if (tile_rt_expr_evaluate(expr, kernel->symbols, "", value, NULL) &&
      *value >= min && *value <= max)
    return true;
  snprintf(where, sizeof(where), "@%s: %s", kernel->metadata->kernel, what);
  return tile_rt_expr_evaluate(expr, kernel->symbols, where, value, error) &&
         tile_rt_fail(error,
                      "%s: expected a number of 0 to %" PRId64 ", got %" PRId64,
                      where, max, *value);
}

static bool evaluate(const Kernel *kernel, const char *what,
                     const TileRtExpr *expr, int64_t max, int64_t *value,
                     TileRtError *error) {
  return evaluateIn(kernel, what, expr, 0, max, value, error);
}

static bool planLaunch(const Kernel *kernel, Plan *plan,
                       TileRtError *error) {
  static const char *const axes[] = {"grid.x", "grid.y", "grid.z"};
  const TileRtMetadata *m = plan->version->metadata;
  TileRtLaunch *launch = &plan->launch;
  int64_t number = 0;
  plan->empty = false;
  plan->workspace = NULL;
  for (int i = 0; i < 3; ++i) {
    if (!evaluateIn(kernel, axes[i], &m->grid[i], INT64_MIN, UINT32_MAX,
                    &number, error))
      return false;
    // As in the language: a negative extent has no blocks.
    number = number < 0 ? 0 : number;
    launch->grid[i] = (uint32_t)number;
    launch->block[i] = m->block[i];
    launch->cluster[i] = m->cluster[i];
    plan->empty |= number == 0;
  }
  if (!evaluate(kernel, "shared", &m->shared, UINT32_MAX, &number, error))
    return false;
  launch->sharedBytes = (uint32_t)number;
  number = 0;
  if (m->workspace.count && !evaluate(kernel, "workspace", &m->workspace,
                                      INT64_MAX / 2, &number, error))
    return false;
  plan->workspaceBytes = (size_t)number;
  launch->cooperative = m->cooperative;
  launch->pdl = m->pdl;
  return true;
}

/// Encodes one of the maps of the plan; the error does not name the kernel.
static bool encodeMap(const Kernel *kernel, const Plan *plan,
                      const TileRtTensorMap *map, void *out,
                      TileRtError *error) {
  TileRtDevice *device = kernel->device;
  TileRtError inner = {""};
  int32_t argument = map->info->argument;
  char who[128];
  // No map describes what is empty, and no kernel copies from it.
  for (int32_t d = 0; d < map->info->rank; ++d)
    if (map->sizes[d] == 0) {
      memset(out, 0, TILE_RT_MAP_BYTES);
      return true;
    }
  if (!device->ops->encode)
    tile_rt_fail(&inner, "expected a device with tensor maps, got %s",
                 device->name);
  else if (device->ops->encode(device, map, out, &inner))
    return true;
  return tile_rt_fail(error, "%s: tensor map %d: %s",
                      argument < 0 ? "workspace"
                                   : tile_rt_format_argument(
                                         kernel->metadata, argument, who,
                                         sizeof(who)),
                      (int)(map->info - plan->version->metadata->maps),
                      inner.message);
}

/// Computes the map of a parameter; that of a tensor in the workspace waits for
/// its address.
static bool planMap(Kernel *kernel, Plan *plan,
                    const TileRtArgument *arguments, int32_t parameter,
                    void *out, TileRtError *error) {
  const TileRtMetadata *m = plan->version->metadata;
  int32_t index = m->parameters[parameter].argument;
  const TileRtMapInfo *info = &m->maps[index];
  TileRtTensorMap map = {.info = info};
  TileRtError inner;
  char what[64];
  int64_t number = 0;
  snprintf(what, sizeof(what), "tensor map %d", index);
  if (!evaluate(kernel, what, &info->offset, INT64_MAX, &number, error))
    return false;
  map.address = (uint64_t)number;
  for (int32_t d = 0; d < info->rank; ++d) {
    if (!evaluate(kernel, what, &info->sizes[d], INT64_MAX, &number, error))
      return false;
    map.sizes[d] = (uint64_t)number;
    if (d + 1 == info->rank)
      break;
    if (!evaluate(kernel, what, &info->strides[d], INT64_MAX, &number, error))
      return false;
    map.strides[d] = (uint64_t)number;
  }
  if (info->argument < 0) {
    plan->maps[parameter] = map;
    return true;
  }
  const TileRtDLTensor *tensor = arguments[info->argument].tensor;
  map.address += (uint64_t)(uintptr_t)tensor->data + tensor->byte_offset;
  return encodeMap(kernel, plan, &map, out, &inner) ||
         tile_rt_fail(error, "@%s: %s", kernel->metadata->kernel,
                      inner.message);
}

/// Writes a number as a parameter; the error says what it was.
static bool planNumber(const Kernel *kernel,
                       const TileRtParameterInfo *info, int32_t index,
                       int64_t number, void *out, TileRtError *error) {
  TileRtDType dtype = info->dtype;
  if (dtype == TILE_RT_I32 && (number < INT32_MIN || number > INT32_MAX))
    return tile_rt_fail(error,
                        "@%s: parameter %d: expected a number of 32 bits, got "
                        "%" PRId64,
                        kernel->metadata->kernel, index, number);
  storeBits(out, dtype, (uint64_t)number);
  return true;
}

static bool planParameter(Kernel *kernel, const TileRtArgument *arguments,
                          int32_t index, Plan *plan, TileRtError *error) {
  const TileRtParameterInfo *info =
      &plan->version->metadata->parameters[index];
  void *out = plan->launch.parameters[index];
  const TileRtDLTensor *tensor = NULL;
  int64_t strides[TILE_RT_MAX_RANK], number = 0;
  char what[160];
  if (info->kind <= TILE_RT_PARAMETER_STRIDE)
    tensor = arguments[info->argument].tensor;
  switch (info->kind) {
  case TILE_RT_PARAMETER_SCALAR:
    return true;
  case TILE_RT_PARAMETER_TENSOR_MAP:
    return planMap(kernel, plan, arguments, index, out, error);
  case TILE_RT_PARAMETER_SIZE:
    return planNumber(kernel, info, index, tensor->shape[info->dim], out, error);
  case TILE_RT_PARAMETER_STRIDE:
    tile_rt_tensor_strides(tensor, strides);
    return planNumber(kernel, info, index, strides[info->dim], out, error);
  default:
    break;
  }
  snprintf(what, sizeof(what), "@%s: parameter %d", kernel->metadata->kernel,
           index);
  if (!tile_rt_expr_evaluate(&info->value, kernel->symbols, what, &number,
                             error))
    return false;
  if (info->kind == TILE_RT_PARAMETER_VALUE)
    return planNumber(kernel, info, index, number, out, error);
  if (info->kind == TILE_RT_PARAMETER_POINTER)
    *(uint64_t *)out = (uint64_t)(uintptr_t)tensor->data + tensor->byte_offset +
                       (uint64_t)number;
  else
    plan->offsets[index] = (uint64_t)number;
  return true;
}

/// Loads the code of a version, with which the launches of others wait.
static bool loadCode(Kernel *kernel, Version *version, const void *image,
                     size_t size, TileRtError *error) {
  TileRtDevice *device = kernel->device;
  TileRtError inner;
  if (device->ops->load(device, image, size, version->metadata, &version->code,
                        &inner))
    return true;
  version->code = NULL;
  return tile_rt_fail(error, "@%s: %s", version->metadata->kernel,
                      inner.message);
}

/// Loads a version that was not launched before.
static bool fetchCode(Kernel *kernel, Version *version, TileRtError *error) {
  const void *image = NULL;
  size_t size = 0;
  TileRtError inner = {""};
  if (version->code)
    return true;
  if (kernel->source.get(kernel->source.data,
                         (int32_t)(version - kernel->versions), &image, &size,
                         &inner))
    return loadCode(kernel, version, image, size, error);
  return tile_rt_fail(error, "@%s: %s", version->metadata->kernel,
                      inner.message);
}

/// Checks and computes all that the arguments decide.
static bool fillPlan(Kernel *kernel, const TileRtArgument *arguments,
                     int32_t count, Plan *plan, TileRtError *error) {
  TileRtDevice *device = kernel->device;
  TileRtError inner;
  if (!tile_rt_check_arguments(kernel->metadata, device, arguments, count,
                               kernel->symbols, error))
    return false;
  const TileRtMetadata *version = tile_rt_choose_version(
      kernel->metadata, device, arguments, kernel->symbols, error);
  if (!version)
    return false;
  setVersion(kernel, plan, version);
  if (!planLaunch(kernel, plan, error))
    return false;
  // Tensor maps have no form for what is empty.
  if (plan->empty)
    return true;
  if (!fetchCode(kernel, plan->version, error))
    return false;
  if (device->ops->prepare &&
      !device->ops->prepare(device, plan->version->code, &plan->launch, &inner))
    return tile_rt_fail(error, "@%s: %s", kernel->metadata->kernel,
                        inner.message);
  for (int32_t i = 0; i < version->parameterCount; ++i)
    if (!planParameter(kernel, arguments, i, plan, error))
      return false;
  return true;
}

/// A plan without content: a new one or else the one least recently used.
static Plan *takePlan(Kernel *kernel, TileRtError *error) {
  if (kernel->planCount < kPlans) {
    if (allocPlan(kernel, &kernel->plans[kernel->planCount]))
      return &kernel->plans[kernel->planCount++];
    if (!kernel->planCount) {
      tile_rt_fail(error, "@%s: expected memory for a plan, got none",
                   kernel->metadata->kernel);
      return NULL;
    }
  }
  Plan *oldest = &kernel->plans[0];
  for (int32_t i = 1; i < kernel->planCount; ++i)
    if (kernel->plans[i].used < oldest->used)
      oldest = &kernel->plans[i];
  return oldest;
}

static Plan *makePlan(Kernel *kernel, const TileRtArgument *arguments,
                      int32_t count, bool keyed, TileRtError *error) {
  Plan *plan = takePlan(kernel, error);
  if (!plan)
    return NULL;
  if (fillPlan(kernel, arguments, count, plan, error) && keyed) {
    memcpy(plan->key, kernel->key, kernel->keyWords * sizeof(*plan->key));
    kernel->lastPlan = (int32_t)(plan - kernel->plans);
    return plan;
  }
  // Half filled: it must never be found.
  freePlan(plan);
  *plan = kernel->plans[--kernel->planCount];
  kernel->plans[kernel->planCount] = (Plan){0};
  kernel->lastPlan = 0;
  return NULL;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// Lets the parameters begin in the workspace, whose address seldom changes.
static bool placeInWorkspace(const Kernel *kernel, Plan *plan, void *memory,
                             TileRtError *error) {
  const TileRtMetadata *m = plan->version->metadata;
  if (plan->workspace == memory)
    return true;
  plan->workspace = NULL; // until all is encoded
  for (int32_t i = 0; i < m->parameterCount; ++i) {
    const TileRtParameterInfo *parameter = &m->parameters[i];
    void *out = plan->launch.parameters[i];
    if (parameter->kind == TILE_RT_PARAMETER_WORKSPACE)
      *(uint64_t *)out = (uint64_t)(uintptr_t)memory + plan->offsets[i];
    if (!isMap(parameter) || m->maps[parameter->argument].argument >= 0)
      continue;
    TileRtTensorMap map = plan->maps[i];
    map.address += (uint64_t)(uintptr_t)memory;
    if (!encodeMap(kernel, plan, &map, out, error))
      return false;
  }
  plan->workspace = memory;
  return true;
}

/// Nobody else may enlarge the workspace before the launch is queued.
static bool launchWithWorkspace(Kernel *kernel, Plan *plan,
                                TileRtStream stream, TileRtError *error) {
  const TileRtMetadata *m = plan->version->metadata;
  TileRtDevice *device = kernel->device;
  TileRtWorkspaceUse use;
  if (!tile_rt_workspace_acquire(device, stream, plan->workspaceBytes, &use,
                                 error))
    return false;
  bool good = placeInWorkspace(kernel, plan, use.memory, error) &&
              (!m->workspaceZeroed || !plan->workspaceBytes ||
               device->ops->fill(device, use.memory, 0, plan->workspaceBytes,
                                 stream, error)) &&
              device->ops->launch(device, plan->version->code, &plan->launch,
                                  stream, error);
  // The first error is the one to tell.
  return tile_rt_workspace_release(device, stream, &use,
                                   good ? error : NULL) &&
         good;
}

static bool runPlan(Kernel *kernel, const TileRtArgument *arguments,
                    Plan *plan, TileRtStream stream, TileRtError *error) {
  const TileRtMetadata *m = plan->version->metadata;
  TileRtDevice *device = kernel->device;
  TileRtError inner;
  plan->used = ++kernel->clock;
  kernel->last = plan->version;
  if (plan->empty)
    return true;
  for (int32_t i = 0; i < m->parameterCount; ++i) {
    const TileRtParameterInfo *parameter = &m->parameters[i];
    if (parameter->kind == TILE_RT_PARAMETER_SCALAR)
      storeBits(plan->launch.parameters[i], parameter->dtype,
                arguments[parameter->argument].bits);
  }
  if (m->workspace.count
          ? launchWithWorkspace(kernel, plan, stream, &inner)
          : device->ops->launch(device, plan->version->code, &plan->launch,
                                stream, &inner))
    return true;
  return tile_rt_fail(error, "@%s: %s", kernel->metadata->kernel,
                      inner.message);
}

/// The plan of a launch, known or new. Null with an error.
static Plan *getPlan(Kernel *kernel, const TileRtArgument *arguments,
                     int32_t count, TileRtError *error) {
  bool keyed = writeKey(kernel, arguments, count, kernel->key);
  Plan *plan = keyed ? findPlan(kernel) : NULL;
  ++*(plan ? &kernel->known : &kernel->checked);
  return plan ? plan : makePlan(kernel, arguments, count, keyed, error);
}

static bool checkCount(const Kernel *kernel, const TileRtArgument *arguments,
                       int32_t count, TileRtError *error) {
  return (count >= 0 && (arguments || !count)) ||
         tile_rt_fail(error, "@%s: expected arguments, got %s",
                      kernel->metadata->kernel,
                      count < 0 ? "a negative number" : "null");
}

bool tile_rt_launch(TileRtKernel *handle, const TileRtArgument *arguments,
                    int32_t count, TileRtStream stream, TileRtError *error) {
  Kernel *kernel = tile_rt_handle_acquire(&kernels, handle, error);
  if (!kernel)
    return false;
  bool good = checkCount(kernel, arguments, count, error);
  if (good) {
    pthread_mutex_lock(&kernel->lock);
    Plan *plan = getPlan(kernel, arguments, count, error);
    good = plan && runPlan(kernel, arguments, plan, stream, error);
    pthread_mutex_unlock(&kernel->lock);
  }
  tile_rt_handle_release(&kernels, handle);
  return good;
}

bool tile_rt_prepare(TileRtKernel *handle, const TileRtArgument *arguments,
                     int32_t count, TileRtError *error) {
  Kernel *kernel = tile_rt_handle_acquire(&kernels, handle, error);
  if (!kernel)
    return false;
  bool good = checkCount(kernel, arguments, count, error);
  if (good) {
    pthread_mutex_lock(&kernel->lock);
    good = getPlan(kernel, arguments, count, error) != NULL;
    pthread_mutex_unlock(&kernel->lock);
  }
  tile_rt_handle_release(&kernels, handle);
  return good;
}

void tile_rt_kernel_statistics(TileRtKernel *handle, int64_t *known,
                               int64_t *checked) {
  Kernel *kernel = tile_rt_handle_acquire(&kernels, handle, NULL);
  *known = *checked = 0;
  if (!kernel)
    return;
  pthread_mutex_lock(&kernel->lock);
  *known = kernel->known;
  *checked = kernel->checked;
  pthread_mutex_unlock(&kernel->lock);
  tile_rt_handle_release(&kernels, handle);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Lays out the parameters of a plan. Each has an address of its own, so the
/// order and gaps are free.
static bool placeParameters(Kernel *kernel, Version *version) {
  const TileRtMetadata *m = version->metadata;
  size_t at = 0, count = (size_t)m->parameterCount;
  version->places = calloc(count + 1, sizeof(*version->places));
  if (!version->places)
    return false;
  for (int maps = 1; maps >= 0; --maps)
    for (size_t i = 0; i < count; ++i)
      if (isMap(&m->parameters[i]) == maps) {
        version->places[i] = at;
        at += maps ? TILE_RT_MAP_BYTES : kScalarBytes;
      }
  at = (at / TILE_RT_MAP_ALIGN + 1) * TILE_RT_MAP_ALIGN;
  if (kernel->storageBytes < at)
    kernel->storageBytes = at;
  if (kernel->parameterCount < m->parameterCount)
    kernel->parameterCount = m->parameterCount;
  return true;
}

/// Lists the kernel and its versions.
static bool addVersions(Kernel *kernel) {
  const TileRtMetadata *m = kernel->metadata;
  for (int32_t i = 0; i <= m->versionCount; ++i) {
    Version *version = &kernel->versions[kernel->versionCount++];
    version->metadata = i ? &m->versions[i - 1] : m;
    if (!placeParameters(kernel, version))
      return false;
  }
  return true;
}

static void destroyKernel(void *object) {
  Kernel *kernel = object;
  TileRtDevice *device = kernel->device;
  for (int32_t i = 0; i < kernel->versionCount; ++i) {
    if (kernel->versions[i].code)
      device->ops->unload(device, kernel->versions[i].code);
    free(kernel->versions[i].places);
  }
  if (kernel->source.release)
    kernel->source.release(kernel->source.data);
  for (int32_t i = 0; i < kernel->planCount; ++i)
    freePlan(&kernel->plans[i]);
  pthread_mutex_destroy(&kernel->lock);
  free(kernel->key);
  free(kernel);
}

/// A kernel without code, or null.
static Kernel *createKernel(TileRtDevice *device,
                            const TileRtMetadata *metadata) {
  Kernel *kernel = calloc(1, sizeof(*kernel));
  if (!kernel)
    return NULL;
  kernel->device = device;
  kernel->metadata = metadata;
  kernel->keyWords = countKeyWords(metadata);
  kernel->key = calloc(kernel->keyWords + 1, sizeof(*kernel->key));
  pthread_mutex_init(&kernel->lock, NULL);
  if (kernel->key && addVersions(kernel))
    return kernel;
  destroyKernel(kernel);
  return NULL;
}

/// Whether a kernel of the metadata can be loaded on the device; `what` is the
/// first argument that is null.
static bool checkLoad(const TileRtDevice *device,
                      const TileRtMetadata *metadata, const char *what,
                      TileRtError *error) {
  const char *missing = !device ? "a device" : !metadata ? "metadata" : what;
  if (missing)
    return tile_rt_fail(error, "expected %s, got null", missing);
  return strcmp(metadata->target, device->ops->target) == 0 ||
         tile_rt_fail(error, "@%s: expected a device of target %s, got %s",
                      metadata->kernel, metadata->target, device->ops->target);
}

/// A handle for the kernel, which is null where there was no memory; null, and
/// the kernel destroyed, if there is none for the handle either.
static TileRtKernel *addKernel(Kernel *kernel, const TileRtMetadata *metadata,
                               TileRtError *error) {
  TileRtKernel *handle =
      kernel ? tile_rt_handle_add(&kernels, kernel, kernel->device) : NULL;
  if (handle)
    return handle;
  if (kernel) {
    kernel->source.release = NULL;
    destroyKernel(kernel);
  }
  tile_rt_fail(error, "@%s: expected memory, got none", metadata->kernel);
  return NULL;
}

/// Loads a kernel of a device that stays open meanwhile.
static TileRtKernel *loadKernel(TileRtDevice *device, const void *image,
                                size_t size, const TileRtMetadata *metadata,
                                TileRtError *error) {
  if (!checkLoad(device, metadata, image ? NULL : "an image", error))
    return NULL;
  Kernel *kernel = createKernel(device, metadata);
  for (int32_t i = 0; kernel && i < kernel->versionCount; ++i)
    if (!loadCode(kernel, &kernel->versions[i], image, size, error)) {
      destroyKernel(kernel);
      return NULL;
    }
  return addKernel(kernel, metadata, error);
}

/// The same for one whose versions are loaded by launches.
static TileRtKernel *loadLazily(TileRtDevice *device,
                                const TileRtImageSource *source,
                                const TileRtMetadata *metadata,
                                TileRtError *error) {
  if (!checkLoad(device, metadata,
                 source && source->get ? NULL : "a source of images", error))
    return NULL;
  Kernel *kernel = createKernel(device, metadata);
  if (kernel)
    kernel->source = *source;
  return addKernel(kernel, metadata, error);
}

TileRtKernel *tile_rt_kernel_load_lazily(TileRtDevice *device,
                                         const TileRtImageSource *source,
                                         const TileRtMetadata *metadata,
                                         TileRtError *error) {
  if (!tile_rt_device_acquire(device, error))
    return NULL;
  TileRtKernel *kernel = loadLazily(device, source, metadata, error);
  tile_rt_device_release(device);
  return kernel;
}

TileRtKernel *tile_rt_kernel_load(TileRtDevice *device, const void *image,
                                  size_t size, const TileRtMetadata *metadata,
                                  TileRtError *error) {
  if (!tile_rt_device_acquire(device, error))
    return NULL;
  TileRtKernel *kernel = loadKernel(device, image, size, metadata, error);
  tile_rt_device_release(device);
  return kernel;
}

const char *tile_rt_kernel_last_version(TileRtKernel *handle) {
  Kernel *kernel = tile_rt_handle_acquire(&kernels, handle, NULL);
  if (!kernel)
    return NULL;
  pthread_mutex_lock(&kernel->lock);
  const Version *last = kernel->last;
  pthread_mutex_unlock(&kernel->lock);
  const char *name = last ? last->metadata->kernel : NULL;
  tile_rt_handle_release(&kernels, handle);
  return name;
}

TileRtDevice *tile_rt_kernel_device(const TileRtKernel *handle) {
  Kernel *kernel = tile_rt_handle_acquire(&kernels, handle, NULL);
  if (!kernel)
    return NULL;
  TileRtDevice *device = kernel->device;
  tile_rt_handle_release(&kernels, handle);
  return device;
}

void tile_rt_kernel_unload(TileRtKernel *handle) {
  (void)tile_rt_handle_remove(&kernels, handle, NULL);
}

void tile_rt_kernels_unload(const TileRtDevice *device) {
  tile_rt_handle_remove_all(&kernels, device);
}
