//===- WarpMma.cpp - mma.sync ---------------------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixAccess.h"
#include "NVIDIATarget.h"
#include "PTX.h"

#include "Tile/Conversion/TileToSIMT/Mma.h"

#include "Tile/Layout/Algebra.h"
#include "Tile/Transforms/GemmLayouts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Remarks.h"

#include <map>

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvidia;
using namespace mlir::tile::simt;
using ::tile::layout::Axis;
using ::tile::layout::fail;
using ::tile::layout::Layout;
using ::tile::layout::MatrixOperand;
using ::tile::layout::Result;
using ::tile::layout::Status;
using ::tile::target::ElementType;

// Deeper products are loops over so many steps or less.
static constexpr int64_t kMaxUnrolledDepth = 8;

//===----------------------------------------------------------------------===//
// mma.sync
//===----------------------------------------------------------------------===//

namespace {
class WarpMmaEmitter {
public:
  WarpMmaEmitter(GemmOp op, KernelLowering &l)
      : op(op), l(l), b(l.builder()), loc(op.getLoc()) {}

  LogicalResult emit();

private:
  /// An operand of the product: which dimension of its buffer is M or N.
  struct Side {
    const Buffer *buffer;
    Layout fragment; // over (row, k) for A, (k, column) for B
    int outer, depth; // dimensions of the fragment
    bool transposed; // the buffer's dimensions are swapped
    Value warpPart;
    int64_t run = 1; // registers that are read as one vector

    /// With ldmatrix: the fragment of all warps, over the steps of one
    /// iteration, and how far apart iterations lie in memory.
    std::optional<MatrixTile> matrices = {};
    Layout whole = {};
    int64_t stride = 0;
    std::unique_ptr<MatrixMover> mover = {};
  };

  SmallVector<Value> readOperand(const Side &side, int64_t outer, int64_t k0,
                                 Value k);
  SmallVector<Value> readMatrices(const Side &side, int64_t outer, int64_t k0);
  bool isPacked(const Side &side, int64_t run);
  Result<Layout> getIterationLayout(Side &side);
  Status findMatrices(Side &side, MatrixOperand role, const Buffer &c);
  void chooseLoads(Side &side, MatrixOperand role, const Buffer &c);
  void beginIteration(Side &side, Value k);
  int64_t getWord(const Side &side, int64_t reg, int64_t outer, int64_t k0);
  void beginSums(const Buffer &c);
  void endSums(const Buffer &c);
  void emitStep(const Side &a, const Side &right, Value k, int64_t k0);
  void emitSteps(Side &a, Side &right);
  SmallVector<Value> issue(ArrayRef<Value> a, ArrayRef<Value> right,
                           ArrayRef<Value> c);

  GemmOp op;
  KernelLowering &l;
  OpBuilder &b;
  Location loc;
  MmaInstruction mma;
  Buffer sums;
  SmallVector<MmaInstance> instances;
  int64_t steps = 1; // along K, in one iteration
};
} // namespace

//===----------------------------------------------------------------------===//
// ldmatrix
//===----------------------------------------------------------------------===//

static ::tile::layout::Coord getCoord(bool transposed, int64_t row,
                                      int64_t column) {
  return transposed ? ::tile::layout::Coord{column, row}
                    : ::tile::layout::Coord{row, column};
}

/// The part of the buffer's layout that one iteration reads. All others must
/// look the same, `side.stride` apart.
Result<Layout> WarpMmaEmitter::getIterationLayout(Side &side) {
  const Layout &layout = side.buffer->layout;
  int64_t depth = steps * mma.k();
  if (depth == op.getK())
    return layout;
  int dim = side.transposed ? 1 - side.depth : side.depth;
  ::tile::layout::Coord next(2, 0);
  next[dim] = depth;
  side.stride = layout.at(next)[Axis::Offset];
  bool isSame = ::tile::layout::forEachCoord(
      layout.shape(), [&](const ::tile::layout::Coord &at) {
        ::tile::layout::Coord first = at;
        first[dim] %= depth;
        return layout.at(at)[Axis::Offset] ==
               layout.at(first)[Axis::Offset] + at[dim] / depth * side.stride;
      });
  if (!isSame)
    return fail("expected ", depth, " elements along K to repeat in memory");
  std::vector<int64_t> shape = layout.shape();
  shape[dim] = depth;
  auto part = ::tile::layout::subtile(layout, {0, 0}, shape);
  return part ? Result<Layout>(part->layout) : part.failure();
}

