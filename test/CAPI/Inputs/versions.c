// Compiles a kernel with versions through the C API and launches it on a CUDA
// driver without a GPU: the artifact has one launch, whose arguments choose.
// With a folder for a cache, launches have the code made that they choose.
#define _GNU_SOURCE
#include "Tile-c/Compiler.h"
#include "TileRuntime/CUDA.h"
#include "TileRuntime/Launch.h"

#include "FakeCUDA.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char text[1 << 16];
static TileRtError error;

static int fail(void) {
  printf("error: %s\n", error.message);
  return 1;
}

static void launch(TileRtKernel *kernel, FakeCudaState *state, void *memory,
                   int64_t m, int64_t k, uint64_t offset) {
  int64_t shape[] = {m, k};
  TileRtDLTensor tensor = {.data = memory,
                           .byte_offset = offset,
                           .device = {TILE_RT_DL_CUDA, 0},
                           .ndim = 2,
                           .dtype = {TILE_RT_DL_FLOAT, 16, 1},
                           .shape = shape};
  TileRtArgument argument = tile_rt_argument_tensor(&tensor);
  TileRtArgument arguments[] = {argument, argument};
  int before = state->launches;
  bool done = tile_rt_launch(kernel, arguments, 2, NULL, &error);
  printf("%d x %d at %d: %s\n", (int)m, (int)k, (int)offset,
         !done                         ? error.message
         : state->launches == before ? "nothing is launched"
                                       : state->launched);
}

int main(int argc, char **argv) {
  FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
  if (!file)
    return 2;
  size_t size = fread(text, 1, sizeof(text), file);
  fclose(file);
  bool lazy = argc > 2;
  TileCompiler *compiler = tileCompilerCreate(TILE_C_API_VERSION, &error);
  if (lazy &&
      (!tileCompilerSetOption(compiler, "lazy-versions", "true", &error) ||
       !tileCompilerSetOption(compiler, "cache", argv[2], &error)))
    return fail();
  TileCompilerModule *module =
      tileCompilerModuleParse(compiler, text, size, "rows.mlir", &error);
  TileCompilerArtifact *artifact =
      module ? tileCompilerCompile(compiler, module, "sm_90a", &error) : NULL;
  if (!artifact)
    return fail();
  const TileRtMetadata *metadata =
      tileCompilerArtifactGetMetadata(artifact, 0, &error);
  if (!metadata)
    return fail();
  printf("%s: %d versions, %s with %d conditions\n", metadata->kernel,
         (int)metadata->versionCount, metadata->versions[0].kernel,
         (int)metadata->versions[0].conditionCount);
  void *driver = dlopen(getenv("TILE_CUDA_DRIVER"), RTLD_NOW);
  FakeCudaState *(*get)(void);
  *(void **)&get = driver ? dlsym(driver, "fakeCudaState") : NULL;
  TileRtDevice *device;
  if (!get || !tile_rt_cuda_open(0, &device, &error))
    return fail();
  const void *image = tileCompilerArtifactGetImage(artifact, 0, &size, &error);
  if (!image)
    printf("%s\n", error.message);
  TileRtKernel *kernel =
      lazy    ? tileCompilerArtifactLoad(artifact, 0, device, &error)
      : image ? tile_rt_kernel_load(device, image, size, metadata, &error)
              : NULL;
  void *memory;
  if (!kernel || !device->ops->alloc(device, 1 << 16, &memory, &error))
    return fail();
  if (lazy) {
    printf("cached: %d\n", tileCompilerArtifactIsCached(artifact));
    // The kernel keeps what it needs.
    tileCompilerArtifactDestroy(artifact, NULL);
    tileCompilerModuleDestroy(module, NULL);
    tileCompilerDestroy(compiler, NULL);
  }
  if (getenv("BROKEN_PTXAS")) {
    const char *right = strdup(getenv("TILE_PTXAS"));
    setenv("TILE_PTXAS", getenv("BROKEN_PTXAS"), 1);
    launch(kernel, get(), memory, 64, 64, 0);
    setenv("TILE_PTXAS", right, 1);
  }
  launch(kernel, get(), memory, 64, 64, 0);
  launch(kernel, get(), memory, 100, 72, 16);
  launch(kernel, get(), memory, 100, 72, 8);
  launch(kernel, get(), memory, 100, 74, 0);
  launch(kernel, get(), memory, 100, 73, 0);
  launch(kernel, get(), memory, 0, 64, 0);
  launch(kernel, get(), memory, 64, 0, 0);
  launch(kernel, get(), memory, 64, 64, 1);
  device->ops->free(device, memory, NULL);
  tile_rt_kernel_unload(kernel);
  tile_rt_device_close(device);
  return 0;
}
