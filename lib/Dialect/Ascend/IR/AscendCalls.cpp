//===- AscendCalls.cpp - calls of moves, of the cube and of flags ---------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Dialect/Ascend/IR/Ascend.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile::ascend;
using mlir::tile::MemorySpace;
namespace target = ::tile::target;

static MemRefType getMemRef(Value buffer) {
  return cast<MemRefType>(buffer.getType());
}
static int64_t getBytes(Value buffer) {
  return getMemRef(buffer).getElementTypeBitWidth() / 8;
}
static MemRefType getBaseType(Value buffer) {
  return getMemRef(mlir::tile::getBaseBuffer(buffer));
}

//===----------------------------------------------------------------------===//
// Copies of rows
//===----------------------------------------------------------------------===//

bool mlir::tile::ascend::hasElements(MemRefType type) {
  return type.hasStaticShape() && type.getNumElements() > 0;
}

namespace {
/// The sizes of DataCopyPad.
struct PaddedCopy {
  AffineExpr rows, bytes, gap; // gap: of rows in GM, in bytes
  AffineExpr blocks;           // of rows in UB, in blocks of 32 bytes
  AffineExpr skipped;          // elements of whole blocks in front
  AffineExpr left, padding;    // elements to both ends of a row's blocks
};
} // namespace

/// With elements in front of each row in UB, if `left` is not null.
static PaddedCopy getPaddedCopy(Value local, Value global, Value left,
                                CallPrinter &printer,
                                const target::AscendSpec &spec) {
  CallPrinter::Rows at = printer.getRows(global);
  Matrix matrix = *getMatrix(getMemRef(local));
  int64_t bytes = getBytes(local), perBlock = spec.blockBytes / bytes;
  AffineExpr zero = getAffineConstantExpr(0, at.rows.getContext()),
             front = left ? printer.getNumber(left) : zero,
             skipped = front.floorDiv(perBlock) * perBlock;
  front = front - skipped;
  AffineExpr filled = (front + at.columns).ceilDiv(perBlock);
  PaddedCopy copy{at.rows,
                  at.columns * bytes,
                  zero,
                  zero,
                  skipped,
                  front,
                  filled * perBlock - front - at.columns};
  if (at.rows != 1)
    copy.gap = (at.pitch - at.columns) * bytes;
  if (matrix.rows != 1)
    copy.blocks = matrix.pitch / perBlock - filled;
  return copy;
}

/// A tensor, of the type that its elements are copied as, from element `first`
/// on.
static std::string getMovedTensor(Value buffer, CallPrinter &printer,
                                  AffineExpr first = {}) {
  Type element = getMemRef(buffer).getElementType(), as = getMovedAs(element);
  std::string tensor = printer.getTensor(buffer);
  if (first && first != 0)
    tensor += "[" + printer.format(first) + "]";
  return as == element
             ? tensor
             : tensor + ".ReinterpretCast<" + printer.getType(as) + ">()";
}

bool CopyGmToUbOp::isSingleCall() {
  return (getChecked() || hasElements(getMemRef(getSource()))) &&
         getMatrix(getMemRef(getTarget()))->rows <=
             getSpec(*this).maxBlockCount;
}
void CopyGmToUbOp::printCall(CallPrinter &printer) {
  PaddedCopy copy = getPaddedCopy(getTarget(), getSource(), getLeft(), printer,
                                  getSpec(*this));
  Type element = getMemRef(getTarget()).getElementType();
  std::string name = printer.getType(getMovedAs(element));
  raw_ostream &os = printer.line();
  os << "DataCopyPad(" << getMovedTensor(getTarget(), printer, copy.skipped)
     << ", " << getMovedTensor(getSource(), printer) << ", DataCopyExtParams("
     << printer.format(copy.rows) << ", " << printer.format(copy.bytes) << ", "
     << printer.format(copy.gap) << ", " << printer.format(copy.blocks)
     << ", 0), {";
  if (getPad())
    os << "true, "
       << (getLeft() ? "uint8_t(" + printer.format(copy.left) + ")" : "0")
       << ", uint8_t(" << printer.format(copy.padding) << "), "
       << printer.getScalar(getPad(), element);
  else
    os << "false, 0, 0, " << name << "(0)";
  os << "});\n";
}

