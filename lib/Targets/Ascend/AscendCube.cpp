//===- AscendCube.cpp - the cube's instructions as Ascend C text ----------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AscendWriter.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;
namespace target = ::tile::target;
using tl::MemorySpace;

static int64_t getBytes(Value buffer) {
  return cast<MemRefType>(buffer.getType()).getElementTypeBitWidth() / 8;
}

namespace {
/// Part of a matrix in L1, in its blocks of 16 rows and 32 bytes.
struct Blocks {
  std::string tensor;
  bool isZz;
  int64_t baseRows, baseColumns; // blocks of the whole matrix
  int64_t row, column;           // the first block
  int64_t rows, columns;         // how many
  int64_t elements;              // of 32 bytes

  int64_t fractal() const { return 16 * elements; }
  /// From one block to the next: down a column, along a row.
  int64_t down() const { return isZz ? baseColumns : 1; }
  int64_t along() const { return isZz ? 1 : baseRows; }
  std::string at(int64_t rowBlock, int64_t columnBlock) const {
    int64_t block = (row + rowBlock) * down() + (column + columnBlock) * along();
    return tensor + "[" + std::to_string(block * fractal()) + "]";
  }
};
} // namespace

static Blocks getBlocks(Operation *op, Value view, StringRef tensor) {
  const target::AscendSpec &spec = getSpec(op);
  auto type = cast<MemRefType>(view.getType());
  auto base = cast<MemRefType>(tl::getBaseBuffer(view).getType());
  int64_t bytes = getBytes(view), square = getSquare(spec, bytes);
  int64_t side = spec.accumulatorFractal, elements = spec.blockBytes / bytes;
  auto [row, column] = *getCubeOffsets(view);
  return {tensor.str(),
          getL1Format(*getChip(op), bytes) == target::Format::Zz,
          int64_t(llvm::alignTo(base.getDimSize(0), square)) / side,
          int64_t(llvm::alignTo(base.getDimSize(1), square)) / elements,
          row / side,
          column / elements,
          int64_t(llvm::divideCeil(type.getDimSize(0), side)),
          int64_t(llvm::divideCeil(type.getDimSize(1), elements)),
          elements};
}

//===----------------------------------------------------------------------===//
// L1
//===----------------------------------------------------------------------===//

/// Rows of GM, which begin `pitch` elements apart, to a matrix whose columns of
/// blocks have `height` rows.
void AscendWriter::writeNd2NzRows(CopyGmToL1Op op, const Twine &offset,
                                  const Twine &source, const Twine &count,
                                  const Twine &pitch, int64_t height) {
  Rows from = getRows(op.getSource());
  line() << "DataCopy(" << views.lookup(op.getTarget()).tensor << offset << ", "
         << source << ", Nd2NzParams{1, uint16_t(" << count << "), uint16_t("
         << from.columns << "), 0, uint16_t(" << pitch << "), " << height
         << ", 1, 0});\n";
}

