/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Builds a kernel, op by op, prints and lowers it; then gives each builder what
 * it must refuse. ir.test holds what is expected.
 */
#include "Tile-c/Attributes.h"
#include "Tile-c/Decisions.h"
#include "Tile-c/Dialects.h"
#include "Tile-c/Ops.h"
#include "Tile-c/Passes.h"
#include "Tile-c/Targets.h"
#include "Tile-c/Types.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "mlir-c/Diagnostics.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static MlirStringRef str(const char *text) {
  return mlirStringRefCreateFromCString(text);
}

static void printText(MlirStringRef text, void *stream) {
  fwrite(text.data, 1, text.length, stream);
}

static MlirLogicalResult printError(MlirDiagnostic diagnostic, void *data) {
  (void)data;
  printf("error: ");
  mlirDiagnosticPrint(diagnostic, printText, stdout);
  printf("\n");
  return mlirLogicalResultSuccess();
}

typedef struct Types {
  MlirType tile, sum, buffer, f32;
} Types;

static MlirType memref(MlirType element, int64_t m, int64_t n,
                       MlirAttribute space) {
  int64_t shape[] = {m, n};
  return mlirMemRefTypeContiguousGet(element, 2, shape, space);
}

static Types makeTypes(MlirContext ctx) {
  Types t;
  MlirType f16 = mlirF16TypeGet(ctx);
  t.f32 = mlirF32TypeGet(ctx);
  t.tile = memref(f16, 64, 64,
                  mlirTileMemorySpaceAttrGet(ctx, MlirTileMemorySpaceShared));
  t.sum = memref(t.f32, 64, 64,
                 mlirTileMemorySpaceAttrGet(ctx, MlirTileMemorySpaceFragment));
  t.buffer = memref(f16, 256, 256, mlirAttributeGetNull());
  return t;
}

static MlirValue result(MlirOperation op) {
  if (mlirOperationIsNull(op)) {
    printf("an op was refused\n");
    exit(1);
  }
  return mlirOperationGetNumResults(op) ? mlirOperationGetResult(op, 0)
                                        : (MlirValue){NULL};
}

static MlirValue append(MlirBlock block, MlirOperation op) {
  mlirBlockAppendOwnedOperation(block, op);
  return result(op);
}

static MlirValue zero(MlirBlock block, MlirLocation loc, MlirType type) {
  MlirNamedAttribute value = mlirNamedAttributeGet(
      mlirIdentifierGet(mlirLocationGetContext(loc), str("value")),
      mlirFloatAttrDoubleGet(mlirLocationGetContext(loc), type, 0.0));
  MlirOperationState state = mlirOperationStateGet(str("arith.constant"), loc);
  mlirOperationStateAddResults(&state, 1, &type);
  mlirOperationStateAddAttributes(&state, 1, &value);
  return append(block, mlirOperationCreate(&state));
}

/// "%buffer[%p * 64, %q * 64]".
static MlirTileRegion tileAt(MlirValue buffer, const MlirValue *operands) {
  MlirContext ctx = mlirTypeGetContext(mlirValueGetType(buffer));
  MlirAffineExpr exprs[2];
  for (int i = 0; i < 2; ++i)
    exprs[i] = mlirAffineMulExprGet(mlirAffineDimExprGet(ctx, i),
                                    mlirAffineConstantExprGet(ctx, 64));
  MlirTileRegion region = mlirTileRegionGetWhole(buffer);
  region.offsets = mlirAffineMapGet(ctx, 2, 0, 2, exprs);
  region.operandCount = 2;
  region.operands = operands;
  return region;
}

/// func.func @NAME(%a, %b, %c); returns its body.
static MlirBlock makeFunction(MlirModule module, const char *name, Types t) {
  MlirContext ctx = mlirModuleGetContext(module);
  MlirLocation loc = mlirLocationUnknownGet(ctx);
  MlirType inputs[] = {t.buffer, t.buffer, t.buffer};
  MlirLocation locs[] = {loc, loc, loc};
  MlirNamedAttribute attrs[] = {
      mlirNamedAttributeGet(mlirIdentifierGet(ctx, str("sym_name")),
                            mlirStringAttrGet(ctx, str(name))),
      mlirNamedAttributeGet(
          mlirIdentifierGet(ctx, str("function_type")),
          mlirTypeAttrGet(mlirFunctionTypeGet(ctx, 3, inputs, 0, NULL)))};
  MlirRegion region = mlirRegionCreate();
  MlirBlock body = mlirBlockCreate(3, inputs, locs);
  mlirRegionAppendOwnedBlock(region, body);
  MlirOperationState state = mlirOperationStateGet(str("func.func"), loc);
  mlirOperationStateAddAttributes(&state, 2, attrs);
  mlirOperationStateAddOwnedRegions(&state, 1, &region);
  append(mlirModuleGetBody(module), mlirOperationCreate(&state));
  return body;
}