/// The 32-bit word of `side.whole` that begins with a register of a fragment;
/// -1 if it belongs to another thread than in the fragment.
int64_t WarpMmaEmitter::getWord(const Side &side, int64_t reg, int64_t outer,
                                int64_t k0) {
  ThreadGroup warp = l.threads();
  warp.warps = 1;
  auto part = *ThreadMap(side.fragment, warp).getRegisterPart(reg);
  part[side.outer] += outer;
  part[side.depth] += k0;
  auto at = side.whole.sum(getCoord(side.transposed, part[0], part[1]));
  bool isOwn = at[Axis::Lane] == 0 && at[Axis::Warp] == 0 &&
               at[Axis::Reg] % side.matrices->elementsPerWord == 0;
  return isOwn ? at[Axis::Reg] / side.matrices->elementsPerWord : -1;
}

Status WarpMmaEmitter::findMatrices(Side &side, MatrixOperand role,
                                    const Buffer &c) {
  Result<Layout> memory = getIterationLayout(side);
  if (!memory)
    return memory.failure();
  MmaAttr choice = op.getInstructionAttr();
  auto sums = getGemmFragment(op, MatrixOperand::C, l.getTarget(),
                              l.threads().warps);
  auto isUsual = sums ? equivalent(c.layout, *sums)
                      : Result<bool>(sums.failure());
  if (!isUsual || !*isUsual)
    return fail("expected the accumulator's usual layout, got ",
                c.layout.str());
  int64_t depth = steps * mma.k();
  std::vector<int64_t> shape = role == MatrixOperand::A
                                   ? std::vector<int64_t>{op.getM(), depth}
                                   : std::vector<int64_t>{depth, op.getN()};
  Result<Layout> whole =
      tileFragment(side.fragment, role, shape,
                   {choice.getWarpsM(), choice.getWarpsN()}, l.threads().warps);
  if (whole && side.transposed)
    whole = ::tile::layout::permute(*whole, {1, 0});
  if (!whole)
    return whole.failure();
  auto matrices = matchMatrixTile(*whole, *memory, side.buffer->element,
                                  /*isStore=*/false, l);
  if (!matrices)
    return matrices.failure();
  side.whole = *whole;
  side.matrices = *matrices;
  for (const MmaInstance &instance : instances)
    for (int64_t k0 = 0; k0 < depth; k0 += mma.k())
      for (int64_t reg = 0; reg < side.fragment.axisSize(Axis::Reg);
           reg += matrices->elementsPerWord)
        if (getWord(side, reg, role == MatrixOperand::A ? instance.m : instance.n,
                    k0) < 0) {
          side.matrices.reset();
          return fail("expected the operand's usual fragment, got ",
                      whole->str());
        }
  return ::tile::layout::Success{};
}

void WarpMmaEmitter::beginIteration(Side &side, Value k) {
  if (!side.matrices)
    return;
  Value base = side.buffer->base;
  if (k) {
    Value number = arith::DivUIOp::create(b, loc, l.toI32(loc, k),
                                          l.i32(loc, steps * mma.k()));
    base = l.getAddress(loc, *side.buffer,
                        arith::MulIOp::create(b, loc, number,
                                              l.i32(loc, side.stride)));
  }
  side.mover = std::make_unique<MatrixMover>(l, loc, *side.matrices,
                                             side.buffer->element, base);
}