bool CopyUbToGmOp::isSingleCall() {
  return (getChecked() || hasElements(getMemRef(getTarget()))) &&
         getMatrix(getMemRef(getSource()))->rows <=
             getSpec(*this).maxBlockCount;
}
void CopyUbToGmOp::printCall(CallPrinter &printer) {
  PaddedCopy copy =
      getPaddedCopy(getSource(), getTarget(), Value(), printer, getSpec(*this));
  printer.line() << "DataCopyPad(" << getMovedTensor(getTarget(), printer)
                 << ", " << getMovedTensor(getSource(), printer)
                 << ", DataCopyExtParams(" << printer.format(copy.rows) << ", "
                 << printer.format(copy.bytes) << ", "
                 << printer.format(copy.blocks) << ", "
                 << printer.format(copy.gap) << ", 0));\n";
}

//===----------------------------------------------------------------------===//
// L1
//===----------------------------------------------------------------------===//

int64_t mlir::tile::ascend::getMaxNd2NzRows(CopyGmToL1Op op) {
  const target::AscendSpec &spec = getSpec(op);
  return getL1Format(*getChip(op), getBytes(op.getTarget())) ==
                 target::Format::Zz
             ? spec.accumulatorFractal
             : spec.nd2nzMaxRows;
}

bool CopyGmToL1Op::isSingleCall() {
  if (getMemRef(getTarget()).getDimSize(0) > getMaxNd2NzRows(*this))
    return false;
  if (getChecked())
    return true;
  FailureOr<Matrix> from = getMatrix(getMemRef(getSource()));
  return succeeded(from) && hasElements(getMemRef(getSource())) &&
         (from->rows == 1 || from->pitch <= getSpec(*this).nd2nzMaxColumns);
}
void CopyGmToL1Op::printCall(CallPrinter &printer) {
  CallPrinter::Rows from = printer.getRows(getSource());
  const target::AscendSpec &spec = getSpec(*this);
  int64_t bytes = getBytes(getTarget());
  // Rows in one column of blocks.
  int64_t height =
      getL1Format(*getChip(*this), bytes) == target::Format::Zz
          ? spec.accumulatorFractal
          : llvm::alignTo(getBaseType(getTarget()).getDimSize(0),
                          getSquare(spec, bytes));
  bool isRow = from.rows == 1;
  printer.line() << "DataCopy(" << printer.getTensor(getTarget()) << ", "
                 << printer.getTensor(getSource()) << ", Nd2NzParams(1, "
                 << printer.format(from.rows) << ", "
                 << printer.format(from.columns) << ", 0, "
                 << (isRow ? "1" : printer.format(from.pitch)) << ", " << height
                 << ", 1, 0));\n";
}

/// A column of blocks of 32 bytes, which follow one another in L1.
bool CopyUbToL1Op::isSingleCall() {
  return getMatrix(getMemRef(getSource()))->columns * getBytes(getSource()) ==
         getSpec(*this).blockBytes;
}
void CopyUbToL1Op::printCall(CallPrinter &printer) {
  const target::AscendSpec &spec = getSpec(*this);
  Matrix from = *getMatrix(getMemRef(getSource()));
  int64_t perBlock = spec.blockBytes / getBytes(getSource());
  std::string to = printer.getTensor(getTarget());
  if (getHalves())
    to += "[GetSubBlockIdx() * " + std::to_string(from.rows * perBlock) + "]";
  printer.line() << "DataCopy(" << to << ", " << printer.getTensor(getSource())
                 << ", DataCopyParams{uint16_t(" << from.rows
                 << "), 1, uint16_t("
                 << (from.rows == 1 ? 0 : from.pitch / perBlock - 1)
                 << "), 0});\n";
}

/// Elements of one byte are filled in pairs: the value is 0.
static void printFill(Value target, Value value, int64_t unit,
                      CallPrinter &printer) {
  Type element = getMemRef(target).getElementType();
  std::string tensor = printer.getTensor(target),
              text = printer.getScalar(value, element);
  if (getBytes(target) == 1) {
    element = IntegerType::get(element.getContext(), 16);
    tensor += ".ReinterpretCast<" + printer.getType(element) + ">()";
    text = "0";
  }
  printer.line() << "Fill(" << tensor << ", InitConstValueParams<"
                 << printer.getType(element) << ">{1, uint16_t("
                 << getAllocatedBytes(getMemRef(target)) / unit << "), 0, "
                 << text
                 << "});\n";
}
void FillL1Op::printCall(CallPrinter &printer) {
  printFill(getTarget(), getValue(), getSpec(*this).blockBytes, printer);
}
void FillL0AOp::printCall(CallPrinter &printer) {
  printFill(getTarget(), getValue(), getSpec(*this).fractalBytes, printer);
}
void FillL0BOp::printCall(CallPrinter &printer) {
  printFill(getTarget(), getValue(), getSpec(*this).fractalBytes, printer);
}

