//===- AscendVectorCalls.cpp - calls of vector instructions ---------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Dialect/Ascend/IR/Ascend.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile::ascend;
namespace target = ::tile::target;

static MemRefType getMemRef(Value buffer) {
  return cast<MemRefType>(buffer.getType());
}
static int64_t getBytes(Value buffer) {
  return getMemRef(buffer).getElementTypeBitWidth() / 8;
}
static int64_t getLength(Value buffer) {
  return getMemRef(buffer).getNumElements();
}

//===----------------------------------------------------------------------===//
// Elementwise instructions
//===----------------------------------------------------------------------===//

int64_t mlir::tile::ascend::getLanes(Operation *op) {
  int64_t widest = 1;
  for (Value operand : op->getOperands())
    if (isa<MemRefType>(operand.getType()))
      widest = std::max(widest, getBytes(operand));
  return getSpec(op).repeatBytes / widest;
}

int64_t mlir::tile::ascend::getRepeatStride(ElementwiseOpInterface op,
                                            unsigned operand) {
  Value buffer = op->getOperand(operand);
  Matrix matrix = *getMatrix(getMemRef(buffer));
  switch (op.getBroadcast(operand)) {
  case Broadcast::Row:
    return 0;
  case Broadcast::Column:
    return 1;
  case Broadcast::None:
    break;
  }
  int64_t pitch = matrix.rows == 1 ? getLanes(op) : matrix.pitch;
  return pitch * getBytes(buffer) / getSpec(op).blockBytes;
}

/// Whether a call takes all elements by their number.
static bool isCounted(ElementwiseOpInterface op) {
  return op.takesCount() &&
         llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
           auto type = dyn_cast<MemRefType>(operand.get().getType());
           return !type ||
                  (op.getBroadcast(operand.getOperandNumber()) ==
                       Broadcast::None &&
                   getMatrix(type)->isContiguous());
         });
}

bool mlir::tile::ascend::hasRepeats(Operation *op) {
  return getLanes(op) < getSpec(op).repeatBytes;
}

static bool isSingleElementwise(ElementwiseOpInterface op) {
  if (isCounted(op))
    return true;
  if (!hasRepeats(op))
    return false;
  const target::AscendSpec &spec = getSpec(op);
  Matrix shape = *getMatrix(getMemRef(op->getOperand(0)));
  return shape.columns <= getLanes(op) && shape.rows <= spec.maxRepeat &&
         llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
           return !isa<MemRefType>(operand.get().getType()) ||
                  getRepeatStride(op, operand.getOperandNumber()) <=
                      spec.maxRepeat;
         });
}

namespace {
/// What the call of an elementwise instruction has besides its buffers.
struct Arguments {
  std::string extra;  // between buffers and sizes
  StringRef params;   // the structure of strides; none where they are plain
  Type as = Type();   // the type that elements are told to be
  bool isUnsigned = false;
  int64_t rowRepeats = 0; // of a row that is longer than one repeat
};
} // namespace

/// The call by a number of elements, or by mask, repeats and strides.
static void printElementwise(ElementwiseOpInterface op, CallPrinter &printer,
                             const Arguments &arguments) {
  Type element = getMemRef(op->getOperand(0)).getElementType();
  std::string suffix;
  int64_t parts = 1; // elements of the type in one element
  if (arguments.as) {
    std::string name = printer.getType(arguments.as);
    suffix = ".ReinterpretCast<" +
             (arguments.isUnsigned ? "u" + name : name) + ">()";
    parts = element.getIntOrFloatBitWidth() /
            arguments.as.getIntOrFloatBitWidth();
  }
  raw_ostream &os = printer.line();
  os << getInstructionName(op) << "(";
  std::string blocks, repeats;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    unsigned i = operand.getOperandNumber();
    StringRef comma = i ? ", " : "";
    os << comma << printer.getTensor(operand.get()) << suffix;
    bool isColumn = op.getBroadcast(i) == Broadcast::Column;
    blocks += (comma + (isColumn ? "0" : "1")).str();
    repeats += ", " + std::to_string(getRepeatStride(op, i));
  }
  if (!arguments.extra.empty())
    os << ", " << arguments.extra;
  Matrix shape = *getMatrix(getMemRef(op->getOperand(0)));
  if (isCounted(op)) {
    os << ", " << shape.rows * shape.columns * parts << ");\n";
    return;
  }
  if (arguments.rowRepeats > 1)
    shape = {arguments.rowRepeats, getLanes(op), getLanes(op)};
  os << ", uint64_t(" << shape.columns * parts << "), " << shape.rows << ", ";
  if (arguments.params.empty())
    os << blocks << repeats << ");\n";
  else
    os << arguments.params << "{" << blocks << repeats << "});\n";
}

