//===- AscendToHIVM.cpp - from Ascend instructions to HIVM ----------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Addresses and flags are left to the passes of AscendNPU-IR, and so are L0A
// and L0B: its matrix product takes operands in L1. Scalar code stays as it is,
// on memrefs in the memories of HIVM.
//
//===----------------------------------------------------------------------===//

#include "Tile/Conversion/AscendToHIVM/AscendToHIVM.h"

#include "HIVMDialect.h"
#include "Tile/Dialect/Ascend/IR/Ascend.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;
namespace hivm = mlir::tile::hivm;
using tl::MemorySpace;

namespace {
/// Converts one kernel.
class KernelConverter {
public:
  KernelConverter(tl::KernelOp kernel, OpBuilder &b) : kernel(kernel), b(b) {}
  LogicalResult run(StringRef name);

  Value map(Value value) { return mapping.lookup(value); }
  SmallVector<Value> map(ValueRange values);
  Type convert(Type type);

  /// The loop in whose first iteration an `ascend.mmad` overwrites the
  /// accumulator; null if its own operand says so.
  scf::ForOp getFirstLoop(MmadOp op) { return firstLoops.lookup(op); }
  bool isClear(MmadOp op) const { return clears.contains(op); }

  OpBuilder &create() { return b; }

private:
  LogicalResult findClears();
  void convertSignature(StringRef name, StringRef core);
  void convertGrid();
  LogicalResult convertBlock(Block &block);
  LogicalResult convertOp(Operation *op);
  LogicalResult convertLoop(scf::ForOp loop);
  LogicalResult convertBranch(scf::IfOp branch);
  LogicalResult convertAlloc(tl::AllocOp alloc);

  tl::KernelOp kernel;
  OpBuilder &b;
  IRMapping mapping;
  DenseSet<Operation *> clears; // products of zeros
  DenseMap<Operation *, scf::ForOp> firstLoops;
};

using Converter = LogicalResult (*)(KernelConverter &c, Operation *op);
} // namespace

static InFlightDiagnostic emitUnsupported(Operation *op) {
  return op->emitError() << "'" << op->getName()
                         << "' is not supported by AscendNPU-IR";
}

SmallVector<Value> KernelConverter::map(ValueRange values) {
  SmallVector<Value> mapped;
  for (Value value : values)
    mapped.push_back(map(value));
  return mapped;
}

static StringRef getAddressSpace(MemorySpace space) {
  switch (space) {
  case MemorySpace::Global:
    return "gm";
  case MemorySpace::UB:
    return "ub";
  case MemorySpace::L1:
    return "cbuf";
  case MemorySpace::L0A:
    return "ca";
  case MemorySpace::L0B:
    return "cb";
  case MemorySpace::L0C:
    return "cc";
  default:
    return "";
  }
}

/// Memrefs get the memory space of HIVM.
Type KernelConverter::convert(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  StringRef space =
      memref ? getAddressSpace(tl::getMemorySpace(memref)) : StringRef();
  if (space.empty())
    return type;
  return MemRefType::get(
      memref.getShape(), memref.getElementType(), memref.getLayout(),
      hivm::getAttr(b.getContext(), "hivm.address_space", space));
}

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

/// The last op before a product, in its block, that fills an operand of it.
template <typename... OpTys>
static Operation *findSource(Operation *op, Value operand) {
  for (Operation *at = op->getPrevNode(); at; at = at->getPrevNode())
    if (isa<OpTys...>(at) && at->getOperand(0) == operand)
      return at;
  return nullptr;
}

/// An accumulator that a product of zeros clears is cleared in the first
/// iteration of the loop behind it instead.
static FailureOr<std::pair<MmadOp, scf::ForOp>> findFirstProduct(MmadOp clear) {
  auto refuse = [&](const char *why) {
    return clear.emitError("an accumulator that is filled with 0 is not "
                           "supported by AscendNPU-IR where ")
           << why << "; use 'clear_if'";
  };
  scf::ForOp loop;
  for (Operation *at = clear->getNextNode(); at && !loop;
       at = at->getNextNode())
    loop = dyn_cast<scf::ForOp>(at);
  if (!loop)
    return refuse("no loop follows");
  auto lower = getConstantIntValue(loop.getLowerBound()),
       upper = getConstantIntValue(loop.getUpperBound());
  if (!lower || !upper || *lower >= *upper)
    return refuse("the loop behind it may have no iteration");
  for (MmadOp product : loop.getBody()->getOps<MmadOp>())
    if (product.getTarget() == clear.getTarget())
      return std::pair(product, loop);
  return refuse("the loop behind it has no product");
}