LogicalResult AscendWriter::writeNd2Nz(CopyGmToL1Op op) {
  Rows from = getRows(op.getSource());
  auto type = cast<MemRefType>(op.getTarget().getType());
  int64_t bytes = getBytes(op.getTarget()), side = spec->accumulatorFractal;
  int64_t square = getSquare(*spec, bytes);
  int64_t perBlock = spec->blockBytes / bytes;
  bool isZz = getL1Format(*getChip(op), bytes) == target::Format::Zz;
  // Sixteen rows at a time are a row of blocks.
  int64_t height = isZz ? side : llvm::alignTo(type.getDimSize(0), square);
  int64_t band = side * llvm::alignTo(type.getDimSize(1), square);
  unsigned guard = openGuard(from);
  View view = views.lookup(op.getSource());
  std::string source =
      view.tensor + "[" +
      add({view.offset}, multiply({"row"}, {from.pitch})).text + "]";
  auto writeAll = [&] {
    if (!isZz)
      return writeNd2NzRows(op, "", getTensor(op.getSource()), from.rows,
                            from.pitch, height);
    line() << "for (int64_t row = 0; row < " << from.rows << "; row += " << side
           << ")\n";
    ++depth;
    writeNd2NzRows(op, "[row * " + Twine(band / side) + "]", source,
                   "row + " + Twine(side) + " < " + from.rows + " ? " +
                       Twine(side) + " : " + from.rows + " - row",
                   from.pitch, height);
    --depth;
  };
  auto writeEach = [&] {
    line() << "for (int64_t row = 0; row < " << from.rows << "; ++row)\n";
    ++depth;
    std::string to = "[row * " + std::to_string(perBlock) + "]";
    if (isZz)
      to = "[row / " + std::to_string(side) + " * " + std::to_string(band) +
           " + row % " + std::to_string(side) + " * " +
           std::to_string(perBlock) + "]";
    writeNd2NzRows(op, to, source, "1", "1", height);
    --depth;
  };
  // The field for the pitch has 16 bits.
  int64_t pitch;
  if (!StringRef(from.pitch).getAsInteger(10, pitch)) {
    pitch <= spec->nd2nzMaxColumns ? writeAll() : writeEach();
  } else {
    line() << "if (" << from.pitch << " <= " << spec->nd2nzMaxColumns
           << ") {\n";
    ++depth;
    writeAll();
    --depth;
    line() << "} else {\n";
    ++depth;
    writeEach();
    --depth;
    line() << "}\n";
  }
  closeGuard(guard);
  return success();
}

/// Nz is made on the way: rows of one block each, which follow one another in L1.
LogicalResult AscendWriter::writeUbToL1(CopyUbToL1Op op) {
  Matrix from = *getMatrix(cast<MemRefType>(op.getSource().getType()));
  auto to = cast<MemRefType>(op.getTarget().getType());
  int64_t bytes = getBytes(op.getSource()), perBlock = spec->blockBytes / bytes;
  int64_t column =
      llvm::alignTo(to.getDimSize(0), getSquare(*spec, bytes)) * perBlock;
  line() << "for (int32_t column = 0; column < " << from.columns / perBlock
         << "; ++column)\n";
  ++depth;
  View source = views.lookup(op.getSource());
  line() << "DataCopy(" << views.lookup(op.getTarget()).tensor << "[column * "
         << column;
  if (op.getHalves())
    os << " + GetSubBlockIdx() * " << from.rows * perBlock;
  Expr at = add({source.offset}, {"column * " + std::to_string(perBlock)});
  os << "], " << source.tensor << "[" << at.text << "], DataCopyParams{"
     << from.rows << ", 1, "
     << (from.rows == 1 ? 0 : from.pitch / perBlock - 1) << ", 0});\n";
  --depth;
  return success();
}

/// Elements of one byte are filled in pairs: the value is 0.
LogicalResult AscendWriter::writeFill(Value target, Value value,
                                      int64_t unit) {
  auto type = cast<MemRefType>(target.getType());
  std::string tensor = getTensor(target), element;
  std::string text = getScalar(value, type.getElementType());
  if (getBytes(target) == 1) {
    tensor += ".ReinterpretCast<int16_t>()";
    element = "int16_t";
    text = "0";
  } else {
    element = *getTypeName(nullptr, type.getElementType());
  }
  line() << "Fill(" << tensor << ", InitConstValueParams<" << element
         << ">{1, " << getAllocatedBytes(type) / unit << ", 0, " << text
         << "});\n";
  return success();
}

//===----------------------------------------------------------------------===//
// L0A and L0B
//===----------------------------------------------------------------------===//

void AscendWriter::writeLoadData(StringRef target, StringRef source,
                                 int64_t count, int64_t stride,
                                 bool transpose) {
  line() << "LoadData(" << target << ", " << source << ", LoadData2DParams{0, "
         << count << ", " << stride << ", 0, 0, "
         << (transpose ? "true" : "false") << ", 0});\n";
}

/// Squares of two blocks of bytes, each transposed as a whole.
void AscendWriter::writeLoadTransposed(StringRef target, StringRef source,
                                       int64_t count, int64_t stride,
                                       int64_t gap, int64_t blockGap) {
  line() << "LoadDataWithTranspose(" << target << ", " << source
         << ", LoadData2dTransposeParams{0, " << count << ", " << stride << ", "
         << gap << ", " << blockGap << ", 0});\n";
}

