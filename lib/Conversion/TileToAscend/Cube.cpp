//===- Cube.cpp - products on the cube ------------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;
namespace target = ::tile::target;
using tl::MemorySpace;

static Value createCubeBuffer(OpBuilder &b, tl::KernelOp kernel,
                              ArrayRef<int64_t> shape, Type element,
                              MemorySpace space) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&kernel.getBody().front());
  auto type = MemRefType::get(shape, element, AffineMap(),
                              tl::MemorySpaceAttr::get(b.getContext(), space));
  return tl::AllocOp::create(b, kernel.getLoc(), type, tl::LayoutAttr(),
                             IntegerAttr());
}

/// How much of K goes through L0A and L0B at once: two parts fit each, so that
/// one is loaded while the other is multiplied.
static int64_t getKPart(const target::AscendSpec &spec, int64_t m, int64_t n,
                        int64_t k, int64_t bytes) {
  auto capacity = [&](target::Space space) {
    return spec.findMemory(space)->userBytes / 2 / bytes;
  };
  int64_t unit = std::max<int64_t>(spec.accumulatorFractal,
                                   spec.blockBytes / bytes);
  int64_t part = std::min(capacity(target::Space::L0A) / m,
                          capacity(target::Space::L0B) / n);
  return std::min(k, part / unit * unit);
}

LogicalResult KernelLowering::lowerGemm(tl::GemmOp op) {
  Location loc = op.getLoc();
  Value a = op.getA(), w = op.getB(), c = op.getC();
  for (auto [buffer, space] : {std::pair(a, MemorySpace::L1),
                               std::pair(w, MemorySpace::L1),
                               std::pair(c, MemorySpace::L0C)})
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
    return op.emitError("the cube has no unsigned operands and no tf32");
  Type element = cast<MemRefType>(a.getType()).getElementType();
  int64_t m = op.getM(), n = op.getN(), k = op.getK();
  int64_t part = getKPart(spec, m, n, k, element.getIntOrFloatBitWidth() / 8);
  if (part <= 0)
    return op.emitError() << "a product of " << m << "x" << n
                          << " is too large for the cube's operand buffers";
  bool single = part >= k;
  SmallVector<Value, 2> lefts, rights;
  for (unsigned i = 0; i < (single ? 1 : 2); ++i) {
    lefts.push_back(
        createCubeBuffer(b, kernel, {m, part}, element, MemorySpace::L0A));
    rights.push_back(
        createCubeBuffer(b, kernel, {part, n}, element, MemorySpace::L0B));
  }
  auto getSide = [&](Value buffer, int64_t from, int64_t size,
                     bool rowsAreK) -> Value {
    auto type = cast<MemRefType>(buffer.getType());
    if (size == k)
      return buffer;
    int64_t offsets[] = {rowsAreK ? from : 0, rowsAreK ? 0 : from};
    int64_t sizes[] = {rowsAreK ? size : type.getDimSize(0),
                       rowsAreK ? type.getDimSize(1) : size};
    SmallVector<OpFoldResult> ones(2, b.getIndexAttr(1));
    return memref::SubViewOp::create(
               b, loc, buffer, getAsIndexOpFoldResult(b.getContext(), offsets),
               getAsIndexOpFoldResult(b.getContext(), sizes), ones);
  };
  for (int64_t at = 0, turn = 0; at < k; at += part, ++turn) {
    int64_t size = std::min(part, k - at);
    Value left = lefts[turn % lefts.size()], right = rights[turn % rights.size()];
    if (size != part) {
      left = createCubeBuffer(b, kernel, {m, size}, element, MemorySpace::L0A);
      right = createCubeBuffer(b, kernel, {size, n}, element, MemorySpace::L0B);
    }
    LoadL0AOp::create(b, loc, left, getSide(a, at, size, op.getTransposeA()),
                      op.getTransposeA());
    LoadL0BOp::create(b, loc, right, getSide(w, at, size, !op.getTransposeB()),
                      op.getTransposeB());
    Value init = op.getClearIf();
    if (!init || at > 0)
      init = arith::ConstantOp::create(
          b, loc, b.getBoolAttr(op.getClear() && at == 0));
    MmadOp::create(b, loc, c, left, right, init);
  }
  return success();
}

/// The accumulator has no store from outside: a product of zeros clears it.
LogicalResult KernelLowering::lowerCubeFill(tl::FillOp op) {
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
  int64_t k = std::max<int64_t>(spec.accumulatorFractal,
                                spec.blockBytes /
                                    (element.getIntOrFloatBitWidth() / 8));
  Value left = createCubeBuffer(b, kernel, {type.getDimSize(0), k}, element,
                                MemorySpace::L0A);
  Value right = createCubeBuffer(b, kernel, {k, type.getDimSize(1)}, element,
                                 MemorySpace::L0B);
  Value zero = constantOf(loc, element, 0);
  FillL0AOp::create(b, loc, left, zero);
  FillL0BOp::create(b, loc, right, zero);
  MmadOp::create(b, loc, op.getBuffer(), left, right,
                 arith::ConstantOp::create(b, loc, b.getBoolAttr(true)));
  return success();
}
