//===- AscendCubeOps.cpp - verifiers of the cube's instructions -----------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verify.h"

#include "Tile/Dialect/Tile/IR/TileAttrs.h"

using namespace mlir;
using namespace mlir::tile::ascend;
namespace ascend = mlir::tile::ascend;
using mlir::tile::MemorySpace;
namespace target = ::tile::target;

/// A buffer in a memory of the cube.
static LogicalResult verifyCubeMatrix(Operation *op, Role role,
                                      MemorySpace space) {
  if (failed(expectSpace(op, role, space)) ||
      failed(expectRank(op, role, 2, 2)))
    return failure();
  if (role.getType().hasStaticShape())
    return success();
  return op->emitOpError() << "expected a static shape in '" << role.name
                           << "', got " << role.getType();
}

/// A view of a buffer of the cube: whole blocks of it, or up to its end.
static LogicalResult verifyBlocks(Operation *op, Role view, int64_t rows,
                                  int64_t columns) {
  auto offsets = getCubeOffsets(view.buffer);
  auto base =
      dyn_cast<MemRefType>(mlir::tile::getBaseBuffer(view.buffer).getType());
  if (failed(offsets) || !base || base.getRank() != 2)
    return op->emitOpError() << "expected constant offsets and strides of 1 in '"
                             << view.name << "'";
  int64_t at[] = {offsets->first, offsets->second}, unit[] = {rows, columns};
  for (unsigned dim : {0u, 1u}) {
    int64_t size = view.getType().getDimSize(dim);
    bool ends = size % unit[dim] == 0 || at[dim] + size == base.getDimSize(dim);
    if (at[dim] % unit[dim] == 0 && ends)
      continue;
    return op->emitOpError()
           << "expected '" << view.name << "' to be whole blocks of " << rows
           << "x" << columns << " elements, got " << size
           << " in dimension " << dim << " from " << at[dim] << " on";
  }
  return success();
}

/// A load from L1, of which the matrix in L1 may be the transposed one.
static LogicalResult verifyLoad(Operation *op, Role target, Role source,
                                MemorySpace space, bool swapped,
                                bool transposesBlocks) {
  if (failed(verifyCubeMatrix(op, target, space)) ||
      failed(expectWhole(op, target)) ||
      failed(verifyCubeMatrix(op, source, MemorySpace::L1)) ||
      failed(expectSameElement(op, target, source)) ||
      failed(expectWidth(op, target.getType().getElementType(), {1, 2, 4},
                         "1, 2 or 4")))
    return failure();
  SmallVector<int64_t> shape(target.getType().getShape());
  if (swapped)
    std::swap(shape[0], shape[1]);
  if (failed(expectShape(op, source, shape)))
    return failure();
  const target::AscendSpec &spec = getSpec(op);
  int64_t bytes = target.getType().getElementTypeBitWidth() / 8;
  int64_t rows = spec.accumulatorFractal, columns = spec.blockBytes / bytes;
  if (transposesBlocks)
    rows = columns = getSquare(spec, bytes);
  return verifyBlocks(op, source, rows, columns);
}

LogicalResult LoadL0AOp::verify() {
  // ascend.load_l0a C1, C2, C3, C4, C5
  return verifyLoad(*this, {getTarget(), "target"}, {getSource(), "source"},
                    MemorySpace::L0A, getTranspose(), getTranspose());
}

LogicalResult LoadL0BOp::verify() {
  // ascend.load_l0b C1, C2, C3, C4, C5
  return verifyLoad(*this, {getTarget(), "target"}, {getSource(), "source"},
                    MemorySpace::L0B, getTranspose(), !getTranspose());
}

