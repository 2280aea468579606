//===- WaveMma.cpp - products by AMD's matrix instructions ----------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A wave computes an accumulator of 16 or 32 rows by one instruction, MFMA of
// 64 lanes or WMMA of 32, whose operands are vectors in registers. An operand
// in shared memory is read as if it were a fragment, in vectors along K as wide
// as its layout allows; where it lies the other way, by an instruction that
// transposes, if the chip has one.
//
//===----------------------------------------------------------------------===//

#include "AMDSIMTTarget.h"

#include "Tile/Conversion/TileToSIMT/MemoryRegion.h"
#include "Tile/Conversion/TileToSIMT/Mma.h"
#include "Tile/Transforms/GemmLayouts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <map>

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::simt;
using ::tile::layout::Axis;
using ::tile::layout::Digit;
using ::tile::layout::Dim;
using ::tile::layout::Layout;
using ::tile::layout::MatrixOperand;
using ::tile::target::CopyRow;
using ::tile::target::ElementType;
using ::tile::target::MmaFamily;
using ::tile::target::Space;
using ::tile::target::Target;

namespace {

/// One operand as the registers that hold it, or would.
class OperandReader {
public:
  OperandReader(GemmOp op, KernelLowering &l, MatrixOperand role, int64_t steps)
      : l(l), b(l.builder()), loc(op.getLoc()), isA(role == MatrixOperand::A),
        transposed(isA ? op.getTransposeA() : op.getTransposeB()),
        memref(isA ? op.getA() : op.getB()),
        roundsToTF32(op.getPrecision() == Precision::TF32) {
    auto whole =
        getGemmFragment(op, role, l.getTarget(), l.threads().warps, steps);
    if (whole)
      layout = *whole;
    else
      error = whole.reason();
  }

  LogicalResult prepare(GemmOp op);
  /// The elements that a thread has of the instructions at (outer, depth), an
  /// LLVM vector of the storage type.
  Value read(int64_t outer, int64_t depth, int64_t count);

private:
  /// Sets up reads of vectors across K, if the chip transposes them.
  bool bindTransposing();
  Value readVector(int64_t reg, int64_t width);

  KernelLowering &l;
  OpBuilder &b;
  Location loc;
  bool isA, transposed;
  Value memref;
  bool roundsToTF32;
  std::string error;
  Layout layout;
  const Buffer *buffer = nullptr;
  std::optional<ThreadMap> map;
  std::optional<MemoryRegion> memory;
  int64_t run = 1;
  bool transposes = false; // each read, on the way
};

class WaveMmaEmitter {
public:
  WaveMmaEmitter(GemmOp op, KernelLowering &l)
      : op(op), l(l), b(l.builder()), loc(op.getLoc()) {}

  LogicalResult emit();

private:
  void initAccumulators(const Buffer &c);
  void convertAccumulators(const Buffer &c);
  void emitSteps(OperandReader &left, OperandReader &right, int64_t steps);
  Value issue(Value x, Value y, Value sum);
  Value issueMfma(Value x, Value y, Value sum);
  Value issueWmma(Value x, Value y, Value sum);
  Value toOperand(Value vector, ElementType element);

  GemmOp op;
  KernelLowering &l;
  OpBuilder &b;
  Location loc;
  MmaInstruction mma;
  SmallVector<MmaInstance> instances;
  SmallVector<Value> accumulators; // of each instance
};
} // namespace

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// The elements that the lanes read where 16 of them transpose: each takes
/// `width` neighbours across K, those of row i are with 16 / width lanes, and
/// lane l gets column l. So the last 16 lanes and `width` registers change
/// places.
static std::optional<Layout> exchange(const Layout &fragment, int depth,
                                      int64_t width) {
  std::vector<Dim> dims = fragment.dims();
  if (dims[depth].digits.empty() || dims[1 - depth].digits.empty())
    return std::nullopt;
  Digit along = dims[depth].digits.back();
  Digit across = dims[1 - depth].digits.back();
  if (along.axis != Axis::Reg || along.stride != 1 || along.extent % width ||
      across.axis != Axis::Lane || across.stride != 1 || across.extent % 16)
    return std::nullopt;
  int64_t lanes = 16 / width;
  auto replace = [](std::vector<Digit> &digits, ArrayRef<Digit> with) {
    digits.pop_back();
    for (const Digit &digit : with)
      if (digit.extent > 1)
        digits.push_back(digit);
  };
  replace(dims[depth].digits, {{along.extent / width, Axis::Reg, width},
                               {width, Axis::Lane, lanes}});
  replace(dims[1 - depth].digits, {{across.extent / 16, Axis::Lane, 16},
                                   {lanes, Axis::Lane, 1},
                                   {width, Axis::Reg, 1}});
  auto result = Layout::get(std::move(dims), fragment.copies());
  return result ? std::optional<Layout>(*result) : std::nullopt;
}

