//===- WarpOperand.cpp - operands of mma.sync -----------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WarpOperand.h"

#include "MatrixAccess.h"
#include "PTX.h"

#include "Tile/Layout/Algebra.h"
#include "Tile/Transforms/GemmLayouts.h"
#include "Tile/Transforms/SparseGemms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Remarks.h"

#include <set>

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvidia;
using namespace mlir::tile::simt;
using ::tile::layout::Axis;
using ::tile::layout::Coord;
using ::tile::layout::fail;
using ::tile::layout::Layout;
using ::tile::layout::MatrixOperand;
using ::tile::layout::Result;
using ::tile::layout::WarpGrid;

WarpProduct::WarpProduct(GemmOp op)
    : op(op), instruction(op.getInstructionAttr()), a(op.getA()), b(op.getB()),
      c(op.getC()), clear(op.getClear()), transposeA(op.getTransposeA()),
      transposeB(op.getTransposeB()), clearIf(op.getClearIf()), m(op.getM()),
      n(op.getN()), k(op.getK()), depthOfB(1) {}

WarpProduct::WarpProduct(SparseGemmOp op)
    : op(op), instruction(op.getInstructionAttr()), a(op.getA()), b(op.getB()),
      c(op.getC()), metadata(op.getMetadata()), clear(op.getClear()),
      transposeA(op.getTransposeA()), transposeB(op.getTransposeB()),
      m(op.getM()), n(op.getN()), k(op.getK()), depthOfB(kSparseDepth) {}

WarpOperand::WarpOperand(const WarpProduct &product, MatrixOperand partition,
                         const MmaInstruction &mma, const Buffer &buffer,
                         int64_t steps, int64_t together)
    : product(product), partition(partition), mma(mma), buffer(buffer),
      steps(steps), together(together),
      fragment(*widenFragment(
          partition == MatrixOperand::A ? mma.aFragment : mma.bFragment,
          partition, together)),
      outer(partition == MatrixOperand::A ? 0 : 1), depth(1 - outer),
      transposed(partition == MatrixOperand::A ? product.transposeA
                                               : product.transposeB) {}

int64_t WarpOperand::getOuterExtent() const {
  return partition == MatrixOperand::A ? product.m : product.n;
}

int64_t WarpOperand::getDepthExtent() const {
  return partition == MatrixOperand::A ? product.getStoredK() : product.k;
}

Coord WarpOperand::toBuffer(ArrayRef<int64_t> coordinate) const {
  return transposed ? Coord{coordinate[1], coordinate[0]}
                    : Coord{coordinate[0], coordinate[1]};
}

SmallVector<int64_t> WarpOperand::shifted(ArrayRef<int64_t> part,
                                          int64_t outerAt, int64_t k) const {
  SmallVector<int64_t> at(part);
  at[outer] += outerAt;
  at[depth] += k;
  return at;
}

bool WarpOperand::isTF32() const {
  return mma.a == ::tile::target::ElementType::TF32;
}

/// Along K the registers of a thread follow each other in the order of K, those
/// of one instruction after those of the one before.
SmallVector<Value> WarpOperand::getStep(ArrayRef<Value> registers,
                                        int64_t step) const {
  if (together == 1)
    return SmallVector<Value>(registers);
  const Layout &single =
      partition == MatrixOperand::A ? mma.aFragment : mma.bFragment;
  ThreadGroup warp;
  warp.warps = 1;
  ThreadMap map(single, warp);
  std::set<int64_t> depths;
  for (int64_t reg = 0; reg < map.numRegisters(); ++reg)
    depths.insert((*map.getRegisterPart(reg))[depth]);
  int64_t perWord = fragment.axisSize(Axis::Reg) / registers.size();
  SmallVector<Value> own;
  for (int64_t reg = 0; reg < map.numRegisters(); reg += perWord) {
    SmallVector<int64_t> part = *map.getRegisterPart(reg);
    int64_t number =
        std::distance(depths.begin(), depths.find(part[depth]));
    part[depth] = step * depths.size() + number;
    int64_t wide = fragment.sum(Coord(part.begin(), part.end()))[Axis::Reg];
    own.push_back(registers[wide / perWord]);
  }
  return own;
}

FragmentReader::~FragmentReader() = default;

