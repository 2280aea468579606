/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Threads that share handles and call everything with them at random: those of
 * another kind, null ones, ones that another thread destroys meanwhile. Each
 * failure has one line of text. Then as many compilations as are asked for,
 * whose memory must not grow.
 *
 * usage: abuse THREADS CALLS COMPILATIONS
 */
#define _GNU_SOURCE
#include "Tile-c/Compiler.h"
#include "TileRuntime/Device.h"
#include "TileRuntime/Launch.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kHandles = 16, kElements = 64, kMostThreads = 64 };

static const char twice[] =
    "func.func @twice(%x: memref<64xf32>, %y: memref<64xf32>) {\n"
    "  tile.kernel (%b) in (2) threads(32) {\n"
    "    tile.parallel (%i) in (32) {\n"
    "      %at = affine.apply affine_map<(b, i) -> (b * 32 + i)>(%b, %i)\n"
    "      %v = memref.load %x[%at] : memref<64xf32>\n"
    "      %w = arith.addf %v, %v : f32\n"
    "      memref.store %w, %y[%at] : memref<64xf32>\n"
    "    }\n"
    "  }\n"
    "  return\n"
    "}\n";
static const char *const sources[] = {twice,
                                      twice,
                                      "",
                                      "func.func @f(",
                                      "\x4d\x4c\xef\x52\x01",
                                      "func.func @g() { return }"};
static const char *const targets[] = {"cpu",  "cpu", "cpu:nothing",
                                      "none", "",    NULL};
static const char *const options[][2] = {
    {"opt-level", "1"}, {"opt-level", "9"}, {"nothing", "1"},
    {"emit", "llvmir"}, {"emit", "ptx"},    {"emit", ""},
    {"threads", "no"},  {NULL, "1"},        {"opt-level", NULL}};

/* Handles of all kinds in one table, as numbers. */
static atomic_uintptr_t handles[kHandles], kernels[kHandles];
static atomic_long good, refused, silent;
static const TileRtMetadata *metadata;
static const void *image;
static size_t imageSize;

static unsigned roll(unsigned *state, unsigned sides) {
  *state = *state * 1664525u + 1013904223u;
  return (*state >> 8) % sides;
}

static void *pick(unsigned *state) {
  return (void *)atomic_load(&handles[roll(state, kHandles)]);
}

static void judge(bool ok, const TileRtError *error) {
  atomic_fetch_add(ok ? &good : &refused, 1);
  if (!ok && (!error->message[0] || strchr(error->message, '\n')))
    atomic_fetch_add(&silent, 1);
}

static void keep(unsigned *state, void *handle, const TileRtError *error) {
  judge(handle != NULL, error);
  if (handle)
    atomic_store(&handles[roll(state, kHandles)], (uintptr_t)handle);
}

static void ask(void *artifact, unsigned *state, TileRtError *error) {
  size_t size = 0, kernel = roll(state, 3);
  (void)tileCompilerArtifactGetKernelCount(artifact);
  (void)tileCompilerArtifactIsCached(artifact);
  (void)tileCompilerArtifactGetKind(artifact, kernel, roll(state, 3));
  judge(tileCompilerArtifactGetFunction(artifact, kernel, error), error);
  judge(tileCompilerArtifactGetMetadata(artifact, kernel, error), error);
  judge(tileCompilerArtifactGetMetadataText(artifact, kernel, error), error);
  judge(tileCompilerArtifactGetCode(artifact, kernel,
                                    roll(state, 2) ? NULL : "ptx",
                                    roll(state, 8) ? &size : NULL, error),
        error);
  judge(tileCompilerArtifactGetImage(artifact, kernel, &size, error), error);
}

static void launch(unsigned *state, TileRtError *error) {
  float x[kElements], y[kElements] = {0};
  int64_t shape[] = {kElements};
  for (int i = 0; i < kElements; ++i)
    x[i] = (float)i;
  TileRtDLTensor tensors[] = {
      {.data = x, .ndim = 1, .dtype = {2, 32, 1}, .shape = shape},
      {.data = y, .ndim = 1, .dtype = {2, 32, 1}, .shape = shape}};
  tensors[0].device.device_type = tensors[1].device.device_type =
      TILE_RT_DL_CPU;
  if (roll(state, 8) == 0)
    tensors[1].ndim = 2;
  TileRtArgument arguments[] = {tile_rt_argument_tensor(&tensors[0]),
                                tile_rt_argument_tensor(&tensors[1])};
  TileRtKernel *kernel =
      (TileRtKernel *)atomic_load(&kernels[roll(state, kHandles)]);
  bool ok =
      tile_rt_launch(kernel, arguments, roll(state, 8) ? 2 : 1, NULL, error);
  judge(ok, error);
  for (int i = 0; ok && i < kElements; ++i)
    if (y[i] != 2 * x[i])
      atomic_fetch_add(&silent, 1);
}

