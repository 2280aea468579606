//===- Gemm.cpp - products by multiply-adds of threads --------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Models.h"

#include "Tile/Conversion/TileToSIMT/Mma.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::simt;
using ::tile::layout::Axis;
using ::tile::layout::Layout;

namespace {
/// Any layout of the accumulator, any types: each thread walks K for its own
/// elements and reads operands from shared memory.
class FmaEmitter {
public:
  FmaEmitter(GemmOp op, KernelLowering &l)
      : op(op), l(l), b(l.builder()), loc(op.getLoc()) {}

  LogicalResult emit() {
    const Buffer *c = l.getBuffer(op, op.getC());
    FailureOr<Buffer> a = getOperand(op.getA());
    FailureOr<Buffer> right = getOperand(op.getB());
    if (!c || failed(a) || failed(right))
      return failure();
    element = getAccumulatorType(c->element);
    ThreadMap map(c->layout, l.threads());
    map.materialize(b, loc);
    Buffer accumulators = *c;
    accumulators.element = element;
    accumulators.base = l.createRegisters(loc, element, map.numRegisters());
    for (int64_t reg = 0; reg < map.numRegisters(); ++reg)
      if (map.getRegisterPart(reg))
        l.storeRegister(loc, start(*c, reg), accumulators, reg);
    walkDepth(map, *a, *right, accumulators);
    for (int64_t reg = 0; reg < map.numRegisters(); ++reg)
      if (map.getRegisterPart(reg))
        l.storeRegister(loc,
                        castElement(b, loc,
                                    l.loadRegister(loc, accumulators, reg),
                                    c->element),
                        *c, reg);
    return success();
  }

private:
  /// Operands in fragments go to shared memory first.
  FailureOr<Buffer> getOperand(Value memref) {
    const Buffer *buffer = l.getBuffer(op, memref);
    if (!buffer)
      return failure();
    if (buffer->space == MemorySpace::Shared)
      return *buffer;
    op.emitOpError() << "expected the operands of multiply-adds in shared "
                        "memory, got a fragment; run 'tile-infer-layout', "
                        "which copies it";
    return failure();
  }

  Value start(const Buffer &c, int64_t reg) {
    Value zero = constantZero(b, loc, element);
    if (op.getClear())
      return zero;
    Value old = castElement(b, loc, l.loadRegister(loc, c, reg), element);
    if (!op.getClearIf())
      return old;
    return arith::SelectOp::create(b, loc, op.getClearIf(), zero, old);
  }

  Value widen(Value value, bool isUnsigned) {
    value = castElement(b, loc, value, element, {isUnsigned, false});
    if (op.getPrecision() == Precision::TF32)
      value = roundToTF32(b, loc, value);
    return value;
  }

  void walkDepth(const ThreadMap &map, const Buffer &a, const Buffer &right,
                 const Buffer &accumulators) {
    auto loop = scf::ForOp::create(b, loc, constantIndex(b, loc, 0),
                                   constantIndex(b, loc, op.getK()),
                                   constantIndex(b, loc, 1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value k = loop.getInductionVar();
    // What lies past a tile that the registers overhang is read at its edge.
    auto read = [&](const Buffer &operand, bool transposed, int dim,
                    int64_t part, int64_t extent, bool isUnsigned) {
      Value at = map.getThreadPart(dim);
      if (part != 0)
        at = b.createOrFold<arith::AddIOp>(loc, at, l.i32(loc, part));
      if (!map.isExact())
        at = arith::MinUIOp::create(b, loc, at, l.i32(loc, extent - 1));
      SmallVector<Value> index{at, k};
      if (transposed != (dim == 1))
        std::swap(index[0], index[1]);
      return widen(l.load(loc, operand, l.getOffset(loc, operand, index)),
                   isUnsigned);
    };
    llvm::SmallDenseMap<int64_t, Value> rows, columns;
    for (int64_t reg = 0; reg < map.numRegisters(); ++reg) {
      auto part = map.getRegisterPart(reg);
      if (!part)
        continue;
      Value &x = rows[(*part)[0]];
      if (!x)
        x = read(a, op.getTransposeA(), 0, (*part)[0], op.getM(),
                 op.getAUnsigned());
      Value &y = columns[(*part)[1]];
      if (!y)
        y = read(right, op.getTransposeB(), 1, (*part)[1], op.getN(),
                 op.getBUnsigned());
      Value sum = l.loadRegister(loc, accumulators, reg);
      if (isa<FloatType>(element)) {
        sum = math::FmaOp::create(b, loc, x, y, sum);
      } else {
        Value product = arith::MulIOp::create(b, loc, x, y);
        sum = arith::AddIOp::create(b, loc, sum, product);
      }
      l.storeRegister(loc, sum, accumulators, reg);
    }
  }

  GemmOp op;
  KernelLowering &l;
  OpBuilder &b;
  Location loc;
  Type element;
};

struct GemmModel : SIMTLoweringOpInterface::ExternalModel<GemmModel, GemmOp> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    auto gemm = cast<GemmOp>(op);
    MmaAttr choice = gemm.getInstructionAttr();
    if (!choice)
      return gemm.emitOpError("expected an instruction; run "
                              "'tile-select-instructions' first");
    if (choice.getFamily() == Instruction::FMA) {
      if (failed(verifyAccumulator(gemm, gemm.getC())))
        return failure();
      return FmaEmitter(gemm, l).emit();
    }
    return l.getSIMT().emitMma(l, gemm);
  }
};

struct GemmWaitModel
    : SIMTLoweringOpInterface::ExternalModel<GemmWaitModel, GemmWaitOp> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    return l.getSIMT().waitForMma(l, cast<GemmWaitOp>(op));
  }
};
} // namespace

void simt::attachGemmModels(MLIRContext *context) {
  GemmOp::attachInterface<GemmModel>(*context);
  GemmWaitOp::attachInterface<GemmWaitModel>(*context);
}