/// The type that an instruction is told where it is not that of the elements.
static Type getOther(Type moved, Value buffer) {
  return moved == getMemRef(buffer).getElementType() ? Type() : moved;
}

bool BinaryOp::isSingleCall() {
  return isSingleElementwise(cast<ElementwiseOpInterface>(getOperation()));
}
Broadcast BinaryOp::getBroadcast(unsigned operand) {
  return operand == 0   ? Broadcast::None
         : operand == 1 ? getLhsBroadcast()
                        : getRhsBroadcast();
}
void BinaryOp::printCall(CallPrinter &printer) {
  printElementwise(cast<ElementwiseOpInterface>(getOperation()), printer,
                   {"", "BinaryRepeatParams",
                    getOther(getMovedType(), getTarget())});
}

bool MulAddOp::isSingleCall() {
  return isSingleElementwise(cast<ElementwiseOpInterface>(getOperation()));
}
Broadcast MulAddOp::getBroadcast(unsigned operand) {
  return operand == 0   ? Broadcast::None
         : operand == 1 ? getFactorBroadcast()
                        : getAddendBroadcast();
}
void MulAddOp::printCall(CallPrinter &printer) {
  printElementwise(cast<ElementwiseOpInterface>(getOperation()), printer,
                   {"", "BinaryRepeatParams"});
}

bool ScalarOp::isSingleCall() {
  return isSingleElementwise(cast<ElementwiseOpInterface>(getOperation()));
}
/// Shifts to the right bring in zeros where the type is unsigned.
void ScalarOp::printCall(CallPrinter &printer) {
  Type element = getMemRef(getTarget()).getElementType();
  Arguments arguments{printer.getScalar(getValue(), element),
                      "UnaryRepeatParams"};
  if (getKind() == ScalarKind::Shru) {
    arguments.as = element;
    arguments.isUnsigned = true;
    arguments.extra =
        "u" + printer.getType(element) + "(" + arguments.extra + ")";
  }
  printElementwise(cast<ElementwiseOpInterface>(getOperation()), printer,
                   arguments);
}

bool UnaryOp::isSingleCall() {
  return isSingleElementwise(cast<ElementwiseOpInterface>(getOperation()));
}
void UnaryOp::printCall(CallPrinter &printer) {
  printElementwise(
      cast<ElementwiseOpInterface>(getOperation()), printer,
      {"", "UnaryRepeatParams", getOther(getMovedType(), getTarget())});
}

bool CastOp::isSingleCall() {
  return isSingleElementwise(cast<ElementwiseOpInterface>(getOperation()));
}
void CastOp::printCall(CallPrinter &printer) {
  static constexpr StringLiteral names[] = {"CAST_NONE",  "CAST_RINT",
                                            "CAST_FLOOR", "CAST_CEIL",
                                            "CAST_ROUND", "CAST_TRUNC"};
  printElementwise(
      cast<ElementwiseOpInterface>(getOperation()), printer,
      {("RoundMode::" + names[unsigned(getMode())]).str(),
       "UnaryRepeatParams"});
}

bool DuplicateOp::isSingleCall() {
  return isSingleElementwise(cast<ElementwiseOpInterface>(getOperation()));
}
void DuplicateOp::printCall(CallPrinter &printer) {
  Type element = getMemRef(getTarget()).getElementType();
  printElementwise(cast<ElementwiseOpInterface>(getOperation()), printer,
                   {printer.getScalar(getValue(), element), "",
                    getOther(getMovedAs(element), getTarget())});
}

