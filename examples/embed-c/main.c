/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Makes a kernel op by op, y = 2 x over tiles of 64 elements, compiles it for
 * two targets, and runs it on the CPU.
 *
 * usage: embed-c [SECOND_TARGET]
 */
#include "Tile-c/CompilerIR.h"
#include "Tile-c/Dialects.h"
#include "Tile-c/Ops.h"
#include "TileRuntime/Launch.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdio.h>
#include <stdlib.h>

static TileRtError error;

static void require(bool good, const char *what) {
  if (good)
    return;
  fprintf(stderr, "%s: %s\n", what, error.message);
  exit(1);
}

static MlirStringRef str(const char *text) {
  return mlirStringRefCreateFromCString(text);
}

static MlirOperation result(MlirOperation op) {
  require(!mlirOperationIsNull(op), "an op was refused");
  return op;
}

/// An op without attributes, with one result if `type` is not null.
static MlirValue append(MlirBlock block, const char *name, MlirLocation loc,
                        intptr_t count, const MlirValue *operands,
                        MlirType type) {
  MlirOperationState state = mlirOperationStateGet(str(name), loc);
  mlirOperationStateAddOperands(&state, count, operands);
  if (!mlirTypeIsNull(type))
    mlirOperationStateAddResults(&state, 1, &type);
  MlirOperation op = mlirOperationCreate(&state);
  mlirBlockAppendOwnedOperation(block, op);
  return mlirTypeIsNull(type) ? (MlirValue){NULL}
                              : mlirOperationGetResult(op, 0);
}

/// func.func @twice(%x, %y) of 256 elements; returns its body.
static MlirBlock makeFunction(MlirModule module, MlirLocation loc,
                              MlirType type) {
  MlirContext ctx = mlirModuleGetContext(module);
  MlirType inputs[] = {type, type};
  // The runtime's messages name the arguments so.
  MlirLocation locs[] = {mlirLocationNameGet(ctx, str("x"), loc),
                         mlirLocationNameGet(ctx, str("y"), loc)};
  MlirNamedAttribute attributes[] = {
      mlirNamedAttributeGet(mlirIdentifierGet(ctx, str("sym_name")),
                            mlirStringAttrGet(ctx, str("twice"))),
      mlirNamedAttributeGet(
          mlirIdentifierGet(ctx, str("function_type")),
          mlirTypeAttrGet(mlirFunctionTypeGet(ctx, 2, inputs, 0, NULL)))};
  MlirRegion region = mlirRegionCreate();
  MlirBlock body = mlirBlockCreate(2, inputs, locs);
  mlirRegionAppendOwnedBlock(region, body);
  MlirOperationState state = mlirOperationStateGet(str("func.func"), loc);
  mlirOperationStateAddAttributes(&state, 2, attributes);
  mlirOperationStateAddOwnedRegions(&state, 1, &region);
  mlirBlockAppendOwnedOperation(mlirModuleGetBody(module),
                                mlirOperationCreate(&state));
  return body;
}

