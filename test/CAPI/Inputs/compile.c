/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Compiles a kernel from text, runs it on the CPU, and compares; then calls
 * everything wrongly. compile.test holds what is expected.
 *
 * usage: compile CACHE_FOLDER
 */
#include "Tile-c/Compiler.h"
#include "TileRuntime/Launch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char source[] =
    "func.func @scale(%x: memref<?x?xf32> {tile.shape = \"MxN\"},\n"
    "                 %y: memref<?x?xf32> {tile.shape = \"MxN\"}, %by: f32) {\n"
    "  %c0 = arith.constant 0 : index\n"
    "  %c1 = arith.constant 1 : index\n"
    "  %m = memref.dim %x, %c0 : memref<?x?xf32>\n"
    "  %n = memref.dim %x, %c1 : memref<?x?xf32>\n"
    "  %rows = arith.ceildivui %m, %c1 : index\n"
    "  tile.kernel (%b) in (%rows) {\n"
    "    %cols = arith.ceildivui %n, %c1 : index\n"
    "    tile.parallel (%i) in (%cols) {\n"
    "      %v = memref.load %x[%b, %i] : memref<?x?xf32>\n"
    "      %w = arith.mulf %v, %by : f32\n"
    "      memref.store %w, %y[%b, %i] : memref<?x?xf32>\n"
    "    }\n"
    "  }\n"
    "  return\n"
    "}\n";

static TileRtError error;

static void require(bool good, const char *what) {
  if (good)
    return;
  printf("%s: %s\n", what, error.message);
  exit(1);
}

static void refuse(const char *what, bool result) {
  printf("%s: %s\n", what, result ? "accepted" : error.message);
  error.message[0] = 0;
}