/// How many elements of a lane the chip transposes at once; 0: none.
static int64_t getTransposingWidth(const Target &chip, int64_t elementBits) {
  std::string suffix = "_b" + std::to_string(elementBits);
  for (const CopyRow &row : chip.copies)
    if (row.transposes && row.from == Space::Shared &&
        row.to == Space::Register && row.instruction.ends_with(suffix))
      return row.widths.front() * 8 / elementBits;
  return 0;
}

bool OperandReader::bindTransposing() {
  int64_t elementBits = buffer->element.getIntOrFloatBitWidth();
  int64_t width = getTransposingWidth(l.getTarget(), elementBits);
  // Of the dimensions in memory, K is the first.
  if (!width || elementBits < 8 || isA != transposed)
    return false;
  std::optional<Layout> source = exchange(layout, /*depth=*/0, width);
  if (!source)
    return false;
  map.emplace(*source, l.threads());
  if (map->getRun() < width)
    return false;
  map->materialize(b, loc);
  memory->bind(*map);
  if (!memory->isContiguous(width) || memory->getAlignment(width))
    return false;
  run = width;
  return transposes = true;
}

/// `width` registers of the fragment.
Value OperandReader::readVector(int64_t reg, int64_t width) {
  Value offset = memory->getOffset(*map->getRegisterPart(reg));
  if (!transposes)
    return toStorage(b, loc, l.load(loc, memory->getBuffer(), offset, width));
  Type element = getStorageType(buffer->element);
  Type type = VectorType::get(width, element);
  bool isByte = element.getIntOrFloatBitWidth() == 8;
  OperationState state(
      loc, isByte ? "rocdl.ds.read.tr8.b64" : "rocdl.ds.read.tr16.b64",
      {l.getAddress(loc, memory->getBuffer(), offset)},
      {isByte ? VectorType::get(2, b.getI32Type()) : type});
  Value result = b.create(state)->getResult(0);
  return isByte ? LLVM::BitcastOp::create(b, loc, type, result) : result;
}

LogicalResult OperandReader::prepare(GemmOp op) {
  if (!error.empty())
    return op.emitOpError() << "cannot be lowered to threads: " << error;
  buffer = l.getBuffer(op, memref);
  if (!buffer)
    return failure();
  if (buffer->space == MemorySpace::Fragment)
    return success();
  BufferRegion region = withOffsets(getWholeRegion(memref));
  SmallVector<bool> inside(region.sizes.size(), true);
  memory.emplace(l, loc, *buffer, region, inside);
  if (bindTransposing())
    return success();
  map.emplace(layout, l.threads());
  map->materialize(b, loc);
  memory->bind(*map);
  run = map->getRun();
  while (run > 1 && !memory->isContiguous(run))
    run /= 2;
  return success();
}