//===----------------------------------------------------------------------===//
// L0A and L0B
//===----------------------------------------------------------------------===//

bool LoadL0AOp::isSingleCall() { return false; }
void LoadL0AOp::printCall(CallPrinter &) {
  llvm_unreachable("expected several calls");
}
bool LoadL0BOp::isSingleCall() { return false; }
void LoadL0BOp::printCall(CallPrinter &) {
  llvm_unreachable("expected several calls");
}

void LoadDataOp::printCall(CallPrinter &printer) {
  printer.line() << "LoadData(" << printer.getTensor(getTarget()) << ", "
                 << printer.getTensor(getSource()) << ", LoadData2DParams{0, "
                 << getRepeat() << ", " << getStride() << ", 0, " << getGap()
                 << ", " << (getTranspose() ? "true" : "false") << ", 0});\n";
}

void LoadTransposedOp::printCall(CallPrinter &printer) {
  printer.line() << "LoadDataWithTranspose(" << printer.getTensor(getTarget())
                 << ", " << printer.getTensor(getSource())
                 << ", LoadData2dTransposeParams{0, " << getRepeat() << ", "
                 << getStride() << ", " << getGap() << ", " << getBlockGap()
                 << ", 0});\n";
}

void LoadMatrixOp::printCall(CallPrinter &printer) {
  ArrayRef<int64_t> at = getAt(), size = getSize(), strides = getStrides();
  printer.line() << "LoadData(" << printer.getTensor(getTarget()) << ", "
                 << printer.getTensor(getSource()) << ", LoadData2DParamsV2{"
                 << at[0] << ", " << at[1] << ", " << size[0] << ", " << size[1]
                 << ", " << strides[0] << ", " << strides[1] << ", "
                 << (getTranspose() ? "true" : "false") << ", 0});\n";
}

//===----------------------------------------------------------------------===//
// L0C
//===----------------------------------------------------------------------===//

void MmadOp::printCall(CallPrinter &printer) {
  const target::AscendSpec &spec = getSpec(*this);
  ArrayRef<int64_t> a = getMemRef(getLhs()).getShape();
  int64_t bytes = getBytes(getLhs());
  // A single row would be read as a vector.
  std::string params =
      "MmadParams(" + std::to_string(std::max<int64_t>(2, a[0])) + ", " +
      std::to_string(getMemRef(getTarget()).getDimSize(1)) + ", " +
      std::to_string(a[1]) + ", 0, false, " +
      printer.getScalar(getInit(), getInit().getType()) + ")";
  // L0A has K in whole squares, where it has rows of blocks.
  bool isAligned = bytes == 4 && !loadsWholeMatrices(*getChip(*this)) &&
                   llvm::divideCeil(a[1], spec.blockBytes / bytes) % 2 != 0;
  if (isAligned) {
    std::string name = printer.makeName("params");
    printer.line() << "MmadParams " << name << " = " << params << ";\n";
    printer.line() << name << ".kDirectionAlign = true;\n";
    params = name;
  }
  printer.line() << "Mmad(" << printer.getTensor(getTarget()) << ", "
                 << printer.getTensor(getLhs()) << ", "
                 << printer.getTensor(getRhs()) << ", " << params << ");\n";
}

static constexpr StringLiteral noQuant = "QuantMode_t::NoQuant";

static StringRef getQuantMode(FixpipeOp op) {
  Type element = getMemRef(op.getTarget()).getElementType();
  if (element == getMemRef(op.getSource()).getElementType())
    return noQuant;
  return element.isF16() ? "QuantMode_t::F322F16" : "QuantMode_t::F322BF16";
}

/// One call writes halves of the rows to both vector cores, unless it changes
/// the elements.
static bool writesBothHalves(FixpipeOp op) {
  return op.getHalves() && !op.getRelu() && getQuantMode(op) == noQuant;
}

