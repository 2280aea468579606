//===- WarpMma.cpp - mma.sync ---------------------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NVIDIASIMTTarget.h"
#include "PTX.h"
#include "WarpOperand.h"

#include "Tile/Transforms/GemmLayouts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <map>

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvidia;
using namespace mlir::tile::simt;
using ::tile::layout::Axis;
using ::tile::layout::MatrixOperand;

// Deeper products are loops over so many steps or less.
static constexpr int64_t kMaxUnrolledDepth = 8;

namespace {
class WarpMmaEmitter {
public:
  WarpMmaEmitter(GemmOp op, KernelLowering &l)
      : op(op), l(l), b(l.builder()), loc(op.getLoc()) {}

  LogicalResult emit();

private:
  void beginAccumulators(const Buffer &c);
  void endAccumulators(const Buffer &c);
  void accumulate(const MmaInstance &instance, ArrayRef<Value> a,
                  ArrayRef<Value> right);
  void emitStep(FragmentReader &aReader, FragmentReader &bReader, int64_t k0);
  void emitSteps(FragmentReader &aReader, FragmentReader &bReader);
  SmallVector<Value> issue(ArrayRef<Value> a, ArrayRef<Value> right,
                           ArrayRef<Value> c);

  GemmOp op;
  KernelLowering &l;
  OpBuilder &b;
  Location loc;
  MmaInstruction mma;
  Buffer accumulators;
  SmallVector<MmaInstance> instances;
  int64_t steps = 1;    // along K, in one iteration
  int64_t together = 1; // of these; see WarpOperand
  std::optional<WarpOperand> left, right;
};
} // namespace

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

void WarpMmaEmitter::accumulate(const MmaInstance &instance, ArrayRef<Value> a,
                                ArrayRef<Value> right) {
  SmallVector<Value> elements;
  for (int64_t reg : instance.registers)
    elements.push_back(l.loadRegister(loc, accumulators, reg));
  SmallVector<Value> results = issue(a, right, packRegisters(l, loc, elements));
  results = unpackRegisters(l, loc, results, accumulators.element,
                            instance.registers.size());
  for (auto [reg, value] : llvm::zip(instance.registers, results))
    l.storeRegister(loc, value, accumulators, reg);
}

/// The instructions that share out K.
void WarpMmaEmitter::emitStep(FragmentReader &aReader, FragmentReader &bReader,
                              int64_t k0) {
  std::map<int64_t, SmallVector<Value>> rows, columns;
  for (const MmaInstance &instance : instances) {
    if (!rows.count(instance.m))
      rows[instance.m] = aReader.read(instance.m, k0);
    if (!columns.count(instance.n))
      columns[instance.n] = bReader.read(instance.n, k0);
  }
  for (int64_t step = 0; step < together; ++step)
    for (const MmaInstance &instance : instances)
      accumulate(instance, left->getStep(rows[instance.m], step),
                 right->getStep(columns[instance.n], step));
}

/// An accumulator of fewer bits than the instruction adds in is widened here,
/// and rounded once at the end.
void WarpMmaEmitter::beginAccumulators(const Buffer &c) {
  accumulators = c;
  accumulators.element = getAccumulatorType(c.element);
  bool isWidened = accumulators.element != c.element;
  if (isWidened)
    accumulators.base =
        l.createRegisters(loc, accumulators.element,
                          ThreadMap(c.layout, l.threads()).numRegisters());
  if (!isWidened && !op.getClear() && !op.getClearIf())
    return;
  Value zero = constantZero(b, loc, accumulators.element);
  for (const MmaInstance &instance : instances)
    for (int64_t reg : instance.registers) {
      Value value = zero;
      if (!op.getClear())
        value = castElement(b, loc, l.loadRegister(loc, c, reg),
                            accumulators.element);
      if (op.getClearIf())
        value = arith::SelectOp::create(b, loc, op.getClearIf(), zero, value);
      l.storeRegister(loc, value, accumulators, reg);
    }
}

void WarpMmaEmitter::endAccumulators(const Buffer &c) {
  if (accumulators.element == c.element)
    return;
  for (const MmaInstance &instance : instances)
    for (int64_t reg : instance.registers)
      l.storeRegister(
          loc,
          castElement(b, loc, l.loadRegister(loc, accumulators, reg),
                      c.element),
          c, reg);
}

void WarpMmaEmitter::emitSteps(FragmentReader &aReader,
                               FragmentReader &bReader) {
  auto emitIteration = [&](Value k) {
    aReader.beginIteration(k);
    bReader.beginIteration(k);
    for (int64_t step = 0; step < steps; step += together)
      emitStep(aReader, bReader, step * mma.k());
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

/// Steps of one iteration: all, or a part that leaves no remainder.
static int64_t countSteps(int64_t all, bool inRegisters) {
  if (all <= kMaxUnrolledDepth || inRegisters)
    return all;
  int64_t steps = kMaxUnrolledDepth;
  while (all % steps != 0)
    --steps;
  return steps;
}

LogicalResult WarpMmaEmitter::emit() {
  if (failed(verifyAccumulator(op)))
    return failure();
  FailureOr<MmaInstruction> found = findInstruction(op, l);
  const Buffer *c = l.getBuffer(op, op.getC());
  const Buffer *a = l.getBuffer(op, op.getA());
  const Buffer *b = l.getBuffer(op, op.getB());
  if (failed(found) || !c || !a || !b)
    return failure();
  mma = *found;
  auto covering = findInstances(op, mma, *c, l.threads());
  if (failed(covering))
    return failure();
  instances = *covering;
  ThreadMap map(c->layout, l.threads());
  map.materialize(l.builder(), loc);
  steps =
      countSteps(op.getK() / mma.k(), a->isRegister() || b->isRegister());
  for (auto [role, buffer] : {std::pair(MatrixOperand::A, a),
                              std::pair(MatrixOperand::B, b)})
    if (buffer->isRegister())
      together = getStepsOfLayout(op, role, buffer->layout, l.getTarget(),
                                  l.threads().warps);
  left.emplace(op, MatrixOperand::A, mma, *a, steps, together);
  right.emplace(op, MatrixOperand::B, mma, *b, steps, together);
  auto aReader = createReader(*left, *c, instances, map.getWarpPart(0), l);
  auto bReader = createReader(*right, *c, instances, map.getWarpPart(1), l);
  // Warps beyond the grid have no part of the product.
  l.inIf(loc, map.getThreadGuard(), [&] {
    beginAccumulators(*c);
    emitSteps(*aReader, *bReader);
    endAccumulators(*c);
  });
  return success();
}

LogicalResult nvidia::emitWarpMma(GemmOp op, KernelLowering &l) {
  return WarpMmaEmitter(op, l).emit();
}