static void buildGemm(MlirModule module, Types t) {
  MlirLocation loc = mlirLocationUnknownGet(mlirModuleGetContext(module));
  MlirBlock function = makeFunction(module, "gemm", t);
  MlirTileSize four[] = {mlirTileSizeGet(4), mlirTileSizeGet(4)};
  MlirOperation kernel = mlirTileKernelAppend(function, loc, 2, four, 128);
  result(kernel);
  MlirOperationState ret = mlirOperationStateGet(str("func.return"), loc);
  append(function, mlirOperationCreate(&ret));

  MlirBlock block = mlirTileOpGetBody(kernel);
  MlirValue bx = mlirBlockGetArgument(block, 0);
  MlirValue by = mlirBlockGetArgument(block, 1);
  MlirValue as = result(mlirTileAllocAppend(block, loc, t.tile));
  MlirValue bs = result(mlirTileAllocAppend(block, loc, t.tile));
  MlirValue sum = result(mlirTileAllocAppend(block, loc, t.sum));
  result(mlirTileFillAppend(block, loc, sum, zero(block, loc, t.f32)));
  MlirOperation loop =
      mlirTilePipelinedAppend(block, loc, mlirTileSizeGet(0),
                              mlirTileSizeGet(4), mlirTileSizeGet(1), 2);
  result(loop);
  MlirBlock inner = mlirTileOpGetBody(loop);
  MlirValue k = mlirBlockGetArgument(inner, 0);
  result(mlirTileCopyAppend(
      inner, loc,
      tileAt(mlirBlockGetArgument(function, 0), (MlirValue[]){by, k}),
      mlirTileRegionGetWhole(as), mlirAttributeGetNull()));
  result(mlirTileCopyAppend(
      inner, loc,
      tileAt(mlirBlockGetArgument(function, 1), (MlirValue[]){k, bx}),
      mlirTileRegionGetWhole(bs), mlirAttributeGetNull()));
  MlirTileGemmOptions options = {.policy = MlirTileWarpPolicyFullRow};
  result(mlirTileGemmAppend(inner, loc, as, bs, sum, &options));
  result(mlirTileCopyAppend(
      block, loc, mlirTileRegionGetWhole(sum),
      tileAt(mlirBlockGetArgument(function, 2), (MlirValue[]){by, bx}),
      mlirAttributeGetNull()));
}

/// The eight largest of each row of a tile, twice.
static void buildTopK(MlirModule module, Types t) {
  MlirContext ctx = mlirModuleGetContext(module);
  MlirLocation loc = mlirLocationUnknownGet(ctx);
  MlirBlock function = makeFunction(module, "topk", t);
  MlirTileSize two = mlirTileSizeGet(2);
  MlirOperation kernel = mlirTileKernelAppend(function, loc, 1, &two, 128);
  result(kernel);
  MlirOperationState ret = mlirOperationStateGet(str("func.return"), loc);
  append(function, mlirOperationCreate(&ret));

  MlirBlock block = mlirTileOpGetBody(kernel);
  MlirAttribute shared =
      mlirTileMemorySpaceAttrGet(ctx, MlirTileMemorySpaceShared);
  int64_t shape[] = {64, 8};
  MlirType values =
      mlirMemRefTypeContiguousGet(mlirF16TypeGet(ctx), 2, shape, shared);
  MlirType places = mlirMemRefTypeContiguousGet(mlirIntegerTypeGet(ctx, 32), 2,
                                                shape, shared);
  MlirValue source = result(mlirTileAllocAppend(block, loc, t.tile));
  MlirValue best = result(mlirTileAllocAppend(block, loc, values));
  MlirValue at = result(mlirTileAllocAppend(block, loc, places));
  MlirValue id = mlirBlockGetArgument(block, 0);
  result(mlirTileCopyAppend(
      block, loc, tileAt(mlirBlockGetArgument(function, 0), (MlirValue[]){id, id}),
      mlirTileRegionGetWhole(source), mlirAttributeGetNull()));
  result(mlirTileTopKAppend(block, loc, source, best, at, (MlirValue){NULL},
                            false));
  result(mlirTileTopKAppend(block, loc, source, best, at, id, true));
}