static LogicalResult verifyFill(Operation *op, Role target, MemorySpace space,
                                Value value) {
  if (failed(verifyCubeMatrix(op, target, space)) ||
      failed(expectWhole(op, target)))
    return failure();
  Type element = target.getType().getElementType();
  if (failed(expectWidth(op, element, {1, 2, 4}, "1, 2 or 4")) ||
      failed(expectElementType(op, value.getType(), element, "a value")) ||
      failed(expectZeroBytes(op, value)))
    return failure();
  const target::Target *chip = getChip(op);
  // It does where it can also load from GM.
  if (!chip || !target::findCopies(*chip, target::Space::Global,
                                   mlir::tile::getTargetSpace(space),
                                   chip->getAscend()->fractalBytes)
                    .empty())
    return success();
  return op->emitOpError() << chip->name << " does not fill '"
                           << mlir::tile::stringifyMemorySpace(space)
                           << "'; fill 'l1' and load from there";
}

LogicalResult FillL0AOp::verify() {
  // ascend.fill_l0a C1, C2, C3
  return verifyFill(*this, {getTarget(), "target"}, MemorySpace::L0A,
                    getValue());
}

LogicalResult FillL0BOp::verify() {
  // ascend.fill_l0b C1, C2, C3
  return verifyFill(*this, {getTarget(), "target"}, MemorySpace::L0B,
                    getValue());
}

/// What a chip multiplies where it adds up `sum`.
static std::string describeFactors(const target::Target &chip,
                                   std::optional<target::ElementType> sum) {
  llvm::SetVector<StringRef> types;
  for (const target::MmaRow &row : chip.mmas)
    if (sum && row.c == *sum)
      for (target::ElementType type : row.a)
        types.insert(target::stringify(type));
  return types.empty() ? ""
                       : "; convert both to one of " + llvm::join(types, ", ");
}

LogicalResult MmadOp::verify() {
  Role target{getTarget(), "target"}, lhs{getLhs(), "lhs"},
      rhs{getRhs(), "rhs"};
  // ascend.mmad C1, C2
  if (failed(verifyCubeMatrix(*this, target, MemorySpace::L0C)) ||
      failed(verifyCubeMatrix(*this, lhs, MemorySpace::L0A)) ||
      failed(verifyCubeMatrix(*this, rhs, MemorySpace::L0B)))
    return failure();
  ArrayRef<int64_t> a = lhs.getType().getShape(), b = rhs.getType().getShape(),
                    c = target.getType().getShape();
  if (a[1] != b[0])
    return emitOpError() << "expected K to agree: " << a[1] << " in 'lhs' ("
                         << mlir::tile::formatShape(a) << "), " << b[0]
                         << " in 'rhs' (" << mlir::tile::formatShape(b) << ")";
  if (failed(expectShape(*this, target, {a[0], b[1]})))
    return failure();
  // ascend.mmad C3
  const target::Target *chip = getChip(*this);
  if (!chip)
    return success();
  auto ta = mlir::tile::getElementType(lhs.getType().getElementType()),
       tb = mlir::tile::getElementType(rhs.getType().getElementType()),
       tc = mlir::tile::getElementType(c.empty() ? Type()
                                           : target.getType().getElementType());
  bool exists = ta && tb && tc &&
                llvm::any_of(chip->mmas, [&](const target::MmaRow &row) {
                  return llvm::is_contained(row.a, *ta) &&
                         llvm::is_contained(row.b, *tb) && row.c == *tc;
                });
  if (!exists)
    return emitOpError() << chip->name << " has no Mmad of "
                         << lhs.getType().getElementType() << " and "
                         << rhs.getType().getElementType() << " to "
                         << target.getType().getElementType()
                         << describeFactors(*chip, tc);
  // ascend.mmad C4
  int64_t most = chip->getAscend()->mmadMax;
  for (auto [name, extent] : {std::pair("m", a[0]), std::pair("n", b[1]),
                              std::pair("k", a[1])})
    if (extent < 1 || extent > most)
      return emitOpError() << "expected '" << name << "' between 1 and " << most
                           << ", got " << extent;
  // ascend.mmad C5
  if (cast<MemRefType>(mlir::tile::getBaseBuffer(getTarget()).getType())
          .getDimSize(0) != c[0])
    return emitOpError() << "expected all rows of the buffer in 'target', got "
                         << c[0];
  return verifyBlocks(*this, target, c[0],
                      chip->getAscend()->accumulatorFractal);
}

