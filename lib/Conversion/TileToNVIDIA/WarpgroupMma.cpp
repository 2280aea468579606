//===- WarpgroupMma.cpp - wgmma -------------------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NVIDIASIMTTarget.h"
#include "PTX.h"
#include "SharedMatrix.h"
#include "SparseMetadata.h"

#include "Tile/Conversion/TileToSIMT/Mma.h"
#include "Tile/Conversion/TileToSIMT/Teams.h"
#include "Tile/Dialect/Tile/IR/KernelAttrs.h"
#include "Tile/Dialect/Tile/IR/Sparse.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

#include <map>

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvidia;
using namespace mlir::tile::simt;
using ::tile::layout::Axis;
using ::tile::target::ElementType;

namespace {
/// One operand in shared memory: descriptors of its parts.
struct Descriptors {
  SharedMatrix matrix;
  bool kMajor; // K is the contiguous dimension
  Value base;  // i64: everything but the offset within the tile

  /// Bytes from the tile's start to (outer, k).
  int64_t getBytes(int64_t outer, int64_t k) const {
    return kMajor ? matrix.getByteOffset(outer, k)
                  : matrix.getByteOffset(k, outer);
  }
};

class WarpgroupMmaEmitter {
public:
  WarpgroupMmaEmitter(const WarpProduct &product, bool isAsync,
                      KernelLowering &l)
      : product(product), isAsync(isAsync), l(l), b(l.builder()),
        loc(product.op->getLoc()) {}

  LogicalResult emit(const MmaInstruction &instruction);

private:
  FailureOr<Descriptors> describe(Value memref, bool kMajor, Value outerPart);
  Value i64(int64_t value) {
    return arith::ConstantIntOp::create(b, loc, value, 64);
  }
  /// The warpgroup's number, known to be the same in its lanes.
  Value getGroup();
  LogicalResult describeA(Value outerPart);
  void hide(Value &base);
  Value getDescriptor(const Descriptors &operand, int64_t outer, int64_t k);
  SmallVector<Value> readA(const Buffer &a, int64_t m, int64_t k);
  /// Fills `aOperands` where it has nothing yet.
  void readAll(ArrayRef<MmaInstance> instances);
  void keepA(Operation *loop);
  void issue(const MmaInstance &instance, int64_t k,
             SmallVector<Value> &accumulators);
  LogicalResult readMetadata(ArrayRef<MmaInstance> instances, Value groupPart);
  const WarpProduct &product;
  bool isAsync;
  KernelLowering &l;
  OpBuilder &b;
  Location loc;
  MmaInstruction mma;
  const Buffer *aRegisters = nullptr;
  /// Of A in registers, by the instruction's row and column.
  std::map<std::pair<int64_t, int64_t>, SmallVector<Value>> aOperands;
  /// Of a sparse A, likewise.
  std::map<std::pair<int64_t, int64_t>, SparsityOperand> sparsity;
  std::optional<Descriptors> a, right;
};
} // namespace

Value WarpgroupMmaEmitter::getGroup() {
  Value group = arith::DivUIOp::create(b, loc, l.threads().warp,
                                       l.i32(loc, l.getGPU().groupWarps));
  if (l.threads().warps == l.getGPU().groupWarps)
    return l.i32(loc, 0);
  auto shuffle =
      gpu::ShuffleOp::create(b, loc, group, l.i32(loc, 0),
                             l.i32(loc, l.threads().lanes),
                             gpu::ShuffleMode::IDX);
  return shuffle.getShuffleResult();
}