bool FixpipeOp::isSingleCall() {
  MemRefType target = getMemRef(getTarget());
  if (mlir::tile::getMemorySpace(target) == MemorySpace::UB)
    return getSubBlock() || writesBothHalves(*this);
  return mlir::tile::getMemorySpace(target) == MemorySpace::Global &&
         (getChecked() || hasElements(target));
}

/// Rows in a column of blocks of L0C.
static int64_t getAccumulatorHeight(FixpipeOp op) {
  return llvm::alignTo(getBaseType(op.getSource()).getDimSize(0),
                       getSpec(op).accumulatorFractal);
}

/// The parameters are built by functions at the top of the text.
static void printFixpipeToUB(FixpipeOp op, CallPrinter &printer) {
  Matrix to = *getMatrix(getMemRef(op.getTarget()));
  bool isDual = writesBothHalves(op);
  raw_ostream &os = printer.line();
  os << "Fixpipe<"
     << printer.getType(getMemRef(op.getTarget()).getElementType()) << ", "
     << printer.getType(getMemRef(op.getSource()).getElementType())
     << ", rowsToUB>(" << printer.getTensor(op.getTarget()) << ", "
     << printer.getTensor(op.getSource()) << ", "
     << (isDual ? "toBothCores(" : "toOneCore(") << to.columns << ", "
     << to.rows * (isDual ? 2 : 1) << ", " << getAccumulatorHeight(op) << ", "
     << to.pitch;
  if (!isDual)
    os << ", " << *op.getSubBlock() << ", " << getQuantMode(op) << ", "
       << (op.getRelu() ? "true" : "false");
  os << "));\n";
}

void FixpipeOp::printCall(CallPrinter &printer) {
  MemRefType target = getMemRef(getTarget());
  if (mlir::tile::getMemorySpace(target) == MemorySpace::UB)
    return printFixpipeToUB(*this, printer);
  CallPrinter::Rows to = printer.getRows(getTarget());
  printer.line() << "Fixpipe<" << printer.getType(target.getElementType())
                 << ", "
                 << printer.getType(getMemRef(getSource()).getElementType())
                 << ">(" << printer.getTensor(getTarget()) << ", "
                 << printer.getTensor(getSource())
                 << ", FixpipeParamsV220(uint16_t("
                 << printer.format(to.columns) << "), uint16_t("
                 << printer.format(to.rows) << "), "
                 << getAccumulatorHeight(*this) << ", uint32_t("
                 << printer.format(to.pitch) << "), "
                 << (getRelu() ? "true" : "false") << ", "
                 << getQuantMode(*this) << ", 0, 1, 0, 0, 0));\n";
}

//===----------------------------------------------------------------------===//
// Flags, modes
//===----------------------------------------------------------------------===//

static std::string getPipeName(Pipe pipe) { return stringifyPipe(pipe).upper(); }

template <typename OpTy>
static void printFlag(StringRef name, OpTy op, CallPrinter &printer) {
  printer.line() << name << "<HardEvent::" << getPipeName(op.getSrc()) << "_"
                 << getPipeName(op.getDst()) << ">(" << op.getId() << ");\n";
}
void SetFlagOp::printCall(CallPrinter &printer) {
  printFlag("SetFlag", *this, printer);
}
void WaitFlagOp::printCall(CallPrinter &printer) {
  printFlag("WaitFlag", *this, printer);
}
void PipeBarrierOp::printCall(CallPrinter &printer) {
  printer.line() << "PipeBarrier<PIPE_" << getPipeName(getPipe()) << ">();\n";
}
void CrossCoreSetFlagOp::printCall(CallPrinter &printer) {
  printer.line() << "CrossCoreSetFlag<2, PIPE_" << getPipeName(getPipe())
                 << ">(" << getId() << ");\n";
}
void CrossCoreWaitFlagOp::printCall(CallPrinter &printer) {
  printer.line() << "CrossCoreWaitFlag<2"
                 << (getPipe() ? ", PIPE_" + getPipeName(*getPipe()) : "")
                 << ">(" << getId() << ");\n";
}
void SetAtomicOp::printCall(CallPrinter &printer) {
  ReduceKind kind = getKind().value_or(ReduceKind::Sum);
  if (getType())
    printer.line() << "SetAtomic"
                   << (kind == ReduceKind::Sum   ? "Add"
                       : kind == ReduceKind::Max ? "Max"
                                                 : "Min")
                   << "<" << printer.getType(*getType()) << ">();\n";
  else
    printer.line() << "SetAtomicNone();\n";
}