static void call(unsigned *state) {
  TileRtError error = {{0}};
  const char *const *option = options[roll(state, 9)];
  const char *source = sources[roll(state, 6)];
  uintptr_t kernel;
  size_t size;
  void *handle = roll(state, 12) ? pick(state) : NULL;
  switch (roll(state, 13)) {
  case 0:
    keep(state,
         tileCompilerCreate(roll(state, 4) ? TILE_C_API_VERSION : 7 << 16,
                            &error),
         &error);
    break;
  case 1:
  case 2:
    keep(
        state,
        tileCompilerModuleParse(handle, source, strlen(source), "file", &error),
        &error);
    break;
  case 3:
  case 4:
    keep(state,
         tileCompilerCompile(handle, pick(state), targets[roll(state, 6)],
                             &error),
         &error);
    break;
  case 5:
    judge(tileCompilerDestroy(handle, &error), &error);
    break;
  case 6:
    judge(tileCompilerModuleDestroy(handle, &error), &error);
    break;
  case 7:
    judge(tileCompilerArtifactDestroy(handle, &error), &error);
    break;
  case 8:
    judge(tileCompilerSetOption(handle, option[0], option[1], &error), &error);
    break;
  case 9:
    judge(tileCompilerCancel(handle, &error), &error);
    break;
  case 10:
    judge(tileCompilerModuleGetBytecode(handle, roll(state, 8) ? &size : NULL,
                                        &error),
          &error);
    break;
  case 11:
    ask(handle, state, &error);
    break;
  default:
    kernel = (uintptr_t)tile_rt_kernel_load(tile_rt_cpu_device(), image,
                                            imageSize, metadata, &error);
    judge(kernel, &error);
    kernel = atomic_exchange(&kernels[roll(state, kHandles)], kernel);
    /* Some stay in use by others, who are told. */
    tile_rt_kernel_unload((TileRtKernel *)kernel);
    tile_rt_kernel_unload((TileRtKernel *)kernel);
    (void)tile_rt_kernel_last_version((TileRtKernel *)kernel);
  }
  launch(state, &error);
}

typedef struct Thread {
  pthread_t thread;
  unsigned seed;
  long calls;
} Thread;

static void *run(void *data) {
  Thread *self = data;
  for (long i = 0; i < self->calls; ++i)
    call(&self->seed);
  return NULL;
}

static long getResidentKiB(void) {
  long pages = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file && fscanf(file, "%ld %ld", &pages, &resident) != 2)
    resident = 0;
  if (file)
    fclose(file);
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static TileCompilerArtifact *compileOnce(TileCompiler *compiler) {
  TileRtError error = {{0}};
  TileCompilerModule *module =
      tileCompilerModuleParse(compiler, twice, strlen(twice), "twice", &error);
  TileCompilerArtifact *artifact =
      tileCompilerCompile(compiler, module, "cpu", &error);
  tileCompilerModuleDestroy(module, NULL);
  size_t size;
  if (!artifact || !tileCompilerArtifactGetImage(artifact, 0, &size, &error))
    printf("%s\n", error.message);
  return artifact;
}

int main(int argc, char **argv) {
  if (argc != 4)
    return 2;
  static Thread threads[kMostThreads];
  int count = atoi(argv[1]) < kMostThreads ? atoi(argv[1]) : kMostThreads;
  TileRtError error = {{0}};
  TileCompiler *compiler = tileCompilerCreate(TILE_C_API_VERSION, &error);
  TileCompilerArtifact *artifact = compileOnce(compiler);
  metadata = tileCompilerArtifactGetMetadata(artifact, 0, &error);
  image = tileCompilerArtifactGetImage(artifact, 0, &imageSize, &error);
  for (int i = 0; i < count; ++i) {
    threads[i].seed = (unsigned)i + 1;
    threads[i].calls = atol(argv[2]);
    pthread_create(&threads[i].thread, NULL, run, &threads[i]);
  }
  for (int i = 0; i < count; ++i)
    pthread_join(threads[i].thread, NULL);
  for (int i = 0; i < kHandles; ++i)
    tile_rt_kernel_unload((TileRtKernel *)atomic_load(&kernels[i]));
  printf("%d threads: %s good, %s refused, %ld without a reason\n", count,
         good > 0 ? "some" : "none", refused > 200 ? "many" : "few", silent);

  long before = 0, compilations = atol(argv[3]);
  for (long i = 0; i < compilations; ++i) {
    tileCompilerArtifactDestroy(compileOnce(compiler), NULL);
    if (i == compilations / 5)
      before = getResidentKiB();
  }
  long grown = getResidentKiB() - before;
  printf("%ld compilations: %s\n", compilations,
         grown < 4096 ? "flat" : "grown");
  if (grown >= 4096)
    printf("by %ld KiB\n", grown);
  tileCompilerArtifactDestroy(artifact, NULL);
  tileCompilerDestroy(compiler, NULL);
  return 0;
}