SmallVector<Value> WarpMmaEmitter::readMatrices(const Side &side, int64_t outer,
                                                int64_t k0) {
  SmallVector<Value> registers;
  for (int64_t reg = 0; reg < side.fragment.axisSize(Axis::Reg);
       reg += side.matrices->elementsPerWord) {
    Value word = side.mover->load(getWord(side, reg, outer, k0));
    if (mma.a == ElementType::TF32)
      word = roundToTF32(
          b, loc, arith::BitcastOp::create(b, loc, b.getF32Type(), word));
    registers.push_back(word);
  }
  return registers;
}

//===----------------------------------------------------------------------===//
// Ordinary loads
//===----------------------------------------------------------------------===//

/// Whether runs of registers are runs in memory, for any step along K.
bool WarpMmaEmitter::isPacked(const Side &side, int64_t run) {
  ThreadGroup warp = l.threads();
  warp.warps = 1;
  ThreadMap map(side.fragment, warp);
  if (side.buffer->space != MemorySpace::Shared || run == 1)
    return false;
  const Layout &layout = side.buffer->layout;
  int64_t step = side.fragment.extent(side.depth);
  int64_t outerExtent = side.outer == 0 ? op.getM() : op.getN();
  int64_t size = side.fragment.extent(side.outer);
  for (int64_t k0 = 0; k0 < op.getK(); k0 += step)
    for (int64_t o0 = 0; o0 + size <= outerExtent; o0 += size)
      for (int64_t lane = 0; lane < l.threads().lanes; ++lane)
        for (int64_t reg = 0; reg < map.numRegisters(); reg += run) {
          int64_t first = 0;
          for (int64_t i = 0; i < run; ++i) {
            auto at = map.getElement(lane, 0, reg + i);
            if (!at)
              return false;
            ::tile::layout::Coord coord{(*at)[0], (*at)[1]};
            coord[side.depth] += k0;
            coord[side.outer] += o0;
            if (side.transposed)
              std::swap(coord[0], coord[1]);
            int64_t offset = layout.at(coord)[Axis::Offset];
            if (i == 0)
              first = offset;
            if (offset != first + i || first % run != 0)
              return false;
          }
        }
  return true;
}

SmallVector<Value> WarpMmaEmitter::readOperand(const Side &side, int64_t outer,
                                               int64_t k0, Value k) {
  if (side.matrices)
    return readMatrices(side, outer, k0);
  ThreadGroup warp = l.threads();
  warp.warps = 1;
  warp.warp = l.i32(loc, 0);
  ThreadMap map(side.fragment, warp);
  map.materialize(b, loc);
  const Buffer &buffer = *side.buffer;
  SmallVector<Value> elements;
  if (buffer.space == MemorySpace::Fragment) {
    for (int64_t reg = 0; reg < map.numRegisters(); ++reg) {
      auto part = *map.getRegisterPart(reg);
      part[side.outer] += outer;
      part[side.depth] += k0;
      ::tile::layout::Coord coord{part[0], part[1]};
      if (side.transposed)
        std::swap(coord[0], coord[1]);
      elements.push_back(
          l.loadRegister(loc, buffer, buffer.layout.sum(coord)[Axis::Reg]));
    }
    return packRegisters(l, loc, elements);
  }
  int64_t run = side.run;
  for (int64_t reg = 0; reg < map.numRegisters(); reg += run) {
    SmallVector<Value> at = map.getCoordinates(b, loc,
                                               *map.getRegisterPart(reg));
    Value base = l.i32(loc, outer);
    base = b.createOrFold<arith::AddIOp>(loc, base, side.warpPart);
    at[side.outer] = b.createOrFold<arith::AddIOp>(loc, at[side.outer], base);
    Value depth = l.i32(loc, k0);
    if (k)
      depth = b.createOrFold<arith::AddIOp>(loc, l.toI32(loc, k), depth);
    at[side.depth] = b.createOrFold<arith::AddIOp>(loc, at[side.depth], depth);
    if (side.transposed)
      std::swap(at[0], at[1]);
    Value value = l.load(loc, buffer, l.getOffset(loc, buffer, at), run);
    if (run == 1) {
      elements.push_back(value);
      continue;
    }
    for (int64_t i = 0; i < run; ++i)
      elements.push_back(
          vector::ExtractOp::create(b, loc, value, ArrayRef<int64_t>{i}));
  }
  if (mma.a == ElementType::TF32)
    for (Value &value : elements)
      value = roundToTF32(b, loc, value);
  return packRegisters(l, loc, elements);
}

