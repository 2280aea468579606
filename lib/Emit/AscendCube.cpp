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

namespace {
/// Part of a matrix in L1 (Nz), in its blocks of 16 rows and 32 bytes.
struct Blocks {
  std::string tensor;
  int64_t baseRows;          // blocks of rows of the whole matrix
  int64_t row, column;       // the first block
  int64_t rows, columns;     // how many
  int64_t fractal, elements; // elements of a block, and of 32 bytes

  std::string at(int64_t rowBlock, int64_t columnBlock) const {
    int64_t offset =
        ((column + columnBlock) * baseRows + row + rowBlock) * fractal;
    return tensor + "[" + std::to_string(offset) + "]";
  }
};
} // namespace

static int64_t getBytes(Value buffer) {
  return cast<MemRefType>(buffer.getType()).getElementTypeBitWidth() / 8;
}

static Blocks getBlocks(Value view, StringRef tensor,
                        const target::AscendSpec &spec) {
  auto type = cast<MemRefType>(view.getType());
  auto base = cast<MemRefType>(tl::getBaseBuffer(view).getType());
  int64_t side = spec.accumulatorFractal;
  Blocks blocks;
  blocks.tensor = tensor.str();
  blocks.elements = spec.blockBytes / getBytes(view);
  blocks.fractal = side * blocks.elements;
  blocks.baseRows = llvm::divideCeil(base.getDimSize(0), side);
  blocks.row = blocks.column = 0;
  if (auto part = view.getDefiningOp<memref::SubViewOp>()) {
    blocks.row = part.getStaticOffset(0) / side;
    blocks.column = part.getStaticOffset(1) / blocks.elements;
  }
  blocks.rows = llvm::divideCeil(type.getDimSize(0), side);
  blocks.columns = llvm::divideCeil(type.getDimSize(1), blocks.elements);
  return blocks;
}

//===----------------------------------------------------------------------===//
// L1
//===----------------------------------------------------------------------===//

