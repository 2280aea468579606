//===- Describe.cpp - from kernels to the cost model ----------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Analysis/Bounds.h"
#include "Tile/CostModel/Describe.h"

#include "ScalarWork.h"

#include "Tile/Dialect/Tile/IR/Buffers.h"
#include "Tile/Dialect/Tile/IR/Tile.h"
#include "Tile/Dialect/Tile/IR/TileAttrs.h"
#include "Tile/Dialect/Tile/IR/TileTarget.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::tile;
using namespace ::tile::cost;
namespace target = ::tile::target;

namespace {
class ProgramBuilder {
public:
  explicit ProgramBuilder(FunctionOpInterface function)
      : program(std::make_unique<Program>()), numbers(function, program->exprs),
        function(function) {}

  FailureOr<std::unique_ptr<Program>> run();

private:
  LogicalResult addParameters();
  LogicalResult addKernel(KernelOp kernel);
  LogicalResult addBody(Block &block, std::vector<Step> &steps);
  LogicalResult addOp(Operation &op, std::vector<Step> &steps);
  LogicalResult addLoop(Operation &op, Expr trips, Block &body,
                        std::vector<Step> &steps);
  LogicalResult addFor(scf::ForOp loop, std::vector<Step> &steps);
  void addCopy(CopyOp copy, std::vector<Step> &steps);
  void addGemm(GemmOp gemm, std::vector<Step> &steps);
  void addReduce(ReduceOp reduce, std::vector<Step> &steps);
  LogicalResult addParallel(ParallelOp parallel, std::vector<Step> &steps);
  void addOther(TileAccessOpInterface op, std::vector<Step> &steps);

  int getBuffer(Value value);
  std::vector<Expr> getShape(Value value);
  Expr getElements(Value value);
  /// The trips of a loop, or an error at `op`.
  FailureOr<Expr> getTrips(Operation *op, ArrayRef<OpFoldResult> bounds);
  /// A clause like `stages`, a number or a parameter.
  Expr getClause(Operation *op, StringRef name, int64_t value);

  std::unique_ptr<Program> program;
  Numbers numbers;
  FunctionOpInterface function;
  Kernel *current = nullptr;
  DenseMap<Value, int> buffers;
};
} // namespace

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

std::vector<Expr> ProgramBuilder::getShape(Value value) {
  std::vector<Expr> shape;
  auto type = cast<MemRefType>(value.getType());
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    shape.push_back(
        numbers.findExtent(value, dim).value_or(program->exprs.constant(1)));
  return shape;
}

Expr ProgramBuilder::getElements(Value value) {
  Expr product = program->exprs.constant(1);
  for (Expr extent : getShape(value))
    product = program->exprs.make(ExprKind::Multiply, product, extent);
  return product;
}

int ProgramBuilder::getBuffer(Value value) {
  auto [it, isNew] = buffers.try_emplace(value, int(current->buffers.size()));
  if (!isNew)
    return it->second;
  Buffer &buffer = current->buffers.emplace_back();
  auto type = cast<MemRefType>(value.getType());
  MemorySpace space = getMemorySpace(type);
  buffer.level = space == MemorySpace::Global ? Level::Global
                 : space == MemorySpace::Fragment ||
                         space == MemorySpace::Local
                     ? Level::Register
                     : Level::Shared;
  buffer.bits = getElementBits(type);
  buffer.isView = !value.getDefiningOp<AllocOp>();
  buffer.shape = getShape(value);
  return it->second;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

Expr ProgramBuilder::getClause(Operation *op, StringRef name, int64_t value) {
  if (auto clauses = op->getAttrOfType<DictionaryAttr>(kParametersAttrName))
    if (auto parameter = clauses.getAs<FlatSymbolRefAttr>(name))
      return program->exprs.symbol(("@" + parameter.getValue()).str());
  return program->exprs.constant(value);
}

void ProgramBuilder::addCopy(CopyOp copy, std::vector<Step> &steps) {
  Step &step = steps.emplace_back();
  step.kind = Step::Copy;
  step.from = getBuffer(copy.getSource());
  step.to = getBuffer(copy.getTarget());
  bool fromGlobal = current->buffers[step.from].level == Level::Global;
  bool toGlobal = current->buffers[step.to].level == Level::Global;
  Value global = fromGlobal ? copy.getSource() : copy.getTarget();
  Value tile = fromGlobal ? copy.getTarget() : copy.getSource();
  auto sizes = fromGlobal ? copy.getSourceSizes() : copy.getTargetSizes();
  step.count = getElements(tile);
  if (!fromGlobal && !toGlobal)
    return;
  // Without sizes, the last dimensions are those of the tile.
  std::vector<Expr> shape = getShape(tile);
  int64_t rank = cast<MemRefType>(global.getType()).getRank();
  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t at = dim - (rank - int64_t(shape.size()));
    bool isGiven = sizes && !ShapedType::isDynamic((*sizes)[dim]);
    Expr size = isGiven   ? program->exprs.constant((*sizes)[dim])
                : at >= 0 ? shape[at]
                          : program->exprs.constant(1);
    step.dims.push_back({numbers.findExtent(global, dim).value_or(size), size});
  }
  for (Value index :
       fromGlobal ? copy.getSourceIndices() : copy.getTargetIndices())
    step.places |= numbers.findPlaces(index);
}