SmallVector<Value> WarpMmaEmitter::issue(ArrayRef<Value> a,
                                         ArrayRef<Value> right,
                                         ArrayRef<Value> c) {
  auto letterOf = [](Value value) {
    Type type = value.getType();
    return type.isF64() ? "d" : type.isF32() ? "f" : "r";
  };
  std::string constraints, text;
  llvm::raw_string_ostream os(text);
  const auto &row = *mma.choice.row;
  os << row.instruction << "." << getPTXType(mma.c) << "." << getPTXType(mma.a)
     << "." << getPTXType(mma.b) << "." << getPTXType(mma.c) << " ";
  SmallVector<Type> results;
  for (Value value : c) {
    constraints += std::string(constraints.empty() ? "=" : ",=") +
                   letterOf(value);
    results.push_back(value.getType());
  }
  SmallVector<Value> operands;
  int64_t next = 0;
  auto list = [&](size_t count) {
    os << "{";
    for (size_t i = 0; i < count; ++i)
      os << (i ? ", $" : "$") << next++;
    os << "}";
  };
  list(c.size());
  for (ArrayRef<Value> group : {a, right, c}) {
    os << ", ";
    list(group.size());
    for (Value value : group) {
      // A value of 32 bits that is a float enters the integer file.
      bool isC = group.data() == c.data();
      if (!isC && value.getType().isF32())
        value = LLVM::BitcastOp::create(b, loc, b.getI32Type(), value);
      constraints += std::string(",") + letterOf(value);
      operands.push_back(value);
    }
  }
  os << ";";
  return emitAsm(l.builder(), loc, text, results, constraints, operands);
}

void WarpMmaEmitter::emitStep(const Side &a, const Side &right, Value k,
                              int64_t k0) {
  std::map<int64_t, SmallVector<Value>> rows, columns;
  int64_t count = mma.cFragment.axisSize(Axis::Reg);
  for (const MmaInstance &instance : instances) {
    auto &x = rows[instance.m];
    if (x.empty())
      x = readOperand(a, instance.m, k0, k);
    auto &y = columns[instance.n];
    if (y.empty())
      y = readOperand(right, instance.n, k0, k);
    SmallVector<Value> elements;
    for (int64_t reg : instance.registers)
      elements.push_back(l.loadRegister(loc, sums, reg));
    SmallVector<Value> results =
        issue(x, y, packRegisters(l, loc, elements));
    results = unpackRegisters(l, loc, results, sums.element, count);
    for (auto [reg, value] : llvm::zip(instance.registers, results))
      l.storeRegister(loc, value, sums, reg);
  }
}

/// Sums have the type that the instruction adds in: an accumulator of fewer bits
/// is widened here, and rounded once at the end.
void WarpMmaEmitter::beginSums(const Buffer &c) {
  sums = c;
  sums.element = getAccumulatorType(c.element);
  bool isWidened = sums.element != c.element;
  if (isWidened)
    sums.base = l.createRegisters(
        loc, sums.element, ThreadMap(c.layout, l.threads()).numRegisters());
  if (!isWidened && !op.getClear() && !op.getClearIf())
    return;
  Value zero = constantZero(b, loc, sums.element);
  for (const MmaInstance &instance : instances)
    for (int64_t reg : instance.registers) {
      Value value = zero;
      if (!op.getClear())
        value = castElement(b, loc, l.loadRegister(loc, c, reg), sums.element);
      if (op.getClearIf())
        value = arith::SelectOp::create(b, loc, op.getClearIf(), zero, value);
      l.storeRegister(loc, value, sums, reg);
    }
}