LogicalResult AscendWriter::writeNd2Nz(CopyGmToL1Op op) {
  Rows from = getRows(op.getSource());
  auto type = cast<MemRefType>(op.getTarget().getType());
  int64_t rows = llvm::alignTo(type.getDimSize(0), spec->accumulatorFractal);
  int64_t perBlock = spec->blockBytes / getBytes(op.getTarget());
  unsigned guard = openGuard(from);
  auto write = [&](StringRef offset, StringRef source, StringRef count,
                   StringRef pitch) {
    line() << "DataCopy(" << views.lookup(op.getTarget()).tensor << offset
           << ", " << source << ", Nd2NzParams{1, uint16_t(" << count
           << "), uint16_t(" << from.columns << "), 0, uint16_t(" << pitch
           << "), " << rows << ", 1, 0});\n";
  };
  std::string source = getTensor(op.getSource());
  bool isStatic = llvm::all_of(from.pitch, llvm::isDigit);
  if (isStatic) {
    write("", source, from.rows, from.pitch);
  } else {
    // The field for the pitch has 16 bits.
    line() << "if (" << from.pitch << " <= " << spec->nd2nzMaxColumns
           << ") {\n";
    ++depth;
    write("", source, from.rows, from.pitch);
    --depth;
    line() << "} else {\n";
    ++depth;
    line() << "for (int64_t row = 0; row < " << from.rows << "; ++row)\n";
    ++depth;
    View view = views.lookup(op.getSource());
    Expr offset = add({view.offset}, multiply({"row"}, {from.pitch}));
    write("[row * " + std::to_string(perBlock) + "]",
          view.tensor + "[" + offset.text + "]", "1", "1");
    depth -= 2;
    line() << "}\n";
  }
  closeGuard(guard);
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

static bool isZz(const target::AscendSpec &spec) {
  return spec.findMemory(target::Space::L0A)->format == target::Format::Zz;
}

LogicalResult AscendWriter::writeLoadL0A(LoadL0AOp op) {
  std::string to = views.lookup(op.getTarget()).tensor;
  Blocks from = getBlocks(op.getSource(),
                          views.lookup(op.getSource()).tensor, *spec);
  int64_t bytes = getBytes(op.getSource());
  auto at = [&](int64_t block) {
    return to + "[" + std::to_string(block * from.fractal) + "]";
  };
  if (!isZz(*spec) && op.getTranspose())
    return op.emitError("a transposed left operand has no form on this chip");
  if (!op.getTranspose()) {
    if (isZz(*spec))
      for (int64_t i = 0; i < from.rows; ++i)
        writeLoadData(at(i * from.columns), from.at(i, 0), from.columns,
                      from.baseRows, false);
    else
      for (int64_t j = 0; j < from.columns; ++j)
        writeLoadData(at(j * from.rows), from.at(0, j), from.rows, 1, false);
    return success();
  }
  if (bytes == 4)
    return op.emitError("blocks of 4-byte elements are not transposed on the "
                        "way to 'l0a'; store the operand as M x K");
  int64_t k = from.rows;
  if (bytes == 2) {
    for (int64_t i = 0; i < from.columns; ++i)
      writeLoadData(at(i * k), from.at(0, i), k, 1, true);
    return success();
  }
  for (int64_t i = 0; i < from.columns; ++i)
    writeLoadTransposed(at(i * k), from.at(0, i), k / 2, 1, 0, k / 2 - 1);
  return success();
}

LogicalResult AscendWriter::writeLoadL0B(LoadL0BOp op) {
  std::string to = views.lookup(op.getTarget()).tensor;
  Blocks from = getBlocks(op.getSource(),
                          views.lookup(op.getSource()).tensor, *spec);
  int64_t bytes = getBytes(op.getSource());
  auto at = [&](int64_t block) {
    return to + "[" + std::to_string(block * from.fractal) + "]";
  };
  if (op.getTranspose()) {
    for (int64_t j = 0; j < from.columns; ++j)
      writeLoadData(at(j * from.rows), from.at(0, j), from.rows, 1, false);
    return success();
  }
  if (bytes == 4)
    return op.emitError("blocks of 4-byte elements are not transposed on the "
                        "way to 'l0b'; store the operand as N x K");
  if (bytes == 2) {
    for (int64_t j = 0; j < from.rows; ++j)
      writeLoadData(at(j * from.columns), from.at(j, 0), from.columns,
                    from.baseRows, true);
    return success();
  }
  for (int64_t j = 0; j < from.rows; j += 2)
    writeLoadTransposed(at(j * from.columns), from.at(j, 0), from.columns,
                        from.baseRows / 2, 1, 0);
  return success();
}

//===----------------------------------------------------------------------===//
// L0C
//===----------------------------------------------------------------------===//

LogicalResult AscendWriter::writeMmad(MmadOp op) {
  auto a = cast<MemRefType>(op.getLhs().getType());
  auto c = cast<MemRefType>(op.getTarget().getType());
  line() << "Mmad(" << getTensor(op.getTarget()) << ", "
         << getTensor(op.getLhs()) << ", " << getTensor(op.getRhs())
         << ", MmadParams(" << a.getDimSize(0) << ", " << c.getDimSize(1)
         << ", " << a.getDimSize(1) << ", 0, false, "
         << getExpr(op.getInit()).text << "));\n";
  return success();
}

LogicalResult AscendWriter::writeFixpipe(FixpipeOp op) {
  Rows to = getRows(op.getTarget());
  auto source = cast<MemRefType>(op.getSource().getType());
  auto target = cast<MemRefType>(op.getTarget().getType());
  if (tl::getMemorySpace(target) != MemorySpace::Global)
    return op.emitError("'ascend.fixpipe' to 'l1' has no form in Ascend C yet");
  Type element = target.getElementType();
  StringRef mode = element == source.getElementType() ? "NoQuant"
                   : element.isF16()                  ? "F322F16"
                                                      : "F322BF16";
  unsigned guard = openGuard(to);
  if (op.getAtomic())
    setAtomic(element, true);
  line() << "Fixpipe<" << *getTypeName(op, element) << ", "
         << *getTypeName(op, source.getElementType()) << ">("
         << getTensor(op.getTarget()) << ", " << getTensor(op.getSource())
         << ", FixpipeParamsV220{uint16_t(" << to.columns << "), uint16_t("
         << to.rows << "), "
         << llvm::alignTo(source.getDimSize(0), spec->accumulatorFractal)
         << ", uint32_t(" << to.pitch << "), " << mode << ", 0, 1, 0, 0, "
         << (op.getRelu() ? "true" : "false") << ", 0, false});\n";
  if (op.getAtomic())
    setAtomic(element, false);
  closeGuard(guard);
  return success();
}

LogicalResult AscendWriter::writeCube(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<CopyGmToL1Op>([&](auto copy) { return writeNd2Nz(copy); })
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
