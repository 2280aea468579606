//===- Gemm.cpp - matrix products on the cube -----------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

#include <map>

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;
namespace target = ::tile::target;
using tl::MemorySpace;

namespace {
/// What goes through L0A and L0B at once: all of M, parts of N and K.
struct Parts {
  int64_t n, k;
  bool twice; // two of them fit, so that one is loaded while the other is used
};
} // namespace

/// The largest parts, K before N: the left operand is loaded once for all parts
/// of N.
static std::optional<Parts> getParts(const target::AscendSpec &spec, int64_t m,
                                     int64_t n, int64_t k, int64_t bytes) {
  int64_t square = getSquare(spec, bytes);
  auto round = [&](int64_t extent) {
    return int64_t(llvm::alignTo(extent, square));
  };
  auto fit = [&](target::Space space, int64_t other, int64_t share) {
    return spec.findMemory(space)->userBytes / share / bytes / other / square *
           square;
  };
  for (int64_t share : {2, 1}) {
    int64_t most = std::min(fit(target::Space::L0A, round(m), share), round(k));
    if (most == 0)
      continue;
    int64_t wide = std::min(fit(target::Space::L0B, round(n), share), most);
    if (wide != 0)
      return Parts{n, std::min(wide, k), share == 2};
    int64_t part = fit(target::Space::L0B, square, share);
    if (part != 0)
      return Parts{std::min(part, n), std::min(square, k), share == 2};
  }
  return std::nullopt;
}

/// Part of a matrix of the cube; all of it is the buffer itself.
static Value createCubePart(OpBuilder &b, Location loc, Value buffer,
                            std::array<int64_t, 2> offsets,
                            std::array<int64_t, 2> sizes) {
  auto type = cast<MemRefType>(buffer.getType());
  if (type.getShape() == ArrayRef<int64_t>(sizes))
    return buffer;
  SmallVector<OpFoldResult> ones(2, b.getIndexAttr(1));
  return memref::SubViewOp::create(
      b, loc, buffer, getAsIndexOpFoldResult(b.getContext(), offsets),
      getAsIndexOpFoldResult(b.getContext(), sizes), ones);
}

/// The memories of the operands, and features that the cube has not.
static LogicalResult verifyProduct(tl::GemmOp op) {
  for (auto [buffer, space] : {std::pair(op.getA(), MemorySpace::L1),
                               std::pair(op.getB(), MemorySpace::L1),
                               std::pair(op.getC(), MemorySpace::L0C)})
    if (tl::getMemorySpace(buffer) != space)
      return op.emitError()
             << "expected an operand in '" << tl::stringifyMemorySpace(space)
             << "', got '"
             << tl::stringifyMemorySpace(tl::getMemorySpace(buffer)) << "'";
  if (op.getPrefer() && *op.getPrefer() != tl::Instruction::Cube)
    return op.emitError() << "Ascend has no gemm instruction '"
                          << stringifyEnum(*op.getPrefer()) << "'";
  if (op.getAUnsigned() || op.getBUnsigned() ||
      op.getPrecision() != tl::Precision::IEEE)
    return op.emitError("the cube has no unsigned operands and no tf32; copy "
                        "unsigned ones to tiles of f16, and leave 'precision' "
                        "out");
  return success();
}

namespace {
struct GemmModel : LoweringModel<GemmModel, tl::GemmOp> {
  std::optional<MemorySpace> getOperandMemory(Operation *op,
                                              OpOperand &operand) const {
    return operand.get() == cast<tl::GemmOp>(op).getC() ? MemorySpace::L0C
                                                        : MemorySpace::L1;
  }
  AccumulatorUse getAccumulatorUse(Operation *op) const {
    auto gemm = cast<tl::GemmOp>(op);
    return gemm.getClearIf() ? AccumulatorUse::Conditional
           : gemm.getClear() ? AccumulatorUse::Overwrite
                             : AccumulatorUse::Add;
  }
  LogicalResult lowerToInstructions(Operation *op, KernelLowering &l) const;
};
} // namespace