static void onDiagnostic(const TileCompilerDiagnostic *d, void *data) {
  static const char *const severities[] = {"error", "warning", "remark",
                                           "note"};
  ++*(int *)data;
  printf("handler: %s:%" PRId64 ":%" PRId64 ": %s: %s", d->file, d->line,
         d->column, severities[d->severity], d->message);
  if (*d->remark)
    printf(" (%s, %s of %s)", d->outcome, d->remark, d->category);
  printf("\n");
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

typedef struct Call {
  float in[6], out[6];
  int64_t shapeIn[2], shapeOut[2], strides[2];
  TileRtDLTensor x, y;
  TileRtArgument arguments[3];
} Call;

static void prepare(Call *c) {
  for (int i = 0; i < 6; ++i) {
    c->in[i] = (float)i;
    c->out[i] = -1;
  }
  c->shapeIn[0] = c->shapeOut[0] = 2;
  c->shapeIn[1] = c->shapeOut[1] = 3;
  c->strides[0] = 3;
  c->strides[1] = 1;
  c->x = (TileRtDLTensor){.data = c->in,
                          .device = {TILE_RT_DL_CPU, 0},
                          .ndim = 2,
                          .dtype = {TILE_RT_DL_FLOAT, 32, 1},
                          .shape = c->shapeIn,
                          .strides = c->strides};
  c->y = c->x;
  c->y.data = c->out;
  c->y.shape = c->shapeOut;
  c->arguments[0] = tile_rt_argument_tensor(&c->x);
  c->arguments[1] = tile_rt_argument_tensor(&c->y);
  c->arguments[2] = tile_rt_argument_float(TILE_RT_F32, 0.5);
}

static bool launch(TileRtKernel *kernel, Call *c) {
  return tile_rt_launch(kernel, c->arguments, 3, NULL, &error);
}

static void misuseLaunch(TileRtKernel *kernel) {
  Call c;
  prepare(&c);
  refuse("count", tile_rt_launch(kernel, c.arguments, 2, NULL, &error));
  refuse("no arguments", tile_rt_launch(kernel, NULL, 3, NULL, &error));
  c.x.data = NULL;
  refuse("null", launch(kernel, &c));
  prepare(&c);
  c.arguments[0].tensor = NULL;
  refuse("null tensor", launch(kernel, &c));
  prepare(&c);
  c.x.dtype.bits = 16;
  refuse("dtype", launch(kernel, &c));
  prepare(&c);
  c.arguments[2] = tile_rt_argument_integer(TILE_RT_I32, 1);
  refuse("scalar", launch(kernel, &c));
  prepare(&c);
  c.y.ndim = 1;
  refuse("rank", launch(kernel, &c));
  prepare(&c);
  c.shapeOut[1] = 2;
  refuse("shape", launch(kernel, &c));
  prepare(&c);
  c.strides[0] = 1;
  c.strides[1] = 2;
  refuse("stride", launch(kernel, &c));
  prepare(&c);
  c.x.byte_offset = 2;
  refuse("alignment", launch(kernel, &c));
  prepare(&c);
  c.x.device = (TileRtDLDevice){TILE_RT_DL_CUDA, 3};
  refuse("device", launch(kernel, &c));
  prepare(&c);
  c.y.shape = NULL;
  refuse("no shape", launch(kernel, &c));
  refuse("no kernel", launch(NULL, &c));
}

static void run(TileCompilerArtifact *artifact) {
  const TileRtMetadata *metadata =
      tileCompilerArtifactGetMetadata(artifact, 0, &error);
  require(metadata, "metadata");
  printf("kernel %s of %d arguments: %s, %s, %s\n", metadata->kernel,
         metadata->argumentCount, metadata->arguments[0].name,
         metadata->arguments[1].name, metadata->arguments[2].name);
  size_t size = 0;
  const void *image = tileCompilerArtifactGetImage(artifact, 0, &size, &error);
  require(image, "image");
  TileRtKernel *kernel =
      tile_rt_kernel_load(tile_rt_cpu_device(), image, size, metadata, &error);
  require(kernel, "load");
  Call c;
  prepare(&c);
  require(launch(kernel, &c), "launch");
  for (int i = 0; i < 6; ++i)
    printf("%g ", c.out[i]);
  printf("\n");
  misuseLaunch(kernel);
  tile_rt_kernel_unload(kernel);
  refuse("unloaded", launch(kernel, &c));
}

//===----------------------------------------------------------------------===//
// The compiler
//===----------------------------------------------------------------------===//

static void cache(TileCompiler *compiler, TileCompilerModule *module,
                  const char *folder) {
  require(tileCompilerSetOption(compiler, "cache", folder, &error), "cache");
  for (int i = 0; i < 3; ++i) {
    if (i == 2)
      require(tileCompilerSetOption(compiler, "opt-level", "1", &error),
              "level");
    TileCompilerArtifact *artifact =
        tileCompilerCompile(compiler, module, "cpu", &error);
    require(artifact, "compile");
    printf("cached: %d\n", tileCompilerArtifactIsCached(artifact));
    size_t size = 0;
    require(tileCompilerArtifactGetImage(artifact, 0, &size, &error), "image");
    require(tileCompilerArtifactDestroy(artifact, &error), "destroy");
  }
  // No cache is no reason to lose a result.
  require(tileCompilerSetOption(compiler, "cache", "/dev/null/x", &error),
          "cache");
  TileCompilerArtifact *artifact =
      tileCompilerCompile(compiler, module, "cpu", &error);
  require(artifact, "compile");
  tileCompilerArtifactDestroy(artifact, &error);
  tileCompilerSetOption(compiler, "cache", "", &error);
}

static void misuse(TileCompiler *compiler, TileCompilerModule *module,
                   TileCompilerArtifact *artifact) {
  static const char bad[] = "func.func @f(%x: memref<4xf32>) {\n"
                            "  tile.kernel (%b) in (1) threads(4096) {}\n"
                            "  return\n"
                            "}\n";
  // LLVM's code generator gives up, by what would end the process.
  static const char foreign[] =
      "func.func @f(%x: memref<4xf32>) {\n"
      "  tile.kernel (%b) in (1) threads(4) {\n"
      "    tile.parallel (%i) in (4) {\n"
      "      %v = memref.load %x[%i] : memref<4xf32>\n"
      "      %w = llvm.call_intrinsic \"llvm.amdgcn.rcp.f32\"(%v) : (f32) -> "
      "f32\n"
      "      memref.store %w, %x[%i] : memref<4xf32>\n"
      "    }\n"
      "  }\n"
      "  return\n"
      "}\n";
  static const char idle[] = "func.func @f() { return }";
  size_t size = 0;
  int local = 0;
  refuse("version", tileCompilerCreate(7u << 16, &error));
  refuse("newer", tileCompilerCreate(TILE_C_API_VERSION + 1, &error));
  refuse("null compiler", tileCompilerCompile(NULL, module, "cpu", &error));
  refuse("null module", tileCompilerCompile(compiler, NULL, "cpu", &error));
  refuse("stack", tileCompilerSetOption((TileCompiler *)&local, "threads",
                                        "true", &error));
  refuse("kind",
         tileCompilerCompile((TileCompiler *)module, module, "cpu", &error));
  refuse("target", tileCompilerCompile(compiler, module, "tpu", &error));
  refuse("chip", tileCompilerCompile(compiler, module, "cpu:z80", &error));
  refuse("option", tileCompilerSetOption(compiler, "speed", "9", &error));
  refuse("value", tileCompilerSetOption(compiler, "opt-level", "9", &error));
  refuse("limit", tileCompilerSetOption(compiler, "cache-limit", "-1", &error));
  refuse("null value",
         tileCompilerSetOption(compiler, "opt-level", NULL, &error));
  refuse("no bytes",
         tileCompilerModuleParse(compiler, NULL, 4, "x.mlir", &error));
  refuse("source", tileCompilerModuleParse(compiler, bad, strlen(bad),
                                           "bad.mlir", &error));
  refuse("syntax", tileCompilerModuleParse(compiler, "func", 4, NULL, &error));
  for (int i = 0; i < 2; ++i) {
    TileCompilerModule *other = tileCompilerModuleParse(
        compiler, foreign, strlen(foreign), "foreign", &error);
    refuse("fatal", tileCompilerCompile(compiler, other, "cpu", &error));
    tileCompilerModuleDestroy(other, &error);
  }
  TileCompilerModule *empty =
      tileCompilerModuleParse(compiler, idle, strlen(idle), "idle", &error);
  refuse("no kernels", tileCompilerCompile(compiler, empty, "cpu", &error));
  tileCompilerModuleDestroy(empty, NULL);
  tileCompilerSetOption(compiler, "functions", "g", NULL);
  refuse("function", tileCompilerCompile(compiler, module, "cpu", &error));
  tileCompilerSetOption(compiler, "functions", "", NULL);
  tileCompilerSetOption(compiler, "emit", "cubin", NULL);
  refuse("emit", tileCompilerCompile(compiler, module, "cpu", &error));
  tileCompilerSetOption(compiler, "emit", "", NULL);
  refuse("code",
         tileCompilerArtifactGetCode(artifact, 0, "ptx", &size, &error));
  refuse("number", tileCompilerArtifactGetMetadataText(artifact, 1, &error));
}

int main(int argc, char **argv) {
  int diagnostics = 0;
  TileCompiler *compiler = tileCompilerCreate(TILE_C_API_VERSION, &error);
  require(compiler && argc == 2, "create");
  printf("version %s, targets: %s\n", tileCompilerGetVersion(),
         tileCompilerGetTargetName(0));
  require(tileCompilerSetOption(compiler, "emit", "asm,llvmir", &error),
          "emit");
  require(tileCompilerSetOption(compiler, "remarks", "tile-.*", &error),
          "remarks");
  require(tileCompilerSetDiagnosticHandler(compiler, onDiagnostic, &diagnostics,
                                           &error),
          "handler");
  TileCompilerModule *module = tileCompilerModuleParse(
      compiler, source, strlen(source), "scale.mlir", &error);
  require(module, "parse");
  TileCompilerArtifact *artifact =
      tileCompilerCompile(compiler, module, "cpu", &error);
  require(artifact, "compile");
  printf("%zu kernel, %s, %s\n", tileCompilerArtifactGetKernelCount(artifact),
         tileCompilerArtifactGetKind(artifact, 0, 0),
         tileCompilerArtifactGetKind(artifact, 0, 1));
  printf("%s", tileCompilerArtifactGetMetadataText(artifact, 0, &error));
  size_t size = 0;
  const char *ir =
      tileCompilerArtifactGetCode(artifact, 0, "llvmir", &size, &error);
  printf("ir: %d\n", ir && strstr(ir, "define") && strlen(ir) == size);
  require(tileCompilerSetOption(compiler, "remarks", "", &error), "remarks");
  run(artifact);
  cache(compiler, module, argv[1]);
  misuse(compiler, module, artifact);
  require(tileCompilerArtifactDestroy(artifact, &error), "destroy");
  refuse("twice", tileCompilerArtifactDestroy(artifact, &error));
  require(tileCompilerModuleDestroy(module, &error), "destroy");
  refuse("freed", tileCompilerCompile(compiler, module, "cpu", &error));
  require(tileCompilerDestroy(compiler, &error), "destroy");
  refuse("freed compiler", tileCompilerCancel(compiler, &error));
  return 0;
}