/// Fragments are those of one warp.
static ThreadMap getWarpMap(const Layout &fragment, KernelLowering &l) {
  ThreadGroup warp = l.threads();
  warp.warps = 1;
  return ThreadMap(fragment, warp);
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

namespace {
/// The operand is a fragment already.
class RegisterReader : public FragmentReader {
public:
  RegisterReader(const WarpOperand &operand, KernelLowering &l)
      : operand(operand), l(l) {}

  void beginIteration(Value) override {}
  SmallVector<Value> read(int64_t outer, int64_t k0) override {
    Location loc = operand.getLoc();
    const Buffer &buffer = operand.buffer;
    ThreadMap map = getWarpMap(operand.fragment, l);
    SmallVector<Value> elements;
    for (int64_t reg = 0; reg < map.numRegisters(); ++reg) {
      Coord at = operand.toBuffer(
          operand.shifted(*map.getRegisterPart(reg), outer, k0));
      Value element =
          l.loadRegister(loc, buffer, buffer.layout.sum(at)[Axis::Reg]);
      elements.push_back(operand.isTF32()
                             ? roundToTF32(l.builder(), loc, element)
                             : element);
    }
    return packRegisters(l, loc, elements);
  }

private:
  WarpOperand operand;
  KernelLowering &l;
};

//===----------------------------------------------------------------------===//
// Vector loads
//===----------------------------------------------------------------------===//

class VectorReader : public FragmentReader {
public:
  VectorReader(const WarpOperand &operand, Value warpPart, KernelLowering &l)
      : operand(operand), warpPart(warpPart), l(l), b(l.builder()),
        loc(operand.getLoc()) {
    Type element = getStorageType(operand.buffer.element);
    int64_t bits = element.getIntOrFloatBitWidth();
    // Neighbours of one instruction fill a register.
    int64_t most = operand.together == 1 ? 32 : 8 * l.getGPU().vectorBytes;
    run = std::max<int64_t>(1, most / bits);
    while (run > 1 && !isPacked(run))
      run /= 2;
  }

  void beginIteration(Value k) override { iteration = k; }
  SmallVector<Value> read(int64_t outer, int64_t k0) override;

private:
  bool isRun(const ThreadMap &map, const Coord &origin, int64_t lane,
             int64_t reg, int64_t count) const;
  bool isPacked(int64_t count) const;

  WarpOperand operand;
  Value warpPart, iteration;
  KernelLowering &l;
  OpBuilder &b;
  Location loc;
  int64_t run; // registers that are read as one vector
};
} // namespace

/// Whether registers from `reg` on are neighbours in memory that begin at a
/// multiple of their count, for one lane of the fragment at `origin`.
bool VectorReader::isRun(const ThreadMap &map, const Coord &origin,
                         int64_t lane, int64_t reg, int64_t count) const {
  int64_t first = 0;
  for (int64_t i = 0; i < count; ++i) {
    auto element = map.getElement(lane, 0, reg + i);
    if (!element)
      return false;
    Coord at = operand.toBuffer(
        {(*element)[0] + origin[0], (*element)[1] + origin[1]});
    int64_t offset = operand.buffer.layout.at(at)[Axis::Offset];
    if (i == 0)
      first = offset;
    if (offset != first + i)
      return false;
  }
  return first % count == 0;
}

/// Whether that holds for the runs of all fragments.
bool VectorReader::isPacked(int64_t count) const {
  ThreadMap map = getWarpMap(operand.fragment, l);
  if (map.numRegisters() % count != 0)
    return false;
  int64_t size = operand.fragment.extent(operand.outer);
  int64_t step = operand.fragment.extent(operand.depth);
  Coord fragments(2);
  fragments[operand.outer] = operand.getOuterExtent() / size;
  fragments[operand.depth] = operand.getDepthExtent() / step;
  return ::tile::layout::forEachCoord(fragments, [&](const Coord &number) {
    Coord origin = number;
    origin[operand.outer] *= size;
    origin[operand.depth] *= step;
    for (int64_t lane = 0; lane < l.threads().lanes; ++lane)
      for (int64_t reg = 0; reg < map.numRegisters(); reg += count)
        if (!isRun(map, origin, lane, reg, count))
          return false;
    return true;
  });
}

SmallVector<Value> VectorReader::read(int64_t outer, int64_t k0) {
  ThreadGroup warp = l.threads();
  warp.warps = 1;
  warp.warp = l.i32(loc, 0);
  ThreadMap map(operand.fragment, warp);
  map.materialize(b, loc);
  const Buffer &buffer = operand.buffer;
  SmallVector<Value> elements;
  for (int64_t reg = 0; reg < map.numRegisters(); reg += run) {
    SmallVector<Value> at =
        map.getCoordinates(b, loc, *map.getRegisterPart(reg));
    Value base = l.i32(loc, outer);
    base = b.createOrFold<arith::AddIOp>(loc, base, warpPart);
    at[operand.outer] =
        b.createOrFold<arith::AddIOp>(loc, at[operand.outer], base);
    Value depth = l.i32(loc, k0);
    if (iteration)
      depth =
          b.createOrFold<arith::AddIOp>(loc, l.toI32(loc, iteration), depth);
    at[operand.depth] =
        b.createOrFold<arith::AddIOp>(loc, at[operand.depth], depth);
    if (operand.transposed)
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
  if (operand.isTF32())
    for (Value &value : elements)
      value = roundToTF32(b, loc, value);
  return packRegisters(l, loc, elements);
}

//===----------------------------------------------------------------------===//
// ldmatrix
//===----------------------------------------------------------------------===//

namespace {
/// The fragments of all warps, over the steps of one iteration, are one tile
/// for ldmatrix; iterations lie `stride` elements apart in memory.
class MatrixReader : public FragmentReader {
public:
  /// Says why where that is not possible.
  static Result<std::unique_ptr<MatrixReader>>
  match(const WarpOperand &operand, const Buffer &c,
        ArrayRef<MmaInstance> instances, KernelLowering &l);

  const ::tile::layout::MatrixAccess &getAccess() const { return tile.access; }

  void beginIteration(Value k) override;
  SmallVector<Value> read(int64_t outer, int64_t k0) override;

private:
  MatrixReader(const WarpOperand &operand, const Layout &whole,
               const MatrixTile &tile, int64_t stride, KernelLowering &l)
      : operand(operand), whole(whole), tile(tile), stride(stride), l(l) {}

  int64_t getWord(int64_t reg, int64_t outer, int64_t k0) const;
  bool ownsWords(ArrayRef<MmaInstance> instances) const;

  WarpOperand operand;
  Layout whole;
  MatrixTile tile;
  int64_t stride;
  KernelLowering &l;
  std::optional<MatrixMover> mover;
};
} // namespace

/// The part of the buffer's layout that one iteration reads. All others must
/// look the same, `stride` apart.
static Result<Layout> getIterationLayout(const WarpOperand &operand,
                                         int64_t &stride) {
  const Layout &layout = operand.buffer.layout;
  int64_t depth = operand.steps * operand.mma.k();
  if (depth == operand.getDepthExtent())
    return layout;
  int dim = operand.transposed ? 1 - operand.depth : operand.depth;
  Coord next(2, 0);
  next[dim] = depth;
  stride = layout.at(next)[Axis::Offset];
  bool isSame =
      ::tile::layout::forEachCoord(layout.shape(), [&](const Coord &at) {
        Coord first = at;
        first[dim] %= depth;
        return layout.at(at)[Axis::Offset] ==
               layout.at(first)[Axis::Offset] + at[dim] / depth * stride;
      });
  if (!isSame)
    return fail("expected ", depth, " elements along K to repeat in memory");
  std::vector<int64_t> shape = layout.shape();
  shape[dim] = depth;
  auto part = ::tile::layout::subtile(layout, {0, 0}, shape);
  return part ? Result<Layout>(part->layout) : part.failure();
}

/// The fragments of all warps, in the shape of the buffer.
static Result<Layout> getWholeFragment(const WarpOperand &operand,
                                       const Buffer &c, KernelLowering &l) {
  MmaAttr choice = operand.product.instruction;
  WarpGrid grid = {choice.getWarpsM(), choice.getWarpsN()};
  auto accumulator = tileFragment(operand.mma.cFragment, MatrixOperand::C,
                                  {operand.product.m, operand.product.n}, grid,
                                  l.threads().warps);
  auto isUsual = accumulator ? equivalent(c.layout, *accumulator)
                             : Result<bool>(accumulator.failure());
  if (!isUsual || !*isUsual)
    return fail("expected the accumulator's usual layout, got ",
                c.layout.str());
  std::vector<int64_t> shape(2);
  shape[operand.outer] = operand.getOuterExtent();
  shape[operand.depth] = operand.steps * operand.mma.k();
  Result<Layout> whole = tileFragment(operand.fragment, operand.partition,
                                      shape, grid, l.threads().warps);
  return whole && operand.transposed ? ::tile::layout::permute(*whole, {1, 0})
                                     : whole;
}

Result<std::unique_ptr<MatrixReader>>
MatrixReader::match(const WarpOperand &operand, const Buffer &c,
                    ArrayRef<MmaInstance> instances, KernelLowering &l) {
  int64_t stride = 0;
  Result<Layout> memory = getIterationLayout(operand, stride);
  if (!memory)
    return memory.failure();
  Result<Layout> whole = getWholeFragment(operand, c, l);
  if (!whole)
    return whole.failure();
  auto tile = matchMatrixTile(*whole, *memory, operand.buffer.element,
                              /*isStore=*/false, l);
  if (!tile)
    return tile.failure();
  std::unique_ptr<MatrixReader> reader(
      new MatrixReader(operand, *whole, *tile, stride, l));
  if (!reader->ownsWords(instances))
    return fail("expected the operand's usual fragment, got ", whole->str());
  return std::move(reader);
}

/// The 32-bit word of the tile that begins with a register of a fragment; -1 if
/// it belongs to another thread than in the fragment.
int64_t MatrixReader::getWord(int64_t reg, int64_t outer, int64_t k0) const {
  auto part = *getWarpMap(operand.fragment, l).getRegisterPart(reg);
  auto at = whole.sum(operand.toBuffer(operand.shifted(part, outer, k0)));
  bool isOwn = at[Axis::Lane] == 0 && at[Axis::Warp] == 0 &&
               at[Axis::Reg] % tile.elementsPerWord == 0;
  return isOwn ? at[Axis::Reg] / tile.elementsPerWord : -1;
}

bool MatrixReader::ownsWords(ArrayRef<MmaInstance> instances) const {
  int64_t k = operand.mma.k();
  for (const MmaInstance &instance : instances)
    for (int64_t step = 0; step < operand.steps; ++step)
      for (int64_t reg = 0; reg < operand.fragment.axisSize(Axis::Reg);
           reg += tile.elementsPerWord)
        if (getWord(reg, operand.outer == 0 ? instance.m : instance.n,
                    step * k) < 0)
          return false;
  return true;
}

void MatrixReader::beginIteration(Value k) {
  OpBuilder &b = l.builder();
  Location loc = operand.getLoc();
  Value base = operand.buffer.base;
  if (k) {
    Value number =
        arith::DivUIOp::create(b, loc, l.toI32(loc, k),
                               l.i32(loc, operand.steps * operand.mma.k()));
    base = l.getAddress(
        loc, operand.buffer,
        arith::MulIOp::create(b, loc, number, l.i32(loc, stride)));
  }
  mover.emplace(l, loc, tile, operand.buffer.element, base);
}

SmallVector<Value> MatrixReader::read(int64_t outer, int64_t k0) {
  OpBuilder &b = l.builder();
  Location loc = operand.getLoc();
  SmallVector<Value> registers;
  for (int64_t reg = 0; reg < operand.fragment.axisSize(Axis::Reg);
       reg += tile.elementsPerWord) {
    Value word = mover->load(getWord(reg, outer, k0));
    if (operand.isTF32())
      word = roundToTF32(
          b, loc, arith::BitcastOp::create(b, loc, b.getF32Type(), word));
    registers.push_back(word);
  }
  return registers;
}

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

std::unique_ptr<FragmentReader>
nvidia::createReader(const WarpOperand &operand, const Buffer &c,
                     ArrayRef<MmaInstance> instances, Value warpPart,
                     KernelLowering &l) {
  if (operand.buffer.space != MemorySpace::Shared)
    return std::make_unique<RegisterReader>(operand, l);
  auto opts =
      remark::RemarkOpts::name("MatrixLoad").category("convert-tile-to-simt");
  StringRef name = operand.partition == MatrixOperand::A ? "a" : "b";
  Location loc = operand.getLoc();
  auto matrices = MatrixReader::match(operand, c, instances, l);
  if (!matrices) {
    remark::missed(loc, opts)
        << remark::reason("no ldmatrix for '{0}': {1}", name,
                          matrices.reason());
    return std::make_unique<VectorReader>(operand, warpPart, l);
  }
  const ::tile::layout::MatrixAccess &access = (*matrices)->getAccess();
  remark::passed(loc, opts)
      << remark::reason("'{0}' by ldmatrix.x{1}{2}", name, access.count,
                        access.trans ? ".trans" : "");
  return std::move(*matrices);
}