LogicalResult KernelConverter::findClears() {
  auto result = kernel.walk([&](MmadOp op) {
    if (!isa_and_nonnull<FillL0AOp>(
            findSource<FillL0AOp, LoadL0AOp>(op, op.getLhs())))
      return WalkResult::advance();
    clears.insert(op);
    auto first = findFirstProduct(op);
    if (failed(first))
      return WalkResult::interrupt();
    firstLoops[first->first] = first->second;
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

static LogicalResult convertMmad(KernelConverter &c, Operation *self) {
  auto op = cast<MmadOp>(self);
  if (c.isClear(op))
    return success();
  auto left = dyn_cast_or_null<LoadL0AOp>(
      findSource<LoadL0AOp, FillL0AOp>(op, op.getLhs()));
  auto right = dyn_cast_or_null<LoadL0BOp>(
      findSource<LoadL0BOp, FillL0BOp>(op, op.getRhs()));
  if (!left || !right)
    return op.emitError("expected the loads of both operands before the "
                        "product, in the same block");
  OpBuilder &b = c.create();
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, op.getLoc(), value);
  };
  Value init = c.map(op.getInit());
  if (scf::ForOp loop = c.getFirstLoop(op)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(b.getInsertionBlock());
    init = arith::CmpIOp::create(b, op.getLoc(), arith::CmpIPredicate::eq,
                                 c.map(loop.getInductionVar()),
                                 c.map(loop.getLowerBound()));
  }
  auto a = cast<MemRefType>(op.getLhs().getType()),
       target = cast<MemRefType>(op.getTarget().getType());
  SmallVector<NamedAttribute> flags;
  if (left.getTranspose())
    flags.push_back(b.getNamedAttr("a_transpose", b.getUnitAttr()));
  if (right.getTranspose())
    flags.push_back(b.getNamedAttr("b_transpose", b.getUnitAttr()));
  hivm::create(b, op.getLoc(),
               {.name = "mmadL1",
                .ins = {c.map(left.getSource()), c.map(right.getSource()), init,
                        index(a.getDimSize(0)), index(a.getDimSize(1)),
                        index(target.getDimSize(1))},
                .out = c.map(op.getTarget()),
                .flags = flags});
  return success();
}

static LogicalResult convertFixpipe(KernelConverter &c, Operation *self) {
  auto op = cast<FixpipeOp>(self);
  if (op.getAtomic())
    return op.emitError("an atomic store of the cube is not supported by "
                        "AscendNPU-IR");
  OpBuilder &b = c.create();
  auto flag = [&](StringRef name, StringRef attr, StringRef value) {
    return b.getNamedAttr(name, hivm::getAttr(b.getContext(), attr, value));
  };
  Type from = cast<MemRefType>(op.getSource().getType()).getElementType(),
       to = cast<MemRefType>(op.getTarget().getType()).getElementType();
  SmallVector<NamedAttribute> flags{flag("dma_mode", "hivm.dma_mode", "nz2nd")};
  if (from != to)
    flags.push_back(flag("pre_quant", "hivm.fixpipe_pre_quant_mode",
                         to.isF16() ? "F322F16" : "F322BF16"));
  if (op.getRelu())
    flags.push_back(
        flag("pre_relu", "hivm.fixpipe_pre_relu_mode", "NORMAL_RELU"));
  hivm::create(b, op.getLoc(),
               {.name = "fixpipe",
                .ins = {c.map(op.getSource())},
                .out = c.map(op.getTarget()),
                .flags = flags});
  return success();
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

static LogicalResult convertLoad(KernelConverter &c, Operation *self) {
  auto op = cast<CopyGmToUbOp>(self);
  if (op.getLeft())
    return op.emitOpError("padding in front of rows is not written as "
                          "AscendNPU-IR; copy from the first element on");
  Value padding = op.getPad() ? c.map(op.getPad()) : Value();
  hivm::create(c.create(), op.getLoc(),
               {.name = "load",
                .ins = {c.map(op.getSource())},
                .out = c.map(op.getTarget()),
                .padding = padding});
  return success();
}

static LogicalResult convertStore(KernelConverter &c, Operation *self) {
  auto op = cast<CopyUbToGmOp>(self);
  OpBuilder &b = c.create();
  SmallVector<NamedAttribute> options;
  if (op.getAtomic())
    options.push_back(b.getNamedAttr(
        "atomic",
        b.getStringAttr(op.getKind() && *op.getKind() != ReduceKind::Sum
                            ? stringifyEnum(*op.getKind())
                            : "add")));
  hivm::create(b, op.getLoc(),
               {.name = "store",
                .ins = {c.map(op.getSource())},
                .out = c.map(op.getTarget()),
                .options = options});
  return success();
}

static LogicalResult convertMatrixLoad(KernelConverter &c, Operation *self) {
  auto op = cast<CopyGmToL1Op>(self);
  OpBuilder &b = c.create();
  hivm::create(b, op.getLoc(),
               {.name = "nd2nz",
                .ins = {c.map(op.getSource())},
                .out = c.map(op.getTarget()),
                .flags = {b.getNamedAttr("dst_continuous", b.getUnitAttr())}});
  return success();
}

//===----------------------------------------------------------------------===//
// Vector instructions
//===----------------------------------------------------------------------===//

/// The first operand is what is written.
static LogicalResult convertAs(KernelConverter &c, Operation *op,
                               StringRef name) {
  if (name.empty())
    return emitUnsupported(op);
  SmallVector<Value> operands = c.map(op->getOperands());
  Value out = operands.front();
  operands.erase(operands.begin());
  hivm::create(c.create(), op->getLoc(),
               {.name = name, .ins = operands, .out = out});
  return success();
}

static LogicalResult convertCopy(KernelConverter &c, Operation *op) {
  return convertAs(c, op, "copy");
}

static LogicalResult convertDuplicate(KernelConverter &c, Operation *op) {
  return convertAs(c, op, "vbrc");
}

static LogicalResult convertBinary(KernelConverter &c, Operation *self) {
  auto op = cast<BinaryOp>(self);
  if (op.getLhsBroadcast() != Broadcast::None ||
      op.getRhsBroadcast() != Broadcast::None)
    return op.emitError("an operand that is repeated is not supported by "
                        "AscendNPU-IR");
  static constexpr StringLiteral names[] = {"vadd", "vsub", "vmul", "vdiv",
                                            "vmax", "vmin", "vand", "vor"};
  return convertAs(c, op, names[unsigned(op.getKind())]);
}

static LogicalResult convertScalar(KernelConverter &c, Operation *self) {
  auto op = cast<ScalarOp>(self);
  switch (op.getKind()) {
  case ScalarKind::Adds:
    return convertAs(c, op, "vadd");
  case ScalarKind::Muls:
    return convertAs(c, op, "vmul");
  case ScalarKind::Maxs:
    return convertAs(c, op, "vmax");
  case ScalarKind::Mins:
    return convertAs(c, op, "vmin");
  default:
    return emitUnsupported(op);
  }
}

static LogicalResult convertUnary(KernelConverter &c, Operation *self) {
  auto op = cast<UnaryOp>(self);
  static constexpr StringLiteral names[] = {"vexp",   "vln",  "vabs",  "vsqrt",
                                            "vrsqrt", "vrec", "vrelu", "vnot"};
  return convertAs(c, op, names[unsigned(op.getKind())]);
}

static LogicalResult convertCast(KernelConverter &c, Operation *self) {
  auto op = cast<CastOp>(self);
  OpBuilder &b = c.create();
  SmallVector<NamedAttribute> options;
  if (op.getMode() != RoundMode::None)
    options.push_back(b.getNamedAttr(
        "round_mode", b.getStringAttr(stringifyRoundMode(op.getMode()))));
  hivm::create(b, op.getLoc(),
               {.name = "vcast",
                .ins = {c.map(op.getSource())},
                .out = c.map(op.getTarget()),
                .options = options});
  return success();
}

/// The target has a dimension of 1 where the source has the one that goes.
static LogicalResult convertReduce(KernelConverter &c, Operation *self) {
  auto op = cast<tl::ascend::ReduceOp>(self);
  auto source = cast<MemRefType>(op.getSource().getType());
  auto target = cast<MemRefType>(op.getTarget().getType());
  if (source.getRank() != 2 || !target.getLayout().isIdentity())
    return op.emitError("a reduction of a view, or to one, is not supported by "
                        "AscendNPU-IR");
  OpBuilder &b = c.create();
  auto type =
      MemRefType::get({target.getDimSize(0), 1}, target.getElementType(),
                      AffineMap(), target.getMemorySpace());
  SmallVector<ReassociationIndices> groups{{0, 1}};
  Value column = memref::ExpandShapeOp::create(
      b, op.getLoc(), cast<MemRefType>(c.convert(type)), c.map(op.getTarget()),
      groups);
  hivm::create(
      b, op.getLoc(),
      {.name = "vreduce",
       .ins = {c.map(op.getSource())},
       .out = column,
       .kind = stringifyReduceKind(op.getKind()),
       .options = {b.getNamedAttr("reduce_dims", b.getI64ArrayAttr({1}))}});
  return success();
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

/// Flags and barriers are for the passes of AscendNPU-IR to insert, and its
/// product loads its operands itself.
static LogicalResult drop(KernelConverter &, Operation *) { return success(); }

static LogicalResult refuseBothCores(KernelConverter &, Operation *op) {
  return op->emitError(
      "a kernel of both cores is not supported by AscendNPU-IR");
}

template <typename... OpTys>
static void add(llvm::StringMap<Converter> &table, Converter converter) {
  ((table[OpTys::getOperationName()] = converter), ...);
}

static Converter findConverter(Operation *op) {
  static const llvm::StringMap<Converter> table = [] {
    llvm::StringMap<Converter> table;
    add<MmadOp>(table, convertMmad);
    add<FixpipeOp>(table, convertFixpipe);
    add<CopyGmToUbOp>(table, convertLoad);
    add<CopyUbToGmOp>(table, convertStore);
    add<CopyGmToL1Op>(table, convertMatrixLoad);
    add<CopyUbOp>(table, convertCopy);
    add<DuplicateOp>(table, convertDuplicate);
    add<BinaryOp>(table, convertBinary);
    add<ScalarOp>(table, convertScalar);
    add<UnaryOp>(table, convertUnary);
    add<CastOp>(table, convertCast);
    add<tl::ascend::ReduceOp>(table, convertReduce);
    add<SetFlagOp, WaitFlagOp, PipeBarrierOp, LoadL0AOp, LoadL0BOp, FillL0AOp,
        FillL0BOp>(table, drop);
    add<SectionOp, CrossCoreSetFlagOp, CrossCoreWaitFlagOp>(table,
                                                            refuseBothCores);
    return table;
  }();
  return table.lookup(op->getName().getStringRef());
}

LogicalResult KernelConverter::convertLoop(scf::ForOp loop) {
  auto converted =
      scf::ForOp::create(b, loop.getLoc(), map(loop.getLowerBound()),
                         map(loop.getUpperBound()), map(loop.getStep()));
  mapping.map(loop.getInductionVar(), converted.getInductionVar());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(converted.getBody()->getTerminator());
  return convertBlock(*loop.getBody());
}

LogicalResult KernelConverter::convertBranch(scf::IfOp branch) {
  bool hasElse = branch.elseBlock() != nullptr;
  auto converted = scf::IfOp::create(b, branch.getLoc(),
                                     map(branch.getCondition()), hasElse);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(converted.thenYield());
  if (failed(convertBlock(*branch.thenBlock())))
    return failure();
  if (!hasElse)
    return success();
  b.setInsertionPoint(converted.elseYield());
  return convertBlock(*branch.elseBlock());
}

LogicalResult KernelConverter::convertAlloc(tl::AllocOp alloc) {
  auto type = cast<MemRefType>(alloc.getBuffer().getType());
  MemorySpace space = tl::getMemorySpace(type);
  // Those of the product's own operands are not there.
  if (space == MemorySpace::L0A || space == MemorySpace::L0B)
    return success();
  if (getAddressSpace(space).empty())
    return alloc.emitError()
           << "a buffer of " << type << " is not supported by AscendNPU-IR";
  mapping.map(alloc.getBuffer(),
              memref::AllocOp::create(b, alloc.getLoc(),
                                      cast<MemRefType>(convert(type)))
                  .getResult());
  return success();
}

LogicalResult KernelConverter::convertOp(Operation *op) {
  if (Converter converter = findConverter(op))
    return converter(*this, op);
  if (auto alloc = dyn_cast<tl::AllocOp>(op))
    return convertAlloc(alloc);
  if (auto loop = dyn_cast<scf::ForOp>(op); loop && loop.getNumResults() == 0)
    return convertLoop(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op);
      branch && branch.getNumResults() == 0)
    return convertBranch(branch);
  if (op->getNumRegions() != 0 || isa<InstructionOpInterface>(op))
    return emitUnsupported(op);
  for (Value result : b.clone(*op, mapping)->getResults())
    result.setType(convert(result.getType()));
  return success();
}

LogicalResult KernelConverter::convertBlock(Block &block) {
  for (Operation &op : block)
    if (!op.hasTrait<OpTrait::IsTerminator>() && failed(convertOp(&op)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// A function of the constants and the arguments that the kernel takes from
/// outside.
void KernelConverter::convertSignature(StringRef name, StringRef core) {
  llvm::SetVector<Value> outside;
  SmallVector<OpFoldResult> grid = kernel.getMixedGrid();
  for (OpFoldResult extent : ArrayRef(grid).drop_back())
    if (auto value = dyn_cast<Value>(extent))
      outside.insert(value);
  getUsedValuesDefinedAbove(kernel.getBody(), outside);
  SmallVector<Value> constants, arguments;
  for (Value value : outside)
    (value.getDefiningOp<arith::ConstantOp>() ? constants : arguments)
        .push_back(value);
  SmallVector<Type> types;
  for (Value value : arguments)
    types.push_back(convert(value.getType()));
  Location loc = kernel.getLoc();
  auto function =
      func::FuncOp::create(b, loc, name, b.getFunctionType(types, {}));
  function->setAttr("hacc.entry", b.getUnitAttr());
  function->setAttr(
      "hacc.function_kind",
      hivm::getAttr(b.getContext(), "hacc.function_kind", "DEVICE"));
  function->setAttr("hivm.func_core_type",
                    hivm::getAttr(b.getContext(), "hivm.func_core_type", core));
  Block *entry = function.addEntryBlock();
  mapping.map(arguments, entry->getArguments());
  b.setInsertionPointToStart(entry);
  for (Value value : constants)
    b.clone(*value.getDefiningOp(), mapping);
  auto end = func::ReturnOp::create(b, loc);
  b.setInsertionPoint(end);
}

/// The coordinates of the block from its number, the first one fastest.
void KernelConverter::convertGrid() {
  Location loc = kernel.getLoc();
  Value rest = arith::IndexCastOp::create(b, loc, b.getIndexType(),
                                          hivm::createBlockIndex(b, loc));
  SmallVector<OpFoldResult> grid = kernel.getMixedGrid();
  for (auto [i, arg] : llvm::enumerate(kernel.getBody().getArguments())) {
    Value at = rest;
    if (i + 1 < grid.size()) {
      Value extent = isa<Attribute>(grid[i])
                         ? getValueOrCreateConstantIndexOp(b, loc, grid[i])
                         : map(cast<Value>(grid[i]));
      at = arith::RemSIOp::create(b, loc, rest, extent);
      rest = arith::DivSIOp::create(b, loc, rest, extent);
    }
    mapping.map(arg, at);
  }
}

LogicalResult KernelConverter::run(StringRef name) {
  bool isCube = false, isVector = false;
  kernel.walk([&](InstructionOpInterface op) {
    (op.getCore() == Core::Cube ? isCube : isVector) = true;
  });
  if (isCube && isVector)
    return kernel.emitError("a kernel of both cores is not supported by "
                            "AscendNPU-IR");
  if (failed(findClears()))
    return failure();
  OpBuilder::InsertionGuard guard(b);
  convertSignature(name, isCube ? "AIC" : "AIV");
  convertGrid();
  return convertBlock(kernel.getBody().front());
}

OwningOpRef<ModuleOp>
mlir::tile::convertAscendToHIVM(ModuleOp module,
                                function_ref<std::string(KernelOp)> getName) {
  hivm::loadDialects(*module.getContext());
  OwningOpRef<ModuleOp> converted = ModuleOp::create(module.getLoc());
  OpBuilder b = OpBuilder::atBlockEnd(converted->getBody());
  auto result = module.walk([&](KernelOp kernel) {
    return failed(KernelConverter(kernel, b).run(getName(kernel)))
               ? WalkResult::interrupt()
               : WalkResult::skip();
  });
  if (result.wasInterrupted())
    return {};
  return converted;
}