static void refuse(const char *what, MlirOperation op) {
  printf("%s: %s\n", what, mlirOperationIsNull(op) ? "refused" : "accepted");
}

static void misuse(MlirContext ctx, Types t) {
  MlirLocation loc = mlirLocationUnknownGet(ctx);
  MlirModule module = mlirModuleCreateEmpty(loc);
  MlirBlock f = makeFunction(module, "f", t);
  MlirValue a = mlirBlockGetArgument(f, 0), null = {NULL};
  MlirTileSize sizes[] = {mlirTileSizeGet(1), mlirTileSizeGet(-1)};
  MlirTileSize value[] = {mlirTileSizeGetValue(a)};
  MlirTileRegion region = tileAt(a, NULL);
  region.operandCount = 1;
  refuse("threads", mlirTileKernelAppend(f, loc, 1, sizes, 4096));
  refuse("grid", mlirTileKernelAppend(f, loc, 2, sizes, 128));
  refuse("no grid", mlirTileKernelAppend(f, loc, 2, NULL, 128));
  refuse("no index", mlirTileParallelAppend(f, loc, 1, value));
  refuse("no memref", mlirTileAllocAppend(f, loc, t.f32));
  refuse("null", mlirTileFillAppend(f, loc, a, null));
  refuse("operands",
         mlirTileCopyAppend(f, loc, region, region, mlirAttributeGetNull()));
  refuse("prefer",
         mlirTileCopyAppend(
             f, loc, mlirTileRegionGetWhole(a), mlirTileRegionGetWhole(a),
             mlirTileMemorySpaceAttrGet(ctx, MlirTileMemorySpaceShared)));
  refuse("no kernel", mlirTileAllocAppend(f, loc, t.tile));
  refuse("no block",
         mlirTileKernelAppend((MlirBlock){NULL}, loc, 1, sizes, 128));
  refuse("gemm", mlirTileGemmAppend(f, loc, a, a, a, NULL));
  refuse("kind",
         mlirTileReduceAppend(f, loc, (MlirTileReduceKind)99, a, a, 0, NULL));
  refuse("scan", mlirTileScanAppend(f, loc, MlirTileScanKindSum, a, a, 7, false,
                                    false));
  refuse("topk", mlirTileTopKAppend(f, loc, a, a, a, null, false));
  refuse("base", mlirTileTopKAppend(f, loc, a, a, a, a, true));
  refuse("atomic",
         mlirTileAtomicAppend(f, loc, MlirTileAtomicKindOr, null,
                              mlirTileRegionGetWhole(a), false, true));
  printf("left behind: %d\n",
         !mlirOperationIsNull(mlirBlockGetFirstOperation(f)));
  mlirModuleDestroy(module);
}