/// A target in UB, in one of the vector cores or both.
static LogicalResult verifyFixpipeToUB(FixpipeOp op, Role target, Role source) {
  // ascend.fixpipe C1, C5
  if (failed(expectPath(op, MemorySpace::L0C, MemorySpace::UB)) ||
      failed(expectBlocks(op, target)))
    return failure();
  // ascend.fixpipe C7
  int64_t rows = target.getType().getDimSize(0);
  if (op.getHalves() && source.getType().getDimSize(0) != 2 * rows)
    return expectShape(op, source, {2 * rows, source.getType().getDimSize(1)});
  int64_t cores = getSpec(op).vectorCores;
  if (op.getSubBlock() && *op.getSubBlock() >= uint64_t(cores))
    return op.emitOpError() << "expected 'sub_block' below " << cores
                            << ", got " << int64_t(*op.getSubBlock());
  return success();
}

LogicalResult FixpipeOp::verify() {
  Role target{getTarget(), "target"}, source{getSource(), "source"};
  MemorySpace space = mlir::tile::getMemorySpace(target.getType());
  // ascend.fixpipe C1, C2, C3
  if (failed(verifyCubeMatrix(*this, source, MemorySpace::L0C)) ||
      failed(expectRank(*this, target, 2, 2)))
    return failure();
  if (space != MemorySpace::L1 && space != MemorySpace::UB &&
      failed(expectSpace(*this, target, MemorySpace::Global)))
    return failure();
  // ascend.fixpipe C6
  for (auto [name, has, needed] :
       {std::tuple("halves", getHalves(), MemorySpace::UB),
        std::tuple("sub_block", getSubBlock().has_value(), MemorySpace::UB),
        std::tuple("atomic", getAtomic(), MemorySpace::Global)})
    if (has && space != needed)
      return emitOpError() << "'" << name << "' needs a target in '"
                           << mlir::tile::stringifyMemorySpace(needed)
                           << "', got '"
                           << mlir::tile::stringifyMemorySpace(space) << "'";
  if (getHalves() && getSubBlock())
    return emitOpError("'halves' and 'sub_block' exclude each other");
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(target.getType().getStridesAndOffset(strides, offset)) ||
      strides[1] != 1)
    return emitOpError() << "expected an innermost stride of 1 in 'target', "
                            "got "
                         << target.getType();
  if (failed(expectWithin(*this, target, source)) ||
      (space == MemorySpace::UB &&
       failed(verifyFixpipeToUB(*this, target, source))))
    return failure();
  // ascend.fixpipe C4
  Type from = source.getType().getElementType();
  Type to = target.getType().getElementType();
  if (from.isF32() && !to.isF32() && !to.isF16() && !to.isBF16())
    return emitOpError() << "expected 'f32', 'f16' or 'bf16' for a source of "
                            "'f32', got "
                         << to;
  if (from.isInteger(32) && !to.isInteger(32))
    return emitOpError() << "expected 'i32' for a source of 'i32', got " << to;
  return success();
}

//===----------------------------------------------------------------------===//
// Loads of fractals
//===----------------------------------------------------------------------===//

/// From L1 to L0A or L0B, of elements that have fractals.
static LogicalResult verifyFractalMove(Operation *op, Role target, Role source,
                                       int64_t rank) {
  MemorySpace space = mlir::tile::getMemorySpace(target.getType());
  if (failed(expectSpace(op, source, MemorySpace::L1)) ||
      (space != MemorySpace::L0A &&
       failed(expectSpace(op, target, MemorySpace::L0B))) ||
      failed(expectRank(op, source, rank, rank)) ||
      failed(expectSameElement(op, target, source)))
    return failure();
  return expectWidth(op, target.getType().getElementType(), {1, 2, 4},
                     "1, 2 or 4");
}