/// PTX ISA, "Matrix Descriptor Format": the address, the leading and the stride
/// dimension byte offset in units of 16 bytes, and the swizzle mode. For K-major
/// operands the stride leads from 8 rows to the next 8 and the leading offset is
/// unused; for the others the leading offset goes from block to block.
FailureOr<Descriptors> WarpgroupMmaEmitter::describe(Value memref, bool kMajor,
                                                     Value outerPart) {
  const Buffer *buffer = l.getBuffer(product.op, memref);
  if (!buffer)
    return failure();
  int64_t bytes = getStorageType(buffer->element).getIntOrFloatBitWidth() / 8;
  auto matrix = matchSharedMatrix(buffer->layout, bytes);
  if (!matrix || matrix->swizzleBytes == 0)
    return product.op->emitOpError()
           << "cannot read its operand with wgmma: "
           << (matrix ? "expected a swizzled tile" : matrix.reason());
  Descriptors result{*matrix, kMajor, {}};
  int64_t code = matrix->swizzleBytes == 128  ? 1
                 : matrix->swizzleBytes == 64 ? 2
                                              : 3;
  int64_t stride = 8 * matrix->swizzleBytes;
  int64_t leading = kMajor ? 16 : matrix->blockStride * bytes;
  uint64_t constant = uint64_t(code) << 62 | uint64_t(stride >> 4) << 32 |
                      uint64_t((leading >> 4) & 0x3fff) << 16;
  Value address = LLVM::PtrToIntOp::create(b, loc, b.getI32Type(), buffer->base);
  if (!isConstantIntValue(outerPart, 0)) {
    // Groups stand at multiples of the tile's rows or of its blocks.
    Value offset;
    if (kMajor) {
      offset = arith::MulIOp::create(b, loc, outerPart,
                                     l.i32(loc, matrix->blockColumns * bytes));
    } else {
      Value block = arith::DivUIOp::create(
          b, loc, outerPart, l.i32(loc, matrix->blockColumns));
      offset = arith::MulIOp::create(
          b, loc, block, l.i32(loc, matrix->blockStride * bytes));
      Value within = arith::RemUIOp::create(
          b, loc, outerPart, l.i32(loc, matrix->blockColumns));
      within = arith::MulIOp::create(b, loc, within, l.i32(loc, bytes));
      offset = arith::AddIOp::create(b, loc, offset, within);
    }
    address = arith::AddIOp::create(b, loc, address, offset);
  }
  address = arith::AndIOp::create(b, loc, address, l.i32(loc, 0x3ffff));
  address = arith::ShRUIOp::create(b, loc, address, l.i32(loc, 4));
  Value wide = arith::ExtUIOp::create(b, loc, b.getI64Type(), address);
  result.base = arith::OrIOp::create(b, loc, wide, i64(int64_t(constant)));
  return result;
}

/// What LLVM does not know it computes again.
void WarpgroupMmaEmitter::hide(Value &base) {
  base = emitAsm(b, loc, "", base.getType(), "=l,0", base).front();
}

LogicalResult WarpgroupMmaEmitter::describeA(Value outerPart) {
  auto described = describe(product.a, !product.transposeA, outerPart);
  if (failed(described))
    return failure();
  a = *described;
  if (product.op->hasAttr(kOwnAddressesAttrName))
    hide(a->base);
  return success();
}

Value WarpgroupMmaEmitter::getDescriptor(const Descriptors &operand,
                                         int64_t outer, int64_t k) {
  int64_t bytes = operand.getBytes(outer, k);
  if (bytes == 0)
    return operand.base;
  return arith::AddIOp::create(b, loc, operand.base, i64(bytes >> 4));
}

SmallVector<Value> WarpgroupMmaEmitter::readA(const Buffer &buffer, int64_t m,
                                              int64_t k) {
  SmallVector<Value> elements;
  ThreadGroup group = l.threads();
  group.warps = l.getGPU().groupWarps;
  ThreadMap map(mma.aFragment, group);
  for (int64_t reg = 0; reg < map.numRegisters(); ++reg) {
    auto part = *map.getRegisterPart(reg);
    int64_t row = part[0] + m, column = part[1] + k;
    if (product.transposeA)
      std::swap(row, column);
    int64_t own = buffer.layout.sum({row, column})[Axis::Reg];
    elements.push_back(l.loadRegister(loc, buffer, own));
  }
  SmallVector<Value> registers = packRegisters(l, loc, elements);
  for (Value &value : registers)
    if (value.getType().isF32())
      value = LLVM::BitcastOp::create(b, loc, b.getI32Type(), value);
  return registers;
}

/// Ties values to a statement: nothing that uses them moves over it.
static SmallVector<Value> pin(KernelLowering &l, Location loc,
                              const Twine &text, ValueRange values) {
  std::string constraints;
  for (Value value : values)
    constraints += std::string(constraints.empty() ? "=" : ",=") +
                   (value.getType().isF32() ? "f" : "r");
  for (size_t i = 0; i < values.size(); ++i)
    constraints += "," + std::to_string(i);
  constraints += constraints.empty() ? "~{memory}" : ",~{memory}";
  return emitAsm(l.builder(), loc, text, values.getTypes(), constraints,
                 values);
}