static void attributes(MlirContext ctx) {
  MlirLocation loc = mlirLocationUnknownGet(ctx);
  MlirAttribute layout = mlirTileLayoutAttrGetChecked(
      loc, str("[16: 2 reg*2, 8 lane*4][8: 4 lane, 2 reg]"));
  int64_t at[] = {9, 5}, position[MLIR_TILE_AXIS_COUNT];
  if (!mlirTileLayoutAttrGetPosition(layout, 2, at, position))
    return;
  printf("layout %" PRIdPTR " of %" PRId64 "x%" PRId64 ", lanes %" PRId64
         ": element 9, 5 in reg %" PRId64 " of lane %" PRId64 "\n",
         mlirTileLayoutAttrGetRank(layout),
         mlirTileLayoutAttrGetDimSize(layout, 0),
         mlirTileLayoutAttrGetDimSize(layout, 1),
         mlirTileLayoutAttrGetAxisSize(layout, MlirTileAxisLane),
         position[MlirTileAxisReg], position[MlirTileAxisLane]);
  printf("no layout: %d\n", mlirAttributeIsNull(mlirTileLayoutAttrGetChecked(
                                loc, str("[16: 3 reg]"))));
  MlirAttribute target = mlirTileTargetAttrGetChecked(loc, str("sm_90a"));
  MlirStringRef chip = mlirTileTargetAttrGetChip(target);
  printf("target %.*s\n", (int)chip.length, chip.data);
  printf("no target: %d\n",
         mlirAttributeIsNull(mlirTileTargetAttrGetChecked(loc, str("sm_99"))));
  MlirTileMemorySpace space = MlirTileMemorySpaceGlobal;
  bool known = mlirTileMemorySpaceFromString(str("l0c"), &space);
  printf("space %d %d, %d\n", known, space == MlirTileMemorySpaceL0C,
         mlirTileMemorySpaceFromString(str("l9"), &space));
  printf("kind null: %d\n", mlirAttributeIsNull(mlirTileReduceKindAttrGet(
                                ctx, (MlirTileReduceKind)99)));
  MlirTileMma wgmma = {MlirTileInstructionWGMMA, 64, 128, 16, 8, 1};
  MlirAttribute mma = mlirTileMmaAttrGetChecked(loc, wgmma);
  wgmma = mlirTileMmaAttrGetValue(mma);
  printf("mma %" PRId64 "x%" PRId64 "x%" PRId64 " of %" PRId64 " warps: ",
         wgmma.m, wgmma.n, wgmma.k, wgmma.warpsM);
  mlirAttributePrint(mma, printText, stdout);
  printf("\n");
  wgmma.family = MlirTileInstructionTMA;
  printf("no mma: %d\n",
         mlirAttributeIsNull(mlirTileMmaAttrGetChecked(loc, wgmma)));
  MlirTileTransfer async = {MlirTileInstructionCpAsync, 16};
  async =
      mlirTileTransferAttrGetValue(mlirTileTransferAttrGetChecked(loc, async));
  printf("transfer of %" PRId64 " bytes\n", async.bytes);
  MlirType pipeline = mlirTilePipelineTypeGetChecked(loc, 3);
  printf("pipeline %d of %" PRId64 "\n", mlirTileTypeIsAPipeline(pipeline),
         mlirTilePipelineTypeGetStages(pipeline));
  printf("no pipeline: %d\n", mlirTypeIsNull(mlirTilePipelineTypeGetChecked(loc, -1)));
  TileChip about = {.structSize = sizeof(about)};
  if (tileChipFind("sm_90a", &about))
    printf("chip %s of %s, %" PRId64 " bytes shared, %d known\n", about.name,
           about.vendor, about.sharedBytesPerBlock, tileChipCount() > 10);
}

static int lower(MlirModule module, const char *pipeline) {
  MlirPassManager pm = mlirPassManagerCreate(mlirModuleGetContext(module));
  MlirLogicalResult result = mlirOpPassManagerAddPipeline(
      mlirPassManagerGetAsOpPassManager(pm), str(pipeline), printText, stdout);
  if (mlirLogicalResultIsSuccess(result))
    result = mlirPassManagerRunOnOp(pm, mlirModuleGetOperation(module));
  mlirPassManagerDestroy(pm);
  return mlirLogicalResultIsSuccess(result);
}

int main(void) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mlirTileRegisterAllDialects(registry);
  MlirContext ctx = mlirContextCreateWithRegistry(registry, false);
  mlirDialectRegistryDestroy(registry);
  mlirDialectHandleLoadDialect(mlirGetDialectHandle__tile__(), ctx);
  mlirContextGetOrLoadDialect(ctx, str("func"));
  mlirContextAttachDiagnosticHandler(ctx, printError, NULL, NULL);
  mlirTileRegisterPasses();
  mlirTileRegisterPasses();

  Types types = makeTypes(ctx);
  MlirModule module = mlirModuleCreateEmpty(mlirLocationUnknownGet(ctx));
  buildGemm(module, types);
  buildTopK(module, types);
  MlirOperation op = mlirModuleGetOperation(module);
  printf("verified: %d\n", mlirOperationVerify(op));
  mlirOperationPrint(op, printText, stdout);
  printf("\nlowered: %d\n",
         lower(module, "tile-to-cpu-pipeline{threads=false}"));
  mlirOperationPrint(op, printText, stdout);
  printf("\nunknown pass: %d\n", lower(module, "no-such-pass"));
  mlirModuleDestroy(module);

  misuse(ctx, types);
  attributes(ctx);
  mlirContextDestroy(ctx);
  return 0;
}
