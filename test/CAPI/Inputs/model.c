/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Compiles a kernel for the Ascend model and runs it, or says why not.
 *
 * usage: model FILE [CACHE_FOLDER], of a vector add of f32
 */
#include "TileRuntime/Model.h"
#include "Tile-c/Compiler.h"
#include "TileRuntime/Launch.h"

#include <stdio.h>
#include <stdlib.h>

enum { kCount = 1000 };

static char text[1 << 16];

static int fail(const TileRtError *error) {
  printf("error: %s\n", error->message);
  return 1;
}

int main(int argc, char **argv) {
  TileRtError error;
  FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
  if (!file)
    return 2;
  size_t size = fread(text, 1, sizeof(text), file);
  fclose(file);
  TileCompiler *compiler = tileCompilerCreate(TILE_C_API_VERSION, &error);
  TileCompilerModule *module =
      tileCompilerModuleParse(compiler, text, size, "add.mlir", &error);
  if (!module || !tileCompilerSetOption(compiler, "emit", "ascendc", &error) ||
      (argc > 2 && !tileCompilerSetOption(compiler, "cache", argv[2], &error)))
    return fail(&error);
  TileCompilerArtifact *artifact =
      tileCompilerCompile(compiler, module, "ascend-model", &error);
  if (!artifact)
    return fail(&error);
  printf("cached: %d\n", tileCompilerArtifactIsCached(artifact));
  const char *source =
      tileCompilerArtifactGetCode(artifact, 0, "ascendc", &size, &error);
  printf("%.28s\n", source);

  const TileRtMetadata *metadata =
      tileCompilerArtifactGetMetadata(artifact, 0, &error);
  const void *image = tileCompilerArtifactGetImage(artifact, 0, &size, &error);
  TileRtKernel *kernel =
      image ? tile_rt_kernel_load(tile_rt_model_device(), image, size, metadata,
                                  &error)
            : NULL;
  if (!kernel)
    return fail(&error);
  static float x[kCount], y[kCount], z[kCount];
  for (int i = 0; i < kCount; ++i) {
    x[i] = (float)i;
    y[i] = (float)(2 * i);
  }
  int64_t shape = kCount, other = 7;
  TileRtDLTensor a = {.data = x,
                      .device = {TILE_RT_DL_CPU, 0},
                      .ndim = 1,
                      .dtype = {TILE_RT_DL_FLOAT, 32, 1},
                      .shape = &shape};
  TileRtDLTensor b = a, c = a;
  b.data = y;
  c.data = z;
  TileRtArgument arguments[] = {tile_rt_argument_tensor(&a),
                                tile_rt_argument_tensor(&b),
                                tile_rt_argument_tensor(&c)};
  if (!tile_rt_launch(kernel, arguments, 3, NULL, &error))
    return fail(&error);
  int wrong = 0;
  for (int i = 0; i < kCount; ++i)
    wrong += z[i] != (float)(3 * i);
  printf("%d of %d wrong\n", wrong, kCount);
  c.shape = &other;
  if (!tile_rt_launch(kernel, arguments, 3, NULL, &error))
    printf("shape: %s\n", error.message);
  if (!tile_rt_kernel_load(tile_rt_cpu_device(), image, size, metadata, &error))
    printf("device: %s\n", error.message);
  tile_rt_kernel_unload(kernel);
  tileCompilerArtifactDestroy(artifact, NULL);
  tileCompilerModuleDestroy(module, NULL);
  tileCompilerDestroy(compiler, NULL);
  return 0;
}