void WarpgroupMmaEmitter::issue(const MmaInstance &instance, int64_t k,
                                SmallVector<Value> &accumulators) {
  std::string text, constraints;
  llvm::raw_string_ostream os(text);
  const auto &row = *mma.choice.row;
  StringRef name = row.instruction;
  if (product.metadata && name.consume_front("wgmma.mma_async"))
    os << "wgmma.mma_async.sp";
  os << name << ".m" << mma.m() << "n" << mma.n() << "k"
     << mma.k() * product.depthOfB << "." << getPTXType(mma.c) << "." << getPTXType(mma.a) << "."
     << getPTXType(mma.b) << " {";
  SmallVector<Value> operands(accumulators);
  for (size_t i = 0; i < accumulators.size(); ++i) {
    os << (i ? ", $" : "$") << i;
    constraints += std::string(i ? ",=" : "=") +
                   (accumulators[i].getType().isF32() ? "f" : "r");
  }
  os << "}, ";
  for (size_t i = 0; i < accumulators.size(); ++i)
    constraints += "," + std::to_string(i);
  size_t next = 2 * accumulators.size();
  if (aRegisters) {
    ArrayRef<Value> registers = aOperands.at({instance.m, k});
    os << "{";
    for (size_t i = 0; i < registers.size(); ++i) {
      os << (i ? ", $" : "$") << next++;
      constraints += ",r";
    }
    os << "}";
    llvm::append_range(operands, registers);
  } else {
    os << "$" << next++;
    constraints += ",l";
    operands.push_back(getDescriptor(*a, instance.m, k));
  }
  os << ", $" << next++;
  constraints += ",l";
  operands.push_back(
      getDescriptor(*right, instance.n, k * product.depthOfB));
  if (product.metadata) {
    const SparsityOperand &places = sparsity.at({instance.m, k});
    os << ", $" << next++ << ", " << places.selector;
    constraints += ",r";
    operands.push_back(places.metadata);
  }
  // The first product overwrites.
  if (k == 0 && (product.clear || product.clearIf)) {
    Value keep = product.clearIf;
    Value yes = arith::ConstantIntOp::create(b, loc, 1, 1);
    keep = keep ? Value(arith::XOrIOp::create(b, loc, keep, yes))
                : Value(arith::ConstantIntOp::create(b, loc, 0, 1));
    os << ", $" << next++;
    constraints += ",b";
    operands.push_back(keep);
  } else {
    os << ", 1";
  }
  bool isFloat = mma.c != ElementType::I32;
  if (isFloat)
    os << ", 1, 1";
  if (row.bTransposed) {
    if (!aRegisters)
      os << ", " << !a->kMajor;
    os << ", " << !right->kMajor;
  }
  os << ";";
  accumulators = emitAsm(b, loc, text, ValueRange(accumulators).getTypes(),
                         constraints, operands);
}

void WarpgroupMmaEmitter::readAll(ArrayRef<MmaInstance> instances) {
  for (int64_t k = 0; k < product.getStoredK(); k += mma.k())
    for (const MmaInstance &instance : instances)
      if (auto &registers = aOperands[{instance.m, k}]; registers.empty())
        registers = readA(*aRegisters, instance.m, k);
}

/// ptxas 12.9 and 13.0 give registers of A that were written in front of a loop
/// to others after the first iteration. It keeps what is read behind the loop:
/// by a store that is never done, behind a condition that ptxas does not know
/// to be false. No grid is without blocks; and the condition is the same in all
/// threads, since loops around one that is not use no uniform registers.
void WarpgroupMmaEmitter::keepA(Operation *loop) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfter(loop);
  Type i32 = b.getI32Type();
  Value blocks =
      emitAsm(b, loc, "mov.u32 $0, %nctaid.z;", i32, "=r", {}).front();
  Value never = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, blocks,
                                      l.i32(loc, 0));
  Value somewhere = l.getArena(loc, 0);
  auto branch = scf::IfOp::create(b, loc, never);
  b.setInsertionPointToStart(branch.thenBlock());
  for (auto &[place, registers] : aOperands)
    for (Value value : registers)
      LLVM::StoreOp::create(b, loc, value, somewhere, /*alignment=*/4,
                            /*isVolatile=*/true);
}

/// A warp has the metadata of its own 16 rows, as of mma.sp: PTX ISA, "Sparse
/// matrix storage" of wgmma.
LogicalResult
WarpgroupMmaEmitter::readMetadata(ArrayRef<MmaInstance> instances,
                                  Value groupPart) {
  auto gemm = cast<SparseGemmOp>(product.op);
  const Buffer *places = l.getBuffer(gemm, gemm.getMetadata());
  if (!places)
    return failure();
  int64_t warps = l.getGPU().groupWarps;
  Value inGroup = arith::RemUIOp::create(b, loc, l.threads().warp,
                                         l.i32(loc, warps));
  Value rows = arith::MulIOp::create(b, loc, inGroup,
                                     l.i32(loc, mma.m() / warps));
  MetadataReader reader(product, *places, gemm.getTransposeMetadata(),
                        product.getStoredK() / mma.k(),
                        arith::AddIOp::create(b, loc, groupPart, rows), l);
  reader.beginIteration({});
  for (int64_t k = 0; k < product.getStoredK(); k += mma.k())
    for (const MmaInstance &instance : instances)
      if (!sparsity.count({instance.m, k}))
        sparsity[{instance.m, k}] = reader.read(instance.m, k / mma.k());
  return success();
}

