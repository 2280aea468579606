/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Compiles and runs kernels, each with another number in it, on some threads
 * that share a compiler.
 *
 * usage: many KERNELS THREADS [CACHE_FOLDER]
 */
#define _POSIX_C_SOURCE 200809L
#include "Tile-c/Compiler.h"
#include "TileRuntime/Launch.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static TileCompiler *compiler;
static int kernels, threads;

static void require(bool good, const char *what, const TileRtError *error) {
  if (good)
    return;
  fprintf(stderr, "%s: %s\n", what, error->message);
  exit(1);
}

/// y = x + k over 5 elements, in two blocks of 3.
static TileCompilerModule *parse(int k, TileRtError *error) {
  char text[1024];
  int size =
      snprintf(text, sizeof(text),
               "func.func @add(%%x: memref<5xi32>, %%y: memref<5xi32>) {\n"
               "  %%k = arith.constant %d : i32\n"
               "  tile.kernel (%%b) in (2) {\n"
               "    %%t = tile.alloc : memref<3xi32, #tile.shared>\n"
               "    tile.copy %%x[%%b * 3], %%t : memref<5xi32>, "
               "memref<3xi32, #tile.shared>\n"
               "    tile.parallel (%%i) in (3) {\n"
               "      %%v = memref.load %%t[%%i] : memref<3xi32, "
               "#tile.shared>\n"
               "      %%w = arith.addi %%v, %%k : i32\n"
               "      memref.store %%w, %%t[%%i] : memref<3xi32, "
               "#tile.shared>\n"
               "    }\n"
               "    tile.copy %%t, %%y[%%b * 3] : memref<3xi32, "
               "#tile.shared>, memref<5xi32>\n"
               "  }\n"
               "  return\n"
               "}\n",
               k);
  return tileCompilerModuleParse(compiler, text, (size_t)size, "add.mlir",
                                 error);
}

static void run(TileCompilerArtifact *artifact, int k) {
  TileRtError error;
  size_t size = 0;
  const TileRtMetadata *metadata =
      tileCompilerArtifactGetMetadata(artifact, 0, &error);
  const void *image = tileCompilerArtifactGetImage(artifact, 0, &size, &error);
  require(metadata && image, "image", &error);
  TileRtKernel *kernel =
      tile_rt_kernel_load(tile_rt_cpu_device(), image, size, metadata, &error);
  require(kernel, "load", &error);
  int32_t in[5] = {1, 2, 3, 4, 5}, out[5] = {0};
  int64_t shape[] = {5};
  TileRtDLTensor x = {.data = in,
                      .device = {TILE_RT_DL_CPU, 0},
                      .ndim = 1,
                      .dtype = {TILE_RT_DL_INT, 32, 1},
                      .shape = shape};
  TileRtDLTensor y = x;
  y.data = out;
  TileRtArgument arguments[] = {tile_rt_argument_tensor(&x),
                                tile_rt_argument_tensor(&y)};
  require(tile_rt_launch(kernel, arguments, 2, NULL, &error), "launch", &error);
  for (int i = 0; i < 5; ++i)
    if (out[i] != i + 1 + k) {
      fprintf(stderr, "kernel %d: expected %d, got %d\n", k, i + 1 + k, out[i]);
      exit(1);
    }
  tile_rt_kernel_unload(kernel);
}

static void *work(void *first) {
  TileRtError error;
  for (int k = *(int *)first; k < kernels; k += threads) {
    TileCompilerModule *module = parse(k, &error);
    require(module, "parse", &error);
    TileCompilerArtifact *artifact =
        tileCompilerCompile(compiler, module, "cpu", &error);
    require(artifact, "compile", &error);
    run(artifact, k);
    require(tileCompilerArtifactDestroy(artifact, &error) &&
                tileCompilerModuleDestroy(module, &error),
            "destroy", &error);
  }
  return NULL;
}

static void say(const TileCompilerDiagnostic *d, void *data) {
  (void)data;
  fprintf(stderr, "%s\n", d->message);
}

int main(int argc, char **argv) {
  TileRtError error;
  pthread_t ids[64];
  int firsts[64];
  kernels = argc > 2 ? atoi(argv[1]) : 1;
  threads = argc > 2 ? atoi(argv[2]) : 1;
  compiler = tileCompilerCreate(TILE_C_API_VERSION, &error);
  require(compiler && threads >= 1 && threads <= 64, "create", &error);
  require(tileCompilerSetDiagnosticHandler(compiler, say, NULL, &error),
          "handler", &error);
  if (argc > 3)
    require(tileCompilerSetOption(compiler, "cache", argv[3], &error), "cache",
            &error);
  for (int i = 0; i < threads; ++i) {
    firsts[i] = i;
    if (pthread_create(&ids[i], NULL, work, &firsts[i]) != 0)
      return 1;
  }
  for (int i = 0; i < threads; ++i)
    pthread_join(ids[i], NULL);
  require(tileCompilerDestroy(compiler, &error), "destroy", &error);
  printf("%d kernels on %d threads\n", kernels, threads);
  return 0;
}
