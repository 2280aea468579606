// Compiles a kernel for a device that is not there: prints the kinds of code
// and, for an AMD GPU, loads and launches it on the driver that there is.
#include "Tile-c/Compiler.h"
#include "TileRuntime/HIP.h"
#include "TileRuntime/Launch.h"

#include "FakeDriver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char text[1 << 16];

static int fail(const TileRtError *error) {
  printf("error: %s\n", error->message);
  return 1;
}

static int launch(TileCompilerArtifact *artifact) {
  TileRtError error;
  size_t size;
  TileRtDevice *device;
  FakeDriverState *(*get)(void);
  void *driver = dlopen(getenv("TILE_HIP_LIBRARY"), RTLD_NOW);
  *(void **)&get = driver ? dlsym(driver, "fakeDriverState") : NULL;
  if (!get)
    return 2;
  FakeDriverState *state = get();
  state->devices = 1;
  state->maxThreads = 1024;
  state->chip = "gfx942";
  if (!tile_rt_hip_open(0, &device, &error))
    return fail(&error);
  const void *image = tileCompilerArtifactGetImage(artifact, 0, &size, &error);
  TileRtKernel *kernel = tile_rt_kernel_load(
      device, image, size, tileCompilerArtifactGetMetadata(artifact, 0, &error),
      &error);
  void *memory;
  if (!kernel || !device->ops->alloc(device, 4096, &memory, &error))
    return fail(&error);
  int64_t shape = 1000;
  TileRtDLTensor tensor = {.data = memory,
                           .device = device->id,
                           .ndim = 1,
                           .dtype = {TILE_RT_DL_FLOAT, 32, 1},
                           .shape = &shape};
  TileRtArgument argument = tile_rt_argument_tensor(&tensor);
  TileRtArgument arguments[] = {argument, argument, argument};
  bool done = tile_rt_launch(kernel, arguments, 3, NULL, &error);
  printf("launched: %s\n", done ? state->function : error.message);
  device->ops->free(device, memory, NULL);
  tile_rt_kernel_unload(kernel);
  tile_rt_device_close(device);
  return !done;
}

int main(int argc, char **argv) {
  TileRtError error;
  FILE *file = argc > 3 ? fopen(argv[1], "rb") : NULL;
  if (!file)
    return 2;
  size_t size = fread(text, 1, sizeof(text), file);
  fclose(file);
  TileCompiler *compiler = tileCompilerCreate(TILE_C_API_VERSION, &error);
  TileCompilerModule *module =
      tileCompilerModuleParse(compiler, text, size, "add.mlir", &error);
  if (!module || !tileCompilerSetOption(compiler, "emit", argv[3], &error))
    return fail(&error);
  TileCompilerArtifact *artifact =
      tileCompilerCompile(compiler, module, argv[2], &error);
  if (!artifact)
    return fail(&error);
  const char *kind;
  for (size_t i = 0;
       (kind = tileCompilerArtifactGetKind(artifact, 0, i)) != NULL; ++i) {
    const char *code =
        tileCompilerArtifactGetCode(artifact, 0, kind, &size, &error);
    printf("%s: %.*s\n", kind, (int)strcspn(code, "\n\r\t\002"), code);
  }
  return strncmp(argv[2], "gfx", 3) == 0 ? launch(artifact) : 0;
}
