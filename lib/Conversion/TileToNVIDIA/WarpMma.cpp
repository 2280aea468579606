//===- WarpMma.cpp - mma.sync and mma.sp ----------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NVIDIASIMTTarget.h"
#include "PTX.h"
#include "SparseMetadata.h"

#include "Tile/Transforms/GemmLayouts.h"
#include "Tile/Transforms/SparseGemms.h"

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
  WarpMmaEmitter(const WarpProduct &product, KernelLowering &l)
      : product(product), l(l), b(l.builder()), loc(product.op->getLoc()) {}

  LogicalResult emit(const MmaInstruction &instruction);

private:
  void beginAccumulators(const Buffer &c);
  void endAccumulators(const Buffer &c);
  void accumulate(const MmaInstance &instance, ArrayRef<Value> a,
                  ArrayRef<Value> right, int64_t step);
  void emitStep(FragmentReader &aReader, FragmentReader &bReader, int64_t step);
  void emitSteps(FragmentReader &aReader, FragmentReader &bReader);
  std::string getName() const;
  SmallVector<Value> issue(ArrayRef<Value> a, ArrayRef<Value> right,
                           ArrayRef<Value> c,
                           std::optional<SparsityOperand> sparsity);

  const WarpProduct &product;
  KernelLowering &l;
  OpBuilder &b;
  Location loc;
  MmaInstruction mma;
  Buffer accumulators;
  SmallVector<MmaInstance> instances;
  int64_t steps = 1;    // along K, in one iteration
  int64_t together = 1; // of these; see WarpOperand
  std::optional<WarpOperand> left, right;
  std::optional<MetadataReader> metadata; // of a sparse product
};
} // namespace

/// With its types.
std::string WarpMmaEmitter::getName() const {
  std::string name;
  llvm::raw_string_ostream os(name);
  const auto &row = *mma.choice.row;
  // PTX ISA, "mma.sp": without the qualifier, places in any order, which may be
  // slow from sm_90 on.
  if (metadata)
    os << "mma.sp"
       << (getPTXVersion(l.getTarget()) >= 85 ? "::ordered_metadata" : "")
       << ".sync.aligned.m" << mma.m() << "n" << mma.n() << "k"
       << mma.k() * product.depthOfB << ".row.col";
  else
    os << row.instruction;
  os << "." << getPTXType(mma.c) << "." << getPTXType(mma.a) << "."
     << getPTXType(mma.b) << "." << getPTXType(mma.c);
  return name;
}

SmallVector<Value>
WarpMmaEmitter::issue(ArrayRef<Value> a, ArrayRef<Value> right,
                      ArrayRef<Value> c,
                      std::optional<SparsityOperand> sparsity) {
  auto letterOf = [](Value value) {
    Type type = value.getType();
    return type.isF64() ? "d" : type.isF32() ? "f" : "r";
  };
  std::string constraints, text;
  llvm::raw_string_ostream os(text);
  os << getName() << " ";
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
  if (sparsity) {
    os << ", $" << next++ << ", " << sparsity->selector;
    constraints += ",r";
    operands.push_back(sparsity->metadata);
  }
  os << ";";
  return emitAsm(l.builder(), loc, text, results, constraints, operands);
}

void WarpMmaEmitter::accumulate(const MmaInstance &instance, ArrayRef<Value> a,
                                ArrayRef<Value> right, int64_t step) {
  SmallVector<Value> elements;
  for (int64_t reg : instance.registers)
    elements.push_back(l.loadRegister(loc, accumulators, reg));
  std::optional<SparsityOperand> sparsity;
  if (metadata)
    sparsity = metadata->read(instance.m, step);
  SmallVector<Value> results =
      issue(a, right, packRegisters(l, loc, elements), sparsity);
  results = unpackRegisters(l, loc, results, accumulators.element,
                            instance.registers.size());
  for (auto [reg, value] : llvm::zip(instance.registers, results))
    l.storeRegister(loc, value, accumulators, reg);
}