static target::MmaTypes getTypes(target::ElementType a, target::ElementType b,
                                 bool isTF32) {
  bool isInteger = a == target::ElementType::I8 || a == target::ElementType::I4;
  target::ElementType sums = isInteger ? target::ElementType::I32
                             : a == target::ElementType::F64
                                 ? target::ElementType::F64
                                 : target::ElementType::F32;
  if (isTF32)
    a = b = target::ElementType::TF32;
  return {a, b, sums};
}

void ProgramBuilder::addGemm(GemmOp gemm, std::vector<Step> &steps) {
  Step &step = steps.emplace_back();
  step.kind = Step::Gemm;
  step.a = getBuffer(gemm.getA());
  step.b = getBuffer(gemm.getB());
  step.c = getBuffer(gemm.getC());
  current->buffers[step.c].isAccumulator = true;
  const std::vector<Expr> &a = current->buffers[step.a].shape;
  step.m = a[gemm.getTransposeA() ? 1 : 0];
  step.k = a[gemm.getTransposeA() ? 0 : 1];
  step.n = current->buffers[step.b].shape[gemm.getTransposeB() ? 0 : 1];
  auto getElement = [](Value buffer) {
    return getElementType(cast<MemRefType>(buffer.getType()).getElementType());
  };
  auto aType = getElement(gemm.getA()), bType = getElement(gemm.getB());
  if (aType && bType)
    step.types =
        getTypes(*aType, *bType, gemm.getPrecision() == Precision::TF32);
  if (std::optional<Instruction> prefer = gemm.getPrefer()) {
    step.family = getMmaFamily(*prefer);
    step.scalarGemm = !step.family;
  }
}

void ProgramBuilder::addReduce(ReduceOp reduce, std::vector<Step> &steps) {
  Step &step = steps.emplace_back();
  step.kind = Step::Reduce;
  step.from = getBuffer(reduce.getSource());
  step.count = getElements(reduce.getSource());
  step.rows = getElements(reduce.getTarget());
}

LogicalResult ProgramBuilder::addParallel(ParallelOp parallel,
                                     std::vector<Step> &steps) {
  Step &step = steps.emplace_back();
  step.kind = Step::Scalar;
  step.count = program->exprs.constant(1);
  for (OpFoldResult extent : parallel.getMixedExtents()) {
    std::optional<Expr> number = numbers.find(extent);
    if (!number)
      return parallel.emitOpError("cannot be estimated: an extent is not "
                                  "computed from sizes and parameters");
    step.count =
        program->exprs.make(ExprKind::Multiply, step.count, *number);
  }
  step.work = countScalarWork(parallel);
  return success();
}

/// Whatever it does, it visits the elements of its tiles.
void ProgramBuilder::addOther(TileAccessOpInterface op, std::vector<Step> &steps) {
  SmallVector<Access> accesses;
  op.getAccesses(accesses);
  if (accesses.empty())
    return;
  Step &step = steps.emplace_back();
  step.kind = Step::Scalar;
  step.count = program->exprs.constant(1);
  for (const Access &access : accesses) {
    Value buffer = access.region.buffer;
    MemorySpace space = getMemorySpace(buffer);
    double bytes = double(getElementBits(buffer)) / 8;
    // The regions of global buffers are those of the tiles.
    if (space == MemorySpace::Global) {
      step.work.globalBytes += bytes;
      continue;
    }
    step.count =
        program->exprs.make(ExprKind::Max, step.count, getElements(buffer));
    step.work.arithmetic += 1;
    if (space == MemorySpace::Shared)
      step.work.sharedBytes += bytes;
  }
}

FailureOr<Expr> ProgramBuilder::getTrips(Operation *op,
                                    ArrayRef<OpFoldResult> bounds) {
  ExprGraph &exprs = program->exprs;
  Expr parts[3];
  for (unsigned i = 0; i < 3; ++i) {
    std::optional<Expr> number = numbers.find(bounds[i]);
    if (!number)
      return op->emitOpError("cannot be estimated: its trip count is not "
                             "computed from sizes and parameters");
    parts[i] = *number;
  }
  Expr passed = exprs.make(ExprKind::Subtract, parts[1], parts[0]);
  return exprs.make(ExprKind::Max, exprs.constant(0),
                    exprs.make(ExprKind::CeilDiv, passed, parts[2]));
}

LogicalResult ProgramBuilder::addLoop(Operation &op, Expr trips, Block &body,
                                 std::vector<Step> &steps) {
  Step loop;
  loop.kind = Step::Loop;
  loop.count = trips;
  loop.stages = program->exprs.constant(1);
  if (auto pipelined = dyn_cast<PipelinedOp>(op)) {
    loop.isPipelined = true;
    loop.stages = getClause(&op, "stages", pipelined.getStages());
  }
  if (failed(addBody(body, loop.body)))
    return failure();
  steps.push_back(std::move(loop));
  return success();
}