bool CopyUbOp::takesCount() { return false; }

/// The repeats of a copy of one row of whole repeats; 0 for others.
static int64_t getRowRepeats(CopyUbOp op) {
  Matrix shape = *getMatrix(getMemRef(op.getTarget()));
  int64_t lanes = getLanes(op);
  bool isWhole = shape.rows == 1 && shape.columns % lanes == 0;
  return isWhole ? shape.columns / lanes : 0;
}

bool CopyUbOp::isSingleCall() {
  int64_t repeats = getRowRepeats(*this);
  return (repeats > 0 && repeats <= getSpec(*this).maxRepeat) ||
         isSingleElementwise(cast<ElementwiseOpInterface>(getOperation()));
}
void CopyUbOp::printCall(CallPrinter &printer) {
  Type element = getMemRef(getTarget()).getElementType();
  bool isSame = element == getMemRef(getSource()).getElementType();
  Type bits = IntegerType::get(getContext(), element.getIntOrFloatBitWidth());
  printElementwise(cast<ElementwiseOpInterface>(getOperation()), printer,
                   {"", "CopyRepeatParams", isSame ? Type() : bits,
                    /*isUnsigned=*/false, getRowRepeats(*this)});
}

//===----------------------------------------------------------------------===//
// Reductions, comparisons
//===----------------------------------------------------------------------===//

int64_t mlir::tile::ascend::getMaxReducedRows(Operation *op) {
  // Results begin at blocks of 32 bytes.
  return getSpec(op).maxRepeat / 8 * 8;
}

bool ReduceOp::isSingleCall() {
  return getMatrix(getMemRef(getSource()))->rows <= getMaxReducedRows(*this);
}
void ReduceOp::printCall(CallPrinter &printer) {
  const target::AscendSpec &spec = getSpec(*this);
  Matrix shape = *getMatrix(getMemRef(getSource()));
  int64_t pitch = shape.rows == 1 ? getLanes(*this) : shape.pitch;
  printer.line() << getInstructionName(*this) << "("
                 << printer.getTensor(getTarget()) << ", "
                 << printer.getTensor(getSource()) << ", " << shape.columns
                 << ", " << shape.rows << ", 1, 1, "
                 << pitch * getBytes(getSource()) / spec.blockBytes
                 << (getKind() == ReduceKind::Sum
                         ? ""
                         : ", ReduceOrder::ORDER_ONLY_VALUE")
                 << ");\n";
}

int64_t mlir::tile::ascend::getMaxBlockRows(Operation *op) {
  const target::AscendSpec &spec = getSpec(op);
  return spec.maxRepeat * (spec.repeatBytes / spec.blockBytes);
}

bool BrcbOp::isSingleCall() {
  return getMemRef(getTarget()).getDimSize(0) <= getMaxBlockRows(*this);
}
void BrcbOp::printCall(CallPrinter &printer) {
  const target::AscendSpec &spec = getSpec(*this);
  int64_t perRepeat = spec.repeatBytes / spec.blockBytes;
  printer.line() << "Brcb(" << printer.getTensor(getTarget()) << ", "
                 << printer.getTensor(getSource()) << ", "
                 << getMemRef(getTarget()).getDimSize(0) / perRepeat
                 << ", BrcbRepeatParams{1, " << perRepeat << "});\n";
}

/// The masks of comparisons are bytes without signs: 950 takes no others.
static std::string getMaskTensor(Value mask, CallPrinter &printer) {
  return printer.getTensor(mask) + ".ReinterpretCast<uint8_t>()";
}

void CompareOp::printCall(CallPrinter &printer) {
  MemRefType type = getMemRef(getSource());
  bool isVector = isa<MemRefType>(getValue().getType());
  printer.line() << (isVector ? "Compare" : "CompareScalar") << "("
                 << getMaskTensor(getTarget(), printer) << ", "
                 << printer.getTensor(getSource()) << ", "
                 << (isVector ? printer.getTensor(getValue())
                              : printer.getScalar(getValue(),
                                                  type.getElementType()))
                 << ", CMPMODE::" << stringifyCompareMode(getMode()).upper()
                 << ", " << type.getNumElements() << ");\n";
}