static int64_t getFractalElements(Operation *op, MemRefType type) {
  return getSpec(op).fractalBytes * 8 / type.getElementTypeBitWidth();
}

/// To a view with the elements of so many fractals.
static LogicalResult verifyFractals(Operation *op, Role target, Role source,
                                    int64_t fractals, int64_t rank) {
  if (failed(verifyFractalMove(op, target, source, rank)) ||
      failed(expectRank(op, target, 1, 1)))
    return failure();
  return expectShape(op, target,
                     {fractals * getFractalElements(op, target.getType())});
}

/// Of three dimensions: dense fractals, one or more apart.
static LogicalResult verifyDisjoint(LoadDataOp op, Role target) {
  MemRefType type = target.getType();
  int64_t fractal = getFractalElements(op, type);
  int64_t rows = getSpec(op).accumulatorFractal;
  if (failed(expectShape(op, target,
                         {int64_t(op.getRepeat()), rows, fractal / rows})))
    return failure();
  auto [strides, offset] = type.getStridesAndOffset();
  if (strides[0] > 0 && strides[0] % fractal == 0 &&
      strides[1] == fractal / rows && strides[2] == 1)
    return success();
  return op.emitOpError() << "expected dense fractals, a multiple of "
                          << fractal << " elements apart, in 'target'";
}

int64_t LoadDataOp::getGap() {
  MemRefType type = cast<MemRefType>(getTarget().getType());
  if (type.getRank() == 1)
    return 0;
  return type.getStridesAndOffset().first[0] / getFractalElements(*this, type) -
         1;
}

LogicalResult LoadDataOp::verify() {
  Role target{getTarget(), "target"}, source{getSource(), "source"};
  int64_t last = int64_t(getRepeat()) - 1, rank = target.getType().getRank();
  // ascend.load_data C1, C2
  if (rank != 1 && rank != 3)
    return emitOpError()
           << "expected one or three dimensions in 'target', got " << rank;
  // ascend.load_data C1, C2, C3
  if (failed(rank == 1
                 ? verifyFractals(*this, target, source, last + 1, 1)
                 : success(succeeded(verifyFractalMove(*this, target, source,
                                                       1)) &&
                           succeeded(verifyDisjoint(*this, target)))))
    return failure();
  return expectShape(*this, source,
                     {(last * int64_t(getStride()) + 1) *
                      getFractalElements(*this, target.getType())});
}

LogicalResult LoadTransposedOp::verify() {
  Role target{getTarget(), "target"}, source{getSource(), "source"};
  int64_t bytes = target.getType().getElementTypeBitWidth() / 8;
  int64_t parts = bytes == 2 ? 1 : 2, last = int64_t(getRepeat()) - 1;
  // ascend.load_transposed C1, C2, C3
  if (failed(verifyFractals(*this, target, source,
                            last * (int64_t(getGap()) + 1) +
                                (parts - 1) * (int64_t(getBlockGap()) + 1) + 1,
                            1)))
    return failure();
  return expectShape(*this, source,
                     {(last * int64_t(getStride()) + 1) * parts *
                      getFractalElements(*this, target.getType())});
}

LogicalResult LoadMatrixOp::verify() {
  Role target{getTarget(), "target"}, source{getSource(), "source"};
  const target::AscendSpec &spec = getSpec(*this);
  int64_t bytes = target.getType().getElementTypeBitWidth() / 8;
  int64_t rows = getSize()[0], columns = getSize()[1];
  // Transposed, rows of fractals become columns of them.
  if (getTranspose()) {
    int64_t elements = spec.blockBytes / bytes, side = spec.accumulatorFractal;
    std::tie(rows, columns) = std::pair(columns * elements / side,
                                        rows * side / elements);
  }
  // ascend.load_matrix C1, C2, C3
  if (failed(expectWhole(*this, source)))
    return failure();
  return verifyFractals(*this, target, source,
                        (columns - 1) * getStrides()[1] + rows, 2);
}