LogicalResult ProgramBuilder::addFor(scf::ForOp loop, std::vector<Step> &steps) {
  SmallVector<OpFoldResult> bounds{OpFoldResult(loop.getLowerBound()),
                                   OpFoldResult(loop.getUpperBound()),
                                   OpFoldResult(loop.getStep())};
  FailureOr<Expr> trips = getTrips(loop, bounds);
  if (failed(trips))
    return failure();
  return addLoop(*loop, *trips, *loop.getBody(), steps);
}

LogicalResult ProgramBuilder::addOp(Operation &op, std::vector<Step> &steps) {
  if (auto copy = dyn_cast<CopyOp>(op)) {
    addCopy(copy, steps);
    return success();
  }
  if (auto gemm = dyn_cast<GemmOp>(op)) {
    addGemm(gemm, steps);
    return success();
  }
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    addReduce(reduce, steps);
    return success();
  }
  if (auto parallel = dyn_cast<ParallelOp>(op))
    return addParallel(parallel, steps);
  if (auto loop = dyn_cast<PipelinedOp>(op)) {
    FailureOr<Expr> trips = getTrips(loop, loop.getMixedBounds());
    if (failed(trips))
      return failure();
    return addLoop(op, *trips, loop.getBody().front(), steps);
  }
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return addFor(loop, steps);
  if (auto other = dyn_cast<TileAccessOpInterface>(op)) {
    addOther(other, steps);
    return success();
  }
  // Branches are taken, and loops without a count run once.
  for (Region &region : op.getRegions())
    for (Block &block : region)
      if (failed(addBody(block, steps)))
        return failure();
  return success();
}

LogicalResult ProgramBuilder::addBody(Block &block, std::vector<Step> &steps) {
  for (Operation &op : block) {
    if (auto alloc = dyn_cast<AllocOp>(op))
      getBuffer(alloc.getBuffer());
    else if (failed(addOp(op, steps)))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

LogicalResult ProgramBuilder::addKernel(KernelOp kernel) {
  ExprGraph &exprs = program->exprs;
  Kernel &described = program->kernels.emplace_back();
  current = &described;
  buffers.clear();
  described.function = function.getName().str();
  described.index = int64_t(program->kernels.size()) - 1;
  described.threads = getClause(kernel, "threads", kernel.getThreads());
  for (OpFoldResult extent : kernel.getMixedGrid()) {
    std::optional<Expr> number = numbers.find(extent);
    if (!number)
      return kernel.emitOpError("cannot be estimated: its grid is not computed "
                                "from sizes and parameters");
    described.grid.push_back(*number);
  }
  kernel.walk([&](RasterizeOp op) {
    described.group = getClause(op, "group", op.getGroup());
  });
  for (Operation *op = kernel->getParentOp(); op != function;
       op = op->getParentOp()) {
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop)
      continue;
    FailureOr<Expr> trips =
        getTrips(loop, {OpFoldResult(loop.getLowerBound()),
                        OpFoldResult(loop.getUpperBound()),
                        OpFoldResult(loop.getStep())});
    if (failed(trips))
      return failure();
    described.repeats =
        described.repeats
            ? exprs.make(ExprKind::Multiply, described.repeats, *trips)
            : *trips;
  }
  return addBody(kernel.getBody().front(), described.steps);
}

LogicalResult ProgramBuilder::addParameters() {
  auto module = function->getParentOfType<ModuleOp>();
  for (auto param : module.getOps<ParamOp>()) {
    Parameter &parameter = program->parameters.emplace_back();
    parameter.name = "@" + param.getSymName().str();
    parameter.defaultValue = getDefault(param, lookupTarget(module));
    llvm::append_range(parameter.candidates, param.getCandidates());
  }
  WalkResult result = function->walk([&](RequireOp require) {
    std::optional<Expr> condition = numbers.find(require.getCondition());
    if (!condition) {
      require.emitOpError("expected a condition of parameters and constants");
      return WalkResult::interrupt();
    }
    program->requirements.push_back({*condition, require.getMessage().str()});
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

FailureOr<std::unique_ptr<Program>> ProgramBuilder::run() {
  // Node 0 is a number, so that it may stand for "none".
  program->exprs.constant(0);
  if (failed(addParameters()))
    return failure();
  WalkResult result = function->walk([&](KernelOp kernel) {
    return failed(addKernel(kernel)) ? WalkResult::interrupt()
                                     : WalkResult::skip();
  });
  if (result.wasInterrupted())
    return failure();
  return std::move(program);
}

FailureOr<std::unique_ptr<Program>>
mlir::tile::describeKernels(FunctionOpInterface function) {
  if (failed(verifyDimensionNumbers(function)))
    return failure();
  return ProgramBuilder(function).run();
}