void SelectOp::printCall(CallPrinter &printer) {
  Type as = getOther(getMovedType(), getTarget());
  std::string suffix =
      as ? ".ReinterpretCast<" + printer.getType(as) + ">()" : "";
  bool isVector = isa<MemRefType>(getRhs().getType());
  printer.line() << "Select(" << printer.getTensor(getTarget()) << suffix
                 << ", " << getMaskTensor(getMask(), printer) << ", "
                 << printer.getTensor(getLhs()) << suffix << ", "
                 << (isVector ? printer.getTensor(getRhs()) + suffix
                              : printer.getScalar(getRhs(), getRhs().getType()))
                 << ", SELMODE::VSEL_TENSOR_"
                 << (isVector ? "TENSOR" : "SCALAR") << "_MODE, "
                 << getLength(getTarget()) << ");\n";
}

//===----------------------------------------------------------------------===//
// Sorting, gathering
//===----------------------------------------------------------------------===//

int64_t mlir::tile::ascend::getMaxSortedKeys(Operation *op) {
  return getSpec(op).maxRepeat * getSpec(op).sortGroup;
}

bool Sort32Op::isSingleCall() {
  return getLength(getKeys()) <= getMaxSortedKeys(*this);
}
void Sort32Op::printCall(CallPrinter &printer) {
  printer.line() << "Sort32(" << printer.getTensor(getTarget()) << ", "
                 << printer.getTensor(getKeys()) << ", "
                 << printer.getTensor(getIndices())
                 << ".ReinterpretCast<uint32_t>(), "
                 << getLength(getKeys()) / getSpec(*this).sortGroup << ");\n";
}

void MergeSortOp::printCall(CallPrinter &printer) {
  ArrayRef<int64_t> lengths = getLengths();
  std::string info = printer.makeName("merge");
  printer.line() << "MrgSort4Info " << info << ";\n";
  for (auto [i, length] : llvm::enumerate(lengths))
    printer.line() << info << ".elementLengths[" << i << "] = " << length
                   << ";\n";
  printer.line() << info << ".validBit = " << (1 << lengths.size()) - 1
                 << ";\n";
  printer.line() << info << ".repeatTimes = "
                 << getLength(getTarget()) / 2 / getMergedLength() << ";\n";
  raw_ostream &os = printer.line();
  os << "MrgSort(" << printer.getTensor(getTarget())
     << ", MrgSortSrcList<float>(";
  // Lists that do not take part are named too.
  int64_t next = 0;
  for (size_t i = 0; i < 4; ++i) {
    bool exists = i < lengths.size();
    int64_t record = !exists        ? 0
                     : getOffsets() ? (*getOffsets())[i]
                                    : next;
    next += exists ? lengths[i] : 0;
    os << (i ? ", " : "") << printer.getTensorAt(getSource(), 2 * record);
  }
  os << "), " << info << ");\n";
}

/// How many elements there are is known: the call's result is not read.
void GatherMaskOp::printCall(CallPrinter &printer) {
  const target::AscendSpec &spec = getSpec(*this);
  Type as = getOther(getMemRef(getTarget()).getElementType(), getSource());
  std::string kept = printer.makeName("kept");
  printer.line() << "uint64_t " << kept << " = 0;\n";
  printer.line() << "GatherMask(" << printer.getTensor(getTarget()) << ", "
                 << printer.getTensor(getSource())
                 << (as ? ".ReinterpretCast<" + printer.getType(as) + ">()"
                        : "")
                 << ", uint8_t(" << unsigned(getPattern()) << "), true, "
                 << getLength(getSource()) << ", GatherMaskParams{1, 1, "
                 << spec.repeatBytes / spec.blockBytes << ", 0}, " << kept
                 << ");\n";
}

void GatherOp::printCall(CallPrinter &printer) {
  printer.line() << "Gather(" << printer.getTensor(getTarget()) << ", "
                 << printer.getTensor(getSource()) << ", "
                 << printer.getTensor(getOffsets())
                 << ".ReinterpretCast<uint32_t>(), 0, "
                 << getLength(getTarget()) << ");\n";
}