/// The instructions that share out K, from this one of the iteration on.
void WarpMmaEmitter::emitStep(FragmentReader &aReader, FragmentReader &bReader,
                              int64_t first) {
  int64_t k0 = first * mma.k();
  std::map<int64_t, SmallVector<Value>> rows, columns;
  for (const MmaInstance &instance : instances) {
    if (!rows.count(instance.m))
      rows[instance.m] = aReader.read(instance.m, k0);
    if (!columns.count(instance.n))
      for (int64_t i = 0; i < product.depthOfB; ++i)
        llvm::append_range(columns[instance.n],
                           bReader.read(instance.n, k0 * product.depthOfB +
                                                        i * mma.k()));
  }
  for (int64_t step = 0; step < together; ++step)
    for (const MmaInstance &instance : instances)
      accumulate(instance, left->getStep(rows[instance.m], step),
                 right->getStep(columns[instance.n], step), first + step);
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
  if (!isWidened && !product.clear && !product.clearIf)
    return;
  Value zero = constantZero(b, loc, accumulators.element);
  for (const MmaInstance &instance : instances)
    for (int64_t reg : instance.registers) {
      Value value = zero;
      if (!product.clear)
        value = castElement(b, loc, l.loadRegister(loc, c, reg),
                            accumulators.element);
      if (product.clearIf)
        value = arith::SelectOp::create(b, loc, product.clearIf, zero, value);
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

/// Iterations count the stored elements of A.
void WarpMmaEmitter::emitSteps(FragmentReader &aReader,
                               FragmentReader &bReader) {
  auto emitIteration = [&](Value k) {
    Value kOfB = k;
    if (k && product.depthOfB != 1)
      kOfB = arith::MulIOp::create(b, loc, k,
                                   constantIndex(b, loc, product.depthOfB));
    aReader.beginIteration(k);
    bReader.beginIteration(kOfB);
    if (metadata)
      metadata->beginIteration(k);
    for (int64_t step = 0; step < steps; step += together)
      emitStep(aReader, bReader, step);
  };
  int64_t depth = product.getStoredK();
  if (steps * mma.k() == depth)
    return emitIteration({});
  auto loop = scf::ForOp::create(b, loc, constantIndex(b, loc, 0),
                                 constantIndex(b, loc, depth),
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

LogicalResult WarpMmaEmitter::emit(const MmaInstruction &instruction) {
  if (failed(verifyAccumulator(product.op, product.c)))
    return failure();
  const Buffer *c = l.getBuffer(product.op, product.c);
  const Buffer *a = l.getBuffer(product.op, product.a);
  const Buffer *b = l.getBuffer(product.op, product.b);
  if (!c || !a || !b)
    return failure();
  mma = instruction;
  auto covering = findInstances(product.op, mma, *c, l.threads());
  if (failed(covering))
    return failure();
  instances = *covering;
  ThreadMap map(c->layout, l.threads());
  map.materialize(l.builder(), loc);
  steps = countSteps(product.getStoredK() / mma.k(),
                     a->isRegister() || b->isRegister());
  auto gemm = dyn_cast<GemmOp>(product.op);
  for (auto [role, buffer] : {std::pair(MatrixOperand::A, a),
                              std::pair(MatrixOperand::B, b)})
    if (gemm && buffer->isRegister())
      together = getStepsOfLayout(gemm, role, buffer->layout, l.getTarget(),
                                  l.threads().warps);
  left.emplace(product, MatrixOperand::A, mma, *a, steps, together);
  right.emplace(product, MatrixOperand::B, mma, *b, steps * product.depthOfB,
                together);
  if (auto sparse = dyn_cast<SparseGemmOp>(product.op)) {
    const Buffer *places = l.getBuffer(sparse, sparse.getMetadata());
    if (!places)
      return failure();
    metadata.emplace(product, *places, sparse.getTransposeMetadata(),
                     steps, map.getWarpPart(0), l);
  }
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
  FailureOr<MmaInstruction> found = findInstruction(op, l);
  if (failed(found))
    return failure();
  WarpProduct product(op);
  return WarpMmaEmitter(product, l).emit(*found);
}

LogicalResult nvidia::emitSparseMma(SparseGemmOp op, KernelLowering &l) {
  auto choice = getDenseChoice(op, l.getTarget());
  if (!choice)
    return op.emitOpError() << choice.reason();
  auto types = getMmaTypes(op);
  auto found = makeInstruction(*choice, *types);
  for (auto [operand, name] : {std::pair(op.getA(), "a"),
                               std::pair(op.getMetadata(), "metadata"),
                               std::pair(op.getB(), "b")})
    if (getMemorySpace(operand) != MemorySpace::Shared)
      return op.emitOpError()
             << "expected '" << name
             << "' in shared memory; run 'tile-infer-layout', which copies it";
  if (op.getInstructionAttr().getFamily() == Instruction::WGMMA)
    return emitSparseWarpgroupMma(op, *found, l);
  WarpProduct product(op);
  return WarpMmaEmitter(product, l).emit(*found);
}