Value OperandReader::read(int64_t outer, int64_t depth, int64_t count) {
  ::tile::layout::Coord at{isA ? outer : depth, isA ? depth : outer};
  if (transposed)
    std::swap(at[0], at[1]);
  int64_t first = layout.sum(at)[Axis::Reg];
  int64_t width = memory ? std::min(run, count) : count;
  SmallVector<Value> parts;
  if (!memory)
    parts.push_back(toStorage(
        b, loc,
        l.loadRegisters(loc, *buffer,
                        llvm::to_vector(llvm::seq(first, first + count)))));
  for (int64_t reg = first; memory && reg < first + count; reg += width)
    parts.push_back(readVector(reg, width));
  bool isVector = isa<VectorType>(parts[0].getType());
  if (parts.size() == 1 && isVector && !roundsToTF32)
    return parts[0];
  SmallVector<Value> elements;
  for (Value part : parts)
    for (int64_t i = 0; i < width; ++i)
      elements.push_back(
          isVector ? vector::ExtractOp::create(b, loc, part,
                                               ArrayRef<int64_t>{i})
                   : part);
  if (roundsToTF32)
    for (Value &element : elements)
      element = roundToTF32(b, loc, element);
  return vector::FromElementsOp::create(
      b, loc, VectorType::get(count, elements[0].getType()), elements);
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// Sums have the type that the instruction adds in: an accumulator of fewer
/// bits is widened here, and rounded once at the end.
void WaveMmaEmitter::initAccumulators(const Buffer &c) {
  Type element = getAccumulatorType(c.element);
  for (const MmaInstance &instance : instances) {
    auto type = VectorType::get(instance.registers.size(), element);
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
    Value sum = zero;
    if (!op.getClear())
      sum = castElement(b, loc, l.loadRegisters(loc, c, instance.registers),
                        element);
    if (op.getClearIf())
      sum = arith::SelectOp::create(b, loc, op.getClearIf(), zero, sum);
    accumulators.push_back(sum);
  }
}

void WaveMmaEmitter::convertAccumulators(const Buffer &c) {
  for (auto [instance, sum] : llvm::zip(instances, accumulators))
    l.storeRegisters(loc, castElement(b, loc, sum, c.element), c,
                     instance.registers);
}

//===----------------------------------------------------------------------===//
// The instruction
//===----------------------------------------------------------------------===//

/// Operands of 8-bit elements are integers, and those of the first instructions
/// for bf16, and of WMMA, have 16-bit ones.
Value WaveMmaEmitter::toOperand(Value vector, ElementType element) {
  auto type = cast<VectorType>(vector.getType());
  int64_t count = type.getNumElements();
  int64_t bits = count * type.getElementTypeBitWidth();
  Type wanted = type;
  bool isWmma = mma.choice.row->family == MmaFamily::WMMA;
  if (type.getElementTypeBitWidth() == 8)
    wanted = bits <= 64 && !isWmma ? Type(b.getIntegerType(bits))
                                   : VectorType::get(bits / 32, b.getI32Type());
  else if (element == ElementType::BF16 &&
           (isWmma || mma.choice.row->instruction.ends_with("_1k")))
    wanted = VectorType::get(count, b.getI16Type());
  else if (count == 1)
    return vector::ExtractOp::create(b, loc, vector, ArrayRef<int64_t>{0});
  return wanted == type ? vector
                        : LLVM::BitcastOp::create(b, loc, wanted, vector);
}

/// v_mfma_f32_32x32x8bf16_1k is rocdl.mfma.f32.32x32x8bf16.1k; what takes any
/// types is the form with scales.
static std::string getOpName(StringRef instruction, bool anyTypes) {
  std::string name = instruction.drop_front(StringRef("v_mfma").size()).str();
  llvm::replace(name, '_', '.');
  return (anyTypes ? "rocdl.mfma.scale" : "rocdl.mfma") + name;
}

/// The codes of the types that f8f6f4 takes: llvm/IR/IntrinsicsAMDGPU.td.
static int64_t getTypeCode(ElementType element) {
  return element == ElementType::F8E5M2 ? 1 : 0;
}

Value WaveMmaEmitter::issueMfma(Value x, Value y, Value sum) {
  StringRef instruction = mma.choice.row->instruction;
  bool anyTypes = instruction.ends_with("_f8f6f4");
  // No broadcast between blocks, of which there is one, and no permutation.
  Value none = l.i32(loc, 0);
  SmallVector<Value> operands = {
      toOperand(x, mma.a), toOperand(y, mma.b), sum, none, none, none};
  if (anyTypes) {
    // Scales of zero, in their first byte, stand for none.
    operands[3] = l.i32(loc, getTypeCode(mma.a));
    operands[4] = l.i32(loc, getTypeCode(mma.b));
    operands.append(3, none);
  }
  OperationState state(loc, getOpName(instruction, anyTypes), operands,
                       {sum.getType()});
  return b.create(state)->getResult(0);
}

/// v_wmma_f32_16x16x16_fp8_bf8 is rocdl.wmma.f32.16x16x16.fp8_bf8.
Value WaveMmaEmitter::issueWmma(Value x, Value y, Value sum) {
  auto [prefix, shape] =
      mma.choice.row->instruction.drop_front(2).split("_16x");
  std::string name = ("rocdl." + prefix + "_16x").str();
  llvm::replace(name, '_', '.');
  auto [extents, types] = shape.split('_');
  OperationState state(loc, (name + extents + "." + types).str(),
                       {toOperand(x, mma.a), toOperand(y, mma.b), sum},
                       {sum.getType()});
  if (types == "iu8") {
    state.addAttribute("signA", b.getBoolAttr(mma.a == ElementType::I8));
    state.addAttribute("signB", b.getBoolAttr(mma.b == ElementType::I8));
  }
  return b.create(state)->getResult(0);
}

Value WaveMmaEmitter::issue(Value x, Value y, Value sum) {
  return mma.choice.row->family == MmaFamily::WMMA ? issueWmma(x, y, sum)
                                                   : issueMfma(x, y, sum);
}

LogicalResult WaveMmaEmitter::emit() {
  if (failed(verifyAccumulator(op, op.getC())))
    return failure();
  FailureOr<MmaInstruction> found = findInstruction(op, l);
  const Buffer *c = l.getBuffer(op, op.getC());
  if (failed(found) || !c)
    return failure();
  mma = *found;
  auto covering = findInstances(op, mma, *c, l.threads());
  if (failed(covering))
    return failure();
  instances = *covering;
  int64_t steps = getStepsOfRead(op, l.getTarget());
  OperandReader left(op, l, MatrixOperand::A, steps);
  OperandReader right(op, l, MatrixOperand::B, steps);
  if (failed(left.prepare(op)) || failed(right.prepare(op)))
    return failure();
  ThreadMap map(c->layout, l.threads());
  map.materialize(b, loc);
  // Waves beyond the grid have no part of the product.
  l.inIf(loc, map.getThreadGuard(), [&] {
    initAccumulators(*c);
    emitSteps(left, right, steps);
    convertAccumulators(*c);
  });
  return success();
}

/// So many instructions along K share a read.
void WaveMmaEmitter::emitSteps(OperandReader &left, OperandReader &right,
                               int64_t steps) {
  int64_t aCount = mma.aFragment.axisSize(Axis::Reg);
  int64_t bCount = mma.bFragment.axisSize(Axis::Reg);
  auto part = [&](Value vector, int64_t step, int64_t count) -> Value {
    if (steps == 1)
      return vector;
    SmallVector<int32_t> mask;
    for (int64_t i = 0; i < count; ++i)
      mask.push_back(step * count + i);
    return LLVM::ShuffleVectorOp::create(b, loc, vector, vector, mask);
  };
  for (int64_t k = 0; k < op.getK(); k += steps * mma.k()) {
    std::map<int64_t, Value> rows, columns;
    for (const MmaInstance &instance : instances) {
      if (!rows.count(instance.m))
        rows[instance.m] = left.read(instance.m, k, steps * aCount);
      if (!columns.count(instance.n))
        columns[instance.n] = right.read(instance.n, k, steps * bCount);
    }
    for (int64_t step = 0; step < steps; ++step)
      for (auto [instance, sum] : llvm::zip(instances, accumulators))
        sum = issue(part(rows[instance.m], step, aCount),
                    part(columns[instance.n], step, bCount), sum);
  }
}

LogicalResult amd::emitWaveMma(GemmOp op, KernelLowering &l) {
  return WaveMmaEmitter(op, l).emit();
}