static MlirModule makeModule(MlirContext ctx) {
  MlirLocation loc = mlirLocationUnknownGet(ctx);
  MlirModule module = mlirModuleCreateEmpty(loc);
  MlirType f32 = mlirF32TypeGet(ctx), none = {NULL};
  int64_t whole = 256, part = 64;
  MlirType buffer =
      mlirMemRefTypeContiguousGet(f32, 1, &whole, mlirAttributeGetNull());
  MlirType tile = mlirMemRefTypeContiguousGet(
      f32, 1, &part,
      mlirTileMemorySpaceAttrGet(ctx, MlirTileMemorySpaceShared));
  MlirBlock function = makeFunction(module, loc, buffer);
  MlirTileSize blocks = mlirTileSizeGet(whole / part);
  MlirBlock kernel = mlirTileOpGetBody(
      result(mlirTileKernelAppend(function, loc, 1, &blocks, 64)));
  append(function, "func.return", loc, 0, NULL, none);

  // copy x[64 b] to the tile, double it, copy it to y[64 b]
  MlirValue b = mlirBlockGetArgument(kernel, 0);
  MlirValue t =
      mlirOperationGetResult(result(mlirTileAllocAppend(kernel, loc, tile)), 0);
  MlirAffineExpr offset = mlirAffineMulExprGet(
      mlirAffineDimExprGet(ctx, 0), mlirAffineConstantExprGet(ctx, part));
  MlirTileRegion from =
      mlirTileRegionGetWhole(mlirBlockGetArgument(function, 0));
  from.offsets = mlirAffineMapGet(ctx, 1, 0, 1, &offset);
  from.operandCount = 1;
  from.operands = &b;
  MlirTileRegion to = from;
  to.buffer = mlirBlockGetArgument(function, 1);
  result(mlirTileCopyAppend(kernel, loc, from, mlirTileRegionGetWhole(t),
                            mlirAttributeGetNull()));
  MlirTileSize extent = mlirTileSizeGet(part);
  MlirBlock body = mlirTileOpGetBody(
      result(mlirTileParallelAppend(kernel, loc, 1, &extent)));
  MlirValue at[] = {t, mlirBlockGetArgument(body, 0)};
  MlirValue v = append(body, "memref.load", loc, 2, at, f32);
  MlirValue sum = append(body, "arith.addf", loc, 2, (MlirValue[]){v, v}, f32);
  append(body, "memref.store", loc, 3, (MlirValue[]){sum, at[0], at[1]}, none);
  result(mlirTileCopyAppend(kernel, loc, mlirTileRegionGetWhole(t), to,
                            mlirAttributeGetNull()));
  return module;
}

static void run(TileCompilerArtifact *artifact) {
  size_t size = 0;
  const TileRtMetadata *metadata =
      tileCompilerArtifactGetMetadata(artifact, 0, &error);
  const void *image = tileCompilerArtifactGetImage(artifact, 0, &size, &error);
  require(metadata && image, "image");
  TileRtKernel *kernel =
      tile_rt_kernel_load(tile_rt_cpu_device(), image, size, metadata, &error);
  require(kernel, "load");
  static float in[256], out[256];
  for (int i = 0; i < 256; ++i)
    in[i] = (float)i;
  int64_t shape[] = {256};
  TileRtDLTensor x = {.data = in,
                      .device = {TILE_RT_DL_CPU, 0},
                      .ndim = 1,
                      .dtype = {TILE_RT_DL_FLOAT, 32, 1},
                      .shape = shape};
  TileRtDLTensor y = x;
  y.data = out;
  TileRtArgument arguments[] = {tile_rt_argument_tensor(&x),
                                tile_rt_argument_tensor(&y)};
  require(tile_rt_launch(kernel, arguments, 2, NULL, &error), "launch");
  for (int i = 0; i < 256; ++i)
    if (out[i] != 2 * in[i])
      require(false, "wrong result");
  tile_rt_kernel_unload(kernel);
  printf("ran @%s on the CPU: y[255] = %g\n", metadata->kernel, out[255]);
}

int main(int argc, char **argv) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mlirTileRegisterAllDialects(registry);
  MlirContext ctx = mlirContextCreateWithRegistry(registry, false);
  mlirDialectRegistryDestroy(registry);
  mlirContextLoadAllAvailableDialects(ctx);
  MlirModule ir = makeModule(ctx);

  TileCompiler *compiler = tileCompilerCreate(TILE_C_API_VERSION, &error);
  require(compiler, "compiler");
  TileCompilerModule *module = tileCompilerModuleFromIR(compiler, ir, &error);
  require(module, "module");
  mlirModuleDestroy(ir);
  mlirContextDestroy(ctx);

  const char *targets[] = {"cpu", argc > 1 ? argv[1] : "cpu:x86-64-v3"};
  for (int i = 0; i < 2; ++i) {
    TileCompilerArtifact *artifact =
        tileCompilerCompile(compiler, module, targets[i], &error);
    require(artifact, targets[i]);
    size_t size = 0;
    require(tileCompilerArtifactGetCode(artifact, 0, NULL, &size, &error),
            "code");
    printf("%s: %s of %zu bytes for %s\n", targets[i],
           tileCompilerArtifactGetKind(artifact, 0, 0), size,
           tileCompilerArtifactGetMetadata(artifact, 0, &error)->chip);
    if (i == 0)
      run(artifact);
    tileCompilerArtifactDestroy(artifact, NULL);
  }
  tileCompilerModuleDestroy(module, NULL);
  tileCompilerDestroy(compiler, NULL);
  return 0;
}