LogicalResult WarpgroupMmaEmitter::emit(const MmaInstruction &instruction) {
  if (failed(verifyAccumulator(product.op, product.c)))
    return failure();
  const Buffer *c = l.getBuffer(product.op, product.c);
  const Buffer *left = l.getBuffer(product.op, product.a);
  if (!c || !left)
    return failure();
  mma = instruction;
  auto instances = findInstances(product.op, mma, *c, l.threads());
  if (failed(instances))
    return failure();
  // Where the accumulator of this warp's group begins.
  Value group = getGroup();
  ThreadGroup leader = l.threads();
  leader.warp = arith::MulIOp::create(b, loc, group,
                                      l.i32(loc, l.getGPU().groupWarps));
  ThreadMap map(c->layout, leader);
  map.materialize(b, loc);
  if (left->isRegister()) {
    aRegisters = left;
  } else {
    if (failed(describeA(map.getWarpPart(0))))
      return failure();
  }
  auto described = describe(product.b, product.transposeB, map.getWarpPart(1));
  if (failed(described))
    return failure();
  right = *described;
  if (product.op->hasAttr(kOwnAddressesAttrName) && l.getState<Teams>().isAlone())
    hide(right->base);
  if (product.metadata && failed(readMetadata(*instances, map.getWarpPart(0))))
    return failure();

  // An accumulator of fewer bits than the sums is widened, and rounded once.
  Type element = getAccumulatorType(c->element);
  int64_t count = mma.cFragment.axisSize(Axis::Reg);
  SmallVector<SmallVector<Value>> accumulators;
  for (const MmaInstance &instance : *instances) {
    SmallVector<Value> elements;
    for (int64_t reg : instance.registers)
      elements.push_back(
          castElement(b, loc, l.loadRegister(loc, *c, reg), element));
    accumulators.push_back(packRegisters(l, loc, elements));
  }
  if (aRegisters && product.op->hasAttr(kKeptAttrName)) {
    // The loop around, which is converted by now.
    Operation *loop = b.getInsertionBlock()->getParentOp();
    while (!isa<LoopLikeOpInterface>(loop))
      loop = loop->getParentOp();
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(loop);
    readAll(*instances);
    keepA(loop);
  }
  // Registers that are written behind the fence would each need another one,
  // and ptxas makes a group of its own of each instruction then.
  if (aRegisters)
    readAll(*instances);
  NVVM::WgmmaFenceAlignedOp::create(b, loc);
  for (int64_t k = 0; k < product.getStoredK(); k += mma.k())
    for (auto [instance, values] : llvm::zip(*instances, accumulators))
      issue(instance, k, values);
  NVVM::WgmmaGroupSyncAlignedOp::create(b, loc);
  SmallVector<Value> all;
  for (auto &values : accumulators)
    llvm::append_range(all, values);
  if (!isAsync)
    all = pin(l, loc, "wgmma.wait_group.sync.aligned 0;", all);
  size_t next = 0;
  for (auto [instance, values] : llvm::zip(*instances, accumulators)) {
    ValueRange own = ValueRange(all).slice(next, values.size());
    next += values.size();
    SmallVector<Value> elements =
        unpackRegisters(l, loc, own, element, count);
    for (auto [reg, value] : llvm::zip(instance.registers, elements))
      l.storeRegister(loc, castElement(b, loc, value, c->element), *c, reg);
  }
  return success();
}

LogicalResult nvidia::emitWarpgroupMma(GemmOp op, KernelLowering &l) {
  FailureOr<MmaInstruction> found = findInstruction(op, l);
  if (failed(found))
    return failure();
  WarpProduct product(op);
  return WarpgroupMmaEmitter(product, op.getAsync(), l).emit(*found);
}

LogicalResult nvidia::emitSparseWarpgroupMma(SparseGemmOp op,
                                             const MmaInstruction &instruction,
                                             KernelLowering &l) {
  WarpProduct product(op);
  return WarpgroupMmaEmitter(product, /*isAsync=*/false, l).emit(instruction);
}

/// The registers of the sums go through the wait: what reads them stays behind.
LogicalResult nvidia::emitGemmWait(GemmWaitOp op, KernelLowering &l) {
  Location loc = op.getLoc();
  SmallVector<std::pair<const Buffer *, int64_t>> places;
  SmallVector<Value> values;
  for (Value sum : op.getAccumulators()) {
    const Buffer *buffer = l.getBuffer(op, sum);
    if (!buffer)
      return failure();
    ThreadMap map(buffer->layout, l.threads());
    for (int64_t reg = 0; reg < map.numRegisters(); ++reg) {
      places.push_back({buffer, reg});
      values.push_back(l.loadRegister(loc, *buffer, reg));
    }
  }
  values = pin(l, loc,
               "wgmma.wait_group.sync.aligned " + Twine(op.getPending()) + ";",
               values);
  for (auto [place, value] : llvm::zip(places, values))
    l.storeRegister(loc, value, *place.first, place.second);
  return success();
}