/// One LoadData for all of a matrix.
void AscendWriter::writeLoadSteps(StringRef target, const Twine &source,
                                  int64_t row, int64_t column, int64_t rows,
                                  int64_t columns, int64_t stride,
                                  int64_t targetStride, bool transpose) {
  line() << "LoadData(" << target << ", " << source << ", LoadData2DParamsV2{"
         << row << ", " << column << ", " << rows << ", " << columns << ", "
         << stride << ", " << targetStride << ", "
         << (transpose ? "true" : "false") << ", 0});\n";
}

/// Squares of blocks that reach past an odd row of the target: the next row
/// comes after them.
void AscendWriter::writeRowBarrier(bool isOdd) {
  if (isOdd)
    line() << "PipeBarrier<PIPE_MTE1>();\n";
}

/// The matrix in L1 as it is, or transposed, to a memory with columns of blocks
/// (Nz; of L0B, Zn of the matrix there).
void AscendWriter::writeLoadWhole(Operation *op, Value target, Value source,
                                  bool transposesBlocks) {
  std::string to = views.lookup(target).tensor;
  Blocks from = getBlocks(op, source, views.lookup(source).tensor);
  int64_t bytes = getBytes(source), side = spec->accumulatorFractal;
  if (!transposesBlocks)
    return writeLoadSteps(to, from.tensor, from.row, from.column, from.rows,
                          from.columns, from.baseRows, from.rows, false);
  auto type = cast<MemRefType>(source.getType());
  int64_t height = llvm::divideCeil(type.getDimSize(1), side);
  // A square of blocks, and how many of its blocks come to stand one above the
  // other.
  int64_t rows = llvm::alignTo(from.rows, getSquare(*spec, bytes) / side);
  int64_t columns =
      llvm::alignTo(from.columns, std::max<int64_t>(1, side / from.elements));
  bool isOdd = columns * from.elements > height * side;
  if (!isOdd)
    return writeLoadSteps(to, from.tensor, from.row, from.column, rows, columns,
                          from.baseRows, height, true);
  int64_t step = getSquare(*spec, bytes) / side;
  for (int64_t i = 0; i < rows; i += step) {
    int64_t offset = i / step * height * from.fractal();
    writeLoadSteps(to + "[" + std::to_string(offset) + "]", from.tensor,
                   from.row + i, from.column, step, columns, from.baseRows,
                   height, true);
    writeRowBarrier(i + step < rows);
  }
}

LogicalResult AscendWriter::writeLoadL0A(LoadL0AOp op) {
  if (loadsWholeMatrices(*getChip(op))) {
    writeLoadWhole(op, op.getTarget(), op.getSource(), op.getTranspose());
    return success();
  }
  std::string to = views.lookup(op.getTarget()).tensor;
  Blocks from =
      getBlocks(op, op.getSource(), views.lookup(op.getSource()).tensor);
  int64_t bytes = getBytes(op.getSource());
  auto type = cast<MemRefType>(op.getTarget().getType());
  // Rows of blocks, of which those of 4 bytes are rounded to squares.
  int64_t k =
      llvm::alignTo(type.getDimSize(1), bytes == 4 ? getSquare(*spec, bytes)
                                                   : from.elements) /
      from.elements;
  auto at = [&](int64_t block) {
    return to + "[" + std::to_string(block * from.fractal()) + "]";
  };
  if (!op.getTranspose()) {
    for (int64_t i = 0; i < from.rows; ++i)
      writeLoadData(at(i * k), from.at(i, 0), from.columns, from.along(),
                    false);
    return success();
  }
  if (bytes == 2) {
    for (int64_t i = 0; i < from.columns; ++i)
      writeLoadData(at(i * k), from.at(0, i), k, from.down(), true);
    return success();
  }
  // A square is two rows of blocks of bytes, or two blocks of a row.
  int64_t step = bytes == 4 ? 2 : 1, count = bytes == 4 ? k / 2 : k;
  for (int64_t i = 0; i < from.columns; i += step)
    writeLoadTransposed(at((bytes == 4 ? i / 2 : 2 * i) * k), from.at(0, i),
                        count, bytes == 4 ? from.down() / 2 : 1, step - 1,
                        bytes == 4 ? 0 : k - 1);
  return success();
}