void WarpMmaEmitter::endSums(const Buffer &c) {
  if (sums.element == c.element)
    return;
  for (const MmaInstance &instance : instances)
    for (int64_t reg : instance.registers)
      l.storeRegister(
          loc, castElement(b, loc, l.loadRegister(loc, sums, reg), c.element), c,
          reg);
}

void WarpMmaEmitter::emitSteps(Side &a, Side &right) {
  auto emitIteration = [&](Value k) {
    for (Side *side : {&a, &right})
      beginIteration(*side, k);
    for (int64_t step = 0; step < steps; ++step)
      emitStep(a, right, k, step * mma.k());
  };
  if (steps * mma.k() == op.getK())
    return emitIteration({});
  auto loop = scf::ForOp::create(b, loc, constantIndex(b, loc, 0),
                                 constantIndex(b, loc, op.getK()),
                                 constantIndex(b, loc, steps * mma.k()));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  emitIteration(loop.getInductionVar());
}

/// Steps of one iteration: all, or a part that leaves no rest.
static int64_t countSteps(int64_t all, bool inRegisters) {
  if (all <= kMaxUnrolledDepth || inRegisters)
    return all;
  int64_t steps = kMaxUnrolledDepth;
  while (all % steps != 0)
    --steps;
  return steps;
}

/// How an operand comes from shared memory: by ldmatrix, or in vectors.
void WarpMmaEmitter::chooseLoads(Side &side, MatrixOperand role,
                                 const Buffer &c) {
  if (side.buffer->space != MemorySpace::Shared)
    return;
  auto opts =
      remark::RemarkOpts::name("MatrixLoad").category("convert-tile-to-gpu");
  StringRef name = role == MatrixOperand::A ? "a" : "b";
  if (Status ok = findMatrices(side, role, c); !ok) {
    remark::missed(op.getLoc(), opts)
        << remark::reason("no ldmatrix for '{0}': {1}", name, ok.reason());
    int64_t bits =
        getStorageType(side.buffer->element).getIntOrFloatBitWidth();
    int64_t pack = std::max<int64_t>(1, 32 / bits);
    side.run = isPacked(side, pack) ? pack : 1;
    return;
  }
  remark::passed(op.getLoc(), opts)
      << remark::reason("'{0}' by ldmatrix.x{1}{2}", name,
                        side.matrices->access.count,
                        side.matrices->access.trans ? ".trans" : "");
}

LogicalResult WarpMmaEmitter::emit() {
  if (failed(verifyAccumulator(op)))
    return failure();
  FailureOr<MmaInstruction> found = findInstruction(op, l);
  const Buffer *c = l.getBuffer(op, op.getC());
  const Buffer *a = l.getBuffer(op, op.getA());
  const Buffer *right = l.getBuffer(op, op.getB());
  if (failed(found) || !c || !a || !right)
    return failure();
  mma = *found;
  auto covering = findInstances(op, mma, *c, l.threads());
  if (failed(covering))
    return failure();
  instances = *covering;
  ThreadMap map(c->layout, l.threads());
  map.materialize(b, loc);
  Side left{a, mma.aFragment, 0, 1, op.getTransposeA(), map.getWarpPart(0)};
  Side other{right, mma.bFragment, 1, 0, op.getTransposeB(),
             map.getWarpPart(1)};
  steps = countSteps(op.getK() / mma.k(), a->isRegister() || right->isRegister());
  chooseLoads(left, MatrixOperand::A, *c);
  chooseLoads(other, MatrixOperand::B, *c);
  // Warps beyond the grid have no part of the product.
  l.inIf(loc, map.getThreadGuard(), [&] {
    beginSums(*c);
    emitSteps(left, other);
    endSums(*c);
  });
  return success();
}

LogicalResult nvidia::emitWarpMma(GemmOp op, KernelLowering &l) {
  return WarpMmaEmitter(op, l).emit();
}