LogicalResult GemmModel::lowerToInstructions(Operation *self,
                                             KernelLowering &l) const {
  auto op = cast<tl::GemmOp>(self);
  OpBuilder &b = l.b;
  if (failed(verifyProduct(op)))
    return failure();
  Location loc = op.getLoc();
  Value a = op.getA(), w = op.getB(), c = op.getC();
  Type element = cast<MemRefType>(a.getType()).getElementType();
  Type rightElement = cast<MemRefType>(w.getType()).getElementType();
  int64_t m = op.getM(), n = op.getN(), k = op.getK();
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  std::optional<Parts> parts = getParts(l.spec, m, n, k, bytes);
  if (!parts)
    return op.emitError()
           << m << " rows and " << std::min(k, getSquare(l.spec, bytes))
           << " columns of the left operand are more than 'l0a' has room for; "
              "use fewer rows";
  // Two buffers of the same extents alternate.
  std::map<std::array<int64_t, 2>, SmallVector<Value, 2>> lefts, rights;
  auto getBuffer = [&](auto &buffers, std::array<int64_t, 2> shape, Type type,
                       int64_t step, bool several, MemorySpace space) {
    SmallVector<Value, 2> &known = buffers[shape];
    if (known.size() < (several && parts->twice ? 2 : 1))
      known.push_back(l.buffers.createCubeBuffer(shape, type, space));
    return known[step % known.size()];
  };
  SmallVector<Value> targets;
  for (int64_t column = 0; column < n; column += parts->n)
    targets.push_back(createCubePart(b, loc, c, {0, column},
                                     {m, std::min(parts->n, n - column)}));
  int64_t numRights = 0;
  for (int64_t at = 0, step = 0; at < k; at += parts->k, ++step) {
    int64_t depth = std::min(parts->k, k - at);
    Value left =
        getBuffer(lefts, {m, depth}, element, step, parts->k < k,
                  MemorySpace::L0A);
    bool ta = op.getTransposeA(), tb = op.getTransposeB();
    LoadL0AOp::create(b, loc, left,
                      ta ? createCubePart(b, loc, a, {at, 0}, {depth, m})
                         : createCubePart(b, loc, a, {0, at}, {m, depth}),
                      ta);
    Value init = op.getClearIf();
    if (!init || at > 0)
      init = arith::ConstantOp::create(b, loc,
                                       b.getBoolAttr(op.getClear() && at == 0));
    for (auto [index, target] : llvm::enumerate(targets)) {
      int64_t column = index * parts->n;
      int64_t width = cast<MemRefType>(target.getType()).getDimSize(1);
      Value right =
          getBuffer(rights, {depth, width}, rightElement, numRights++,
                    parts->k < k || parts->n < n, MemorySpace::L0B);
      LoadL0BOp::create(
          b, loc, right,
          tb ? createCubePart(b, loc, w, {column, at}, {width, depth})
             : createCubePart(b, loc, w, {at, column}, {depth, width}),
          tb);
      MmadOp::create(b, loc, target, left, right, init);
    }
  }
  return success();
}

/// The accumulator has no store from outside: a product of zeros clears it.
LogicalResult mlir::tile::ascend::clearAccumulator(KernelLowering &l,
                                                   tl::FillOp op) {
  OpBuilder &b = l.b;
  Location loc = op.getLoc();
  auto type = cast<MemRefType>(op.getBuffer().getType());
  if (!matchPattern(op.getValue(), m_AnyZeroFloat()) &&
      !matchPattern(op.getValue(), m_Zero()))
    return op.emitError("an accumulator of the cube is filled with the "
                        "constant 0 alone; add other values later");
  if (!type.getElementType().isF32() && !type.getElementType().isInteger(32))
    return op.emitError() << "expected an accumulator of 'f32' or 'i32', got "
                          << type.getElementType();
  Type element = type.getElementType().isF32() ? Type(b.getF16Type())
                                               : Type(b.getI8Type());
  int64_t k = std::max<int64_t>(l.spec.accumulatorFractal,
                                l.spec.blockBytes /
                                    (element.getIntOrFloatBitWidth() / 8));
  Value left = l.buffers.createCubeBuffer({type.getDimSize(0), k}, element,
                                          MemorySpace::L0A);
  Value right = l.buffers.createCubeBuffer({k, type.getDimSize(1)}, element,
                                           MemorySpace::L0B);
  Value zero = l.constantOf(loc, element, 0);
  if (!tl::ascend::hasPath(op, MemorySpace::Global, MemorySpace::L0A)) {
    // The chip does not fill L0 where it does not load it from GM.
    LoadL0AOp::create(b, loc, left,
                      l.buffers.createZeros(type.getDimSize(0), k, element),
                      /*transpose=*/false);
    LoadL0BOp::create(b, loc, right,
                      l.buffers.createZeros(type.getDimSize(1), k, element),
                      /*transpose=*/true);
  } else {
    FillL0AOp::create(b, loc, left, zero);
    FillL0BOp::create(b, loc, right, zero);
  }
  MmadOp::create(b, loc, op.getBuffer(), left, right,
                 arith::ConstantOp::create(b, loc, b.getBoolAttr(true)));
  return success();
}

void mlir::tile::ascend::attachGemmModels(MLIRContext *context) {
  tl::GemmOp::attachInterface<GemmModel>(*context);
}