LogicalResult AscendWriter::writeLoadL0B(LoadL0BOp op) {
  if (loadsWholeMatrices(*getChip(op))) {
    writeLoadWhole(op, op.getTarget(), op.getSource(), !op.getTranspose());
    return success();
  }
  std::string to = views.lookup(op.getTarget()).tensor;
  Blocks from =
      getBlocks(op, op.getSource(), views.lookup(op.getSource()).tensor);
  int64_t bytes = getBytes(op.getSource());
  int64_t n = llvm::divideCeil(
      cast<MemRefType>(op.getTarget().getType()).getDimSize(1),
      spec->accumulatorFractal);
  auto at = [&](int64_t block) {
    return to + "[" + std::to_string(block * from.fractal()) + "]";
  };
  if (op.getTranspose()) {
    for (int64_t j = 0; j < from.columns; ++j)
      writeLoadData(at(j * n), from.at(0, j), n, from.down(), false);
    return success();
  }
  if (bytes == 2) {
    for (int64_t j = 0; j < from.rows; ++j)
      writeLoadData(at(j * n), from.at(j, 0), n, from.along(), true);
    return success();
  }
  if (bytes == 4) {
    for (int64_t j = 0; j < from.rows; ++j)
      writeLoadTransposed(at(2 * j * n), from.at(j, 0), n, 1, 0, n - 1);
    return success();
  }
  for (int64_t j = 0; j < from.rows; j += 2) {
    writeLoadTransposed(at(j / 2 * n), from.at(j, 0), from.columns,
                        from.along() / 2, 1, 0);
    writeRowBarrier(n % 2 != 0 && j + 2 < from.rows);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// L0C
//===----------------------------------------------------------------------===//

LogicalResult AscendWriter::writeMmad(MmadOp op) {
  auto a = cast<MemRefType>(op.getLhs().getType());
  auto c = cast<MemRefType>(op.getTarget().getType());
  int64_t side = spec->accumulatorFractal, k = a.getDimSize(1);
  int64_t bytes = getBytes(op.getLhs());
  int64_t first = getCubeOffsets(op.getTarget())->second *
                  llvm::alignTo(c.getDimSize(0), side);
  std::string target = views.lookup(op.getTarget()).tensor;
  if (first != 0)
    target += "[" + std::to_string(first) + "]";
  // A single row would be read as a vector.
  std::string params =
      "MmadParams(" + std::to_string(std::max<int64_t>(2, a.getDimSize(0))) +
      ", " + std::to_string(c.getDimSize(1)) + ", " + std::to_string(k) +
      ", 0, false, " + getExpr(op.getInit()).text + ")";
  // L0A has K in whole squares, where it has rows of blocks.
  bool isAligned = bytes == 4 && !loadsWholeMatrices(*getChip(op)) &&
                   llvm::divideCeil(k, spec->blockBytes / bytes) % 2 != 0;
  if (isAligned) {
    std::string name = "params" + std::to_string(nextName++);
    line() << "MmadParams " << name << " = " << params << ";\n";
    line() << name << ".kDirectionAlign = true;\n";
    params = name;
  }
  line() << "Mmad(" << target << ", " << getTensor(op.getLhs()) << ", "
         << getTensor(op.getRhs()) << ", " << params << ");\n";
  return success();
}

static StringRef getQuantMode(FixpipeOp op) {
  Type element = cast<MemRefType>(op.getTarget().getType()).getElementType();
  if (element == cast<MemRefType>(op.getSource().getType()).getElementType())
    return "NoQuant";
  return element.isF16() ? "F322F16" : "F322BF16";
}

/// One instruction writes halves of the rows to both vector cores, unless it
/// changes the elements; otherwise each core has one.
LogicalResult AscendWriter::writeFixpipeToUB(FixpipeOp op) {
  auto source = cast<MemRefType>(op.getSource().getType());
  auto target = cast<MemRefType>(op.getTarget().getType());
  Matrix to = *getMatrix(target);
  StringRef mode = getQuantMode(op);
  bool isDual = op.getHalves() && mode == "NoQuant" && !op.getRelu();
  auto write = [&](int64_t core) {
    int64_t first = op.getHalves() ? core * to.rows : 0;
    line() << "{\n";
    ++depth;
    line() << "FixpipeParamsArch3510<CO2Layout::ROW_MAJOR> params("
           << to.columns << ", " << to.rows * (isDual ? 2 : 1) << ", "
           << llvm::alignTo(source.getDimSize(0), spec->accumulatorFractal)
           << ", " << to.pitch << ");\n";
    line() << "params.quantPre = " << mode << ";\n";
    line() << "params.reluEn = " << (op.getRelu() ? "true" : "false") << ";\n";
    if (isDual)
      line() << "params.dualDstCtl = 1;\n";
    else
      line() << "params.subBlockId = " << core << ";\n";
    line() << "Fixpipe<" << *getTypeName(op, target.getElementType()) << ", "
           << *getTypeName(op, source.getElementType()) << ", rowsToUB>("
           << getTensor(op.getTarget()) << ", "
           << getTensorAt(op.getSource(), first * spec->accumulatorFractal)
           << ", params);\n";
    --depth;
    line() << "}\n";
  };
  if (isDual || op.getSubBlock()) {
    write(op.getSubBlock().value_or(0));
    return success();
  }
  for (int64_t core = 0; core < spec->vectorCores; ++core)
    write(core);
  return success();
}

LogicalResult AscendWriter::writeFixpipe(FixpipeOp op) {
  auto source = cast<MemRefType>(op.getSource().getType());
  auto target = cast<MemRefType>(op.getTarget().getType());
  if (tl::getMemorySpace(target) == MemorySpace::UB)
    return writeFixpipeToUB(op);
  if (tl::getMemorySpace(target) != MemorySpace::Global)
    return op.emitError("'ascend.fixpipe' to 'l1' has no form in Ascend C yet");
  Rows to = getRows(op.getTarget());
  Type element = target.getElementType();
  StringRef mode = getQuantMode(op);
  unsigned guard = openGuard(to);
  if (op.getAtomic())
    setAtomic(element, true);
  line() << "Fixpipe<" << *getTypeName(op, element) << ", "
         << *getTypeName(op, source.getElementType()) << ">("
         << getTensor(op.getTarget()) << ", " << getTensor(op.getSource())
         << ", FixpipeParamsV220(uint16_t(" << to.columns << "), uint16_t("
         << to.rows << "), "
         << llvm::alignTo(source.getDimSize(0), spec->accumulatorFractal)
         << ", uint32_t(" << to.pitch << "), "
         << (op.getRelu() ? "true" : "false") << ", " << mode
         << ", 0, 1, 0, 0, 0));\n";
  if (op.getAtomic())
    setAtomic(element, false);
  closeGuard(guard);
  return success();
}

LogicalResult AscendWriter::writeCube(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<CopyGmToL1Op>([&](auto copy) { return writeNd2Nz(copy); })
      .Case<CopyUbToL1Op>([&](auto copy) { return writeUbToL1(copy); })
      .Case<FillL1Op>([&](auto fill) {
        return writeFill(fill.getTarget(), fill.getValue(), spec->blockBytes);
      })
      .Case<FillL0AOp, FillL0BOp>([&](auto fill) {
        return writeFill(fill.getTarget(), fill.getValue(), spec->fractalBytes);
      })
      .Case<LoadL0AOp>([&](auto load) { return writeLoadL0A(load); })
      .Case<LoadL0BOp>([&](auto load) { return writeLoadL0B(load); })
      .Case<MmadOp>([&](auto product) { return writeMmad(product); })
      .Case<FixpipeOp>([&](auto store) { return writeFixpipe(store); })
      .Default([&](Operation *) {
        return op->emitError() << "'" << op->getName()
                               << "' has no form in Ascend C";
      });
}
