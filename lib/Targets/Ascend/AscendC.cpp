//===- AscendC.cpp - Ascend C text ----------------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// One function for each kernel, in the basic API with static tensors. Scalars
// are C++ variables, buffers tensors with the addresses that were planned; a
// view is an expression that begins at an element of its buffer.
//
//===----------------------------------------------------------------------===//

#include "AscendWriter.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;
using tl::MemorySpace;

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

std::string AscendWriter::getTensor(Value buffer) {
  View view = views.lookup(buffer);
  if (view.offset == "0")
    return view.tensor;
  return view.tensor + "[" + view.offset + "]";
}

void AscendWriter::writeSubview(memref::SubViewOp op) {
  View source = views.lookup(op.getSource());
  View view;
  view.tensor = source.tensor;
  Expr offset{source.offset};
  llvm::SmallBitVector dropped = op.getDroppedDims();
  for (auto [dim, entry] : llvm::enumerate(op.getMixedOffsets()))
    offset = add(offset, multiply(getExpr(entry), {source.strides[dim]}));
  view.offset = offset.text;
  for (auto [dim, size] : llvm::enumerate(op.getMixedSizes())) {
    if (dropped.test(dim))
      continue;
    view.sizes.push_back(getExpr(size).text);
    view.strides.push_back(source.strides[dim]);
  }
  views[op.getResult()] = view;
}

/// A buffer whose elements follow one another, with the given extents.
AscendWriter::View AscendWriter::makeView(StringRef tensor,
                                          ArrayRef<std::string> sizes) {
  View view;
  view.tensor = tensor.str();
  view.offset = "0";
  view.sizes.assign(sizes.begin(), sizes.end());
  view.strides.resize(sizes.size());
  Expr stride{"1"};
  for (size_t dim = sizes.size(); dim-- > 0;) {
    view.strides[dim] = stride.text;
    stride = multiply(stride, {sizes[dim]});
  }
  return view;
}

static StringRef getPosition(MemorySpace space) {
  switch (space) {
  case MemorySpace::L1:
    return "A1";
  case MemorySpace::L0A:
    return "A2";
  case MemorySpace::L0B:
    return "B2";
  case MemorySpace::L0C:
    return "CO1";
  case MemorySpace::BT:
    return "C2";
  default:
    return "VECCALC";
  }
}

LogicalResult AscendWriter::writeAlloc(tl::AllocOp op) {
  auto type = cast<MemRefType>(op.getBuffer().getType());
  auto address =
      op->getAttrOfType<IntegerAttr>(AscendDialect::kAddressAttr);
  if (!address)
    return op.emitError("has no address; run ascend-plan-memory first");
  FailureOr<std::string> element = getTypeName(op, type.getElementType());
  if (failed(element))
    return failure();
  MemorySpace space = tl::getMemorySpace(type);
  std::string name =
      makeName(op.getBuffer(), tl::stringifyMemorySpace(space).str());
  int64_t elements =
      getAllocatedBytes(type) * 8 / type.getElementTypeBitWidth();
  line() << "LocalTensor<" << *element << "> " << name << "(TPosition::"
         << getPosition(space) << ", " << address.getInt() << ", " << elements
         << "); // " << tl::formatShape(type.getShape()) << "\n";
  SmallVector<std::string> sizes;
  for (int64_t extent : type.getShape())
    sizes.push_back(std::to_string(extent));
  views[op.getBuffer()] = makeView(name, sizes);
  return success();
}

//===----------------------------------------------------------------------===//
// Data moves
//===----------------------------------------------------------------------===//

/// Rows, columns and the row stride of a view of one or two dimensions.
AscendWriter::Rows AscendWriter::getRows(Value buffer) {
  View view = views.lookup(buffer);
  if (view.sizes.size() == 1)
    return {{"1"}, {view.sizes[0]}, {view.sizes[0]}};
  return {{view.sizes[0]}, {view.sizes[1]}, {view.strides[0]}};
}

static bool isNumber(StringRef text) {
  return !text.empty() && llvm::all_of(text, llvm::isDigit);
}

/// Opens a guard where an extent may be 0; returns how many lines to close.
unsigned AscendWriter::openGuard(const Rows &rows) {
  std::string condition;
  for (const std::string &extent : {rows.rows, rows.columns})
    if (!isNumber(extent))
      condition += (condition.empty() ? "" : " && ") + extent + " > 0";
  if (condition.empty())
    return 0;
  line() << "if (" << condition << ") {\n";
  ++depth;
  return 1;
}

void AscendWriter::closeGuard(unsigned lines) {
  if (!lines)
    return;
  --depth;
  line() << "}\n";
}

/// Blocks of 32 bytes between the ends of rows of `columns` elements that begin
/// `pitch` elements apart.
std::string AscendWriter::getGap(int64_t pitch, StringRef columns,
                                 int64_t bytes) {
  int64_t perBlock = spec->blockBytes / bytes;
  int64_t blocks = pitch / perBlock;
  if (isNumber(columns)) {
    int64_t count = std::stoll(columns.str());
    return std::to_string(
        std::max<int64_t>(0, blocks - llvm::divideCeil(count, perBlock)));
  }
  return std::to_string(blocks) + " - (" + columns.str() + " + " +
         std::to_string(perBlock - 1) + ") / " + std::to_string(perBlock);
}

static std::string getBytes(StringRef elements, int64_t bytes) {
  if (isNumber(elements))
    return std::to_string(std::stoll(elements.str()) * bytes);
  return "(" + elements.str() + ") * " + std::to_string(bytes);
}

static int64_t getElementBytes(Value buffer) {
  return cast<MemRefType>(buffer.getType()).getElementTypeBitWidth() / 8;
}

/// Where a matrix may have more rows than one copy takes, opens a loop over
/// parts of them, which begin at `row`; `rows` becomes how many a part has.
bool AscendWriter::openParts(Rows &rows, int64_t bound) {
  int64_t most = spec->maxBlockCount;
  if (bound <= most ||
      (isNumber(rows.rows) && std::stoll(rows.rows) <= most))
    return false;
  std::string limit = std::to_string(most);
  line() << "for (int64_t row = 0; row < " << rows.rows << "; row += " << limit
         << ")\n";
  ++depth;
  rows.rows = "row + " + limit + " < " + rows.rows + " ? " + limit + " : " +
              rows.rows + " - row";
  return true;
}

/// The buffer, from the first row of a part on.
std::string AscendWriter::getPart(Value buffer, StringRef pitch, bool isPart) {
  if (!isPart)
    return getTensor(buffer);
  View view = views.lookup(buffer);
  return view.tensor + "[" +
         add({view.offset}, multiply({"row"}, {pitch.str()})).text + "]";
}

LogicalResult AscendWriter::writeLoad(CopyGmToUbOp op) {
  Rows from = getRows(op.getSource());
  int64_t bytes = getElementBytes(op.getTarget());
  Matrix to = *getMatrix(cast<MemRefType>(op.getTarget().getType()));
  std::string element = *getTypeName(
      op, cast<MemRefType>(op.getTarget().getType()).getElementType());
  int64_t perBlock = spec->blockBytes / bytes;
  unsigned guard = openGuard(from);
  std::string gap = to.rows == 1 ? "0" : getGap(to.pitch, from.columns, bytes);
  std::string stride =
      from.rows == "1"
          ? "0"
          : getBytes(subtract({from.pitch}, {from.columns}).text, bytes);
  bool isPart = openParts(from, to.rows);
  line() << "DataCopyPad("
         << getPart(op.getTarget(), std::to_string(to.pitch), isPart) << ", "
         << getPart(op.getSource(), from.pitch, isPart) << ", {uint16_t("
         << from.rows
         << "), uint32_t(" << getBytes(from.columns, bytes) << "), uint32_t("
         << stride << "), uint32_t(" << gap << "), 0}, DataCopyPadExtParams<"
         << element << ">{";
  if (op.getPad())
    os << "true, 0, uint8_t((" << perBlock << " - (" << from.columns << ") % "
       << perBlock << ") % " << perBlock << "), "
       << getScalar(op.getPad(), op.getPad().getType());
  else
    os << "false, 0, 0, " << element << "(0)";
  os << "});\n";
  depth -= isPart;
  closeGuard(guard);
  return success();
}

void AscendWriter::setAtomic(Type element, bool on) {
  if (on)
    line() << "SetAtomicAdd<" << *getTypeName(nullptr, element) << ">();\n";
  else
    line() << "SetAtomicNone();\n";
}

LogicalResult AscendWriter::writeStore(CopyUbToGmOp op) {
  Rows to = getRows(op.getTarget());
  int64_t bytes = getElementBytes(op.getTarget());
  auto type = cast<MemRefType>(op.getSource().getType());
  Matrix from = *getMatrix(type);
  unsigned guard = openGuard(to);
  if (op.getAtomic())
    setAtomic(type.getElementType(), true);
  std::string gap =
      from.rows == 1 ? "0" : getGap(from.pitch, to.columns, bytes);
  std::string stride =
      to.rows == "1"
          ? "0"
          : getBytes(subtract({to.pitch}, {to.columns}).text, bytes);
  bool isPart = openParts(to, from.rows);
  line() << "DataCopyPad(" << getPart(op.getTarget(), to.pitch, isPart) << ", "
         << getPart(op.getSource(), std::to_string(from.pitch), isPart)
         << ", {uint16_t(" << to.rows
         << "), uint32_t(" << getBytes(to.columns, bytes) << "), uint32_t("
         << gap << "), uint32_t(" << stride << "), 0});\n";
  depth -= isPart;
  if (op.getAtomic())
    setAtomic(type.getElementType(), false);
  closeGuard(guard);
  return success();
}

//===----------------------------------------------------------------------===//
// Vector instructions
//===----------------------------------------------------------------------===//

namespace {
/// An operand of a vector instruction in its repeat form.
struct Lanes {
  std::string tensor, offset;
  int64_t blockStride, repeatStride; // in blocks of 32 bytes
  int64_t rowStep, columnStep;       // in elements, from one call to another
};
} // namespace

/// How the instruction steps along a buffer, with so many elements in a repeat.
static Lanes getLanes(Value buffer, Broadcast broadcast, int64_t lanes,
                      const ::tile::target::AscendSpec &spec) {
  int64_t bytes = getElementBytes(buffer);
  Matrix matrix = *getMatrix(cast<MemRefType>(buffer.getType()));
  if (broadcast == Broadcast::Column)
    return {"", "", 0, 1, spec.blockBytes / bytes, 0};
  int64_t pitch = matrix.rows == 1 ? lanes : matrix.pitch;
  Lanes lane{"", "", 1, pitch * bytes / spec.blockBytes, pitch, 1};
  if (broadcast == Broadcast::Row)
    lane.repeatStride = lane.rowStep = 0;
  return lane;
}

/// Where a call begins that takes one row, or all of them.
static std::string getPlace(const Lanes &lane, StringRef column,
                            bool rowByRow) {
  Expr offset{lane.offset};
  if (lane.columnStep)
    offset = add(offset, {column.str()});
  if (rowByRow && lane.rowStep)
    offset = add(offset, multiply({"row"}, {std::to_string(lane.rowStep)}));
  return offset.text == "0" ? lane.tensor
                            : lane.tensor + "[" + offset.text + "]";
}

static std::string getRepeatParams(StringRef name, ArrayRef<Lanes> operands,
                                   bool rowByRow) {
  std::string text = name.str() + "RepeatParams{";
  for (auto [i, lane] : llvm::enumerate(operands))
    text += (i ? ", " : "") + std::to_string(lane.blockStride);
  for (const Lanes &lane : operands)
    text += ", " + std::to_string(rowByRow ? 0 : lane.repeatStride);
  return text + "}";
}

/// Calls for the columns, `lanes` at a time, and for those that remain.
void AscendWriter::writeColumns(
    int64_t columns, int64_t lanes,
    function_ref<void(StringRef column, int64_t count)> call) {
  int64_t whole = columns / lanes * lanes;
  if (whole == lanes) {
    call("0", lanes);
  } else if (whole > 0) {
    line() << "for (int32_t column = 0; column < " << whole
           << "; column += " << lanes << ")\n";
    ++depth;
    call("column", lanes);
    --depth;
  }
  if (whole < columns)
    call(std::to_string(whole), columns - whole);
}

/// `name` on the elements of matrices, the target first. In one call where all
/// of them are contiguous; otherwise one call for each 256 bytes of columns,
/// which takes all rows. `as`: the type that elements are told to be, of half
/// their width or of the same.
LogicalResult AscendWriter::writeVector(StringRef name, ArrayRef<Value> buffers,
                                        ArrayRef<Broadcast> broadcasts,
                                        StringRef extra, StringRef params,
                                        StringRef as) {
  auto type = cast<MemRefType>(buffers[0].getType());
  Matrix shape = *getMatrix(type);
  std::string suffix = as.empty() ? "" : ".ReinterpretCast<" + as.str() + ">()";
  // Elements of `as` in one element.
  int64_t parts = as.contains("16") ? type.getElementTypeBitWidth() / 16 : 1;
  int64_t widest = 0;
  bool contiguous = true;
  for (auto [i, buffer] : llvm::enumerate(buffers)) {
    widest = std::max(widest, getElementBytes(buffer));
    Matrix matrix = *getMatrix(cast<MemRefType>(buffer.getType()));
    contiguous &= matrix.isContiguous() && broadcasts[i] == Broadcast::None;
  }
  auto write = [&](function_ref<std::string(unsigned)> get) -> raw_ostream & {
    line() << name << "(";
    for (unsigned i = 0; i < buffers.size(); ++i)
      os << (i ? ", " : "") << get(i) << suffix;
    return os << (extra.empty() ? "" : ", ") << extra << ", ";
  };
  if (contiguous && params != "Copy") {
    write([&](unsigned i) { return getTensor(buffers[i]); })
        << shape.rows * shape.columns * parts << ");\n";
    return success();
  }
  int64_t lanes = spec->repeatBytes / widest;
  SmallVector<Lanes> operands;
  bool rowByRow = shape.rows > spec->maxRepeat;
  for (auto [buffer, broadcast] : llvm::zip_equal(buffers, broadcasts)) {
    Lanes lane = getLanes(buffer, broadcast, lanes, *spec);
    View view = views.lookup(buffer);
    lane.tensor = view.tensor;
    lane.offset = view.offset;
    rowByRow |= lane.repeatStride > spec->maxRepeat;
    operands.push_back(std::move(lane));
  }
  if (rowByRow) {
    line() << "for (int32_t row = 0; row < " << shape.rows << "; ++row) {\n";
    ++depth;
  }
  writeColumns(shape.columns, lanes, [&](StringRef column, int64_t count) {
    write([&](unsigned i) { return getPlace(operands[i], column, rowByRow); })
        << "uint64_t(" << count * parts << "), " << (rowByRow ? 1 : shape.rows)
        << ", " << getRepeatParams(params, operands, rowByRow) << ");\n";
  });
  if (rowByRow) {
    --depth;
    line() << "}\n";
  }
  return success();
}

static StringRef getRoundMode(RoundMode mode) {
  static constexpr StringLiteral names[] = {"CAST_NONE",  "CAST_RINT",
                                            "CAST_FLOOR", "CAST_CEIL",
                                            "CAST_ROUND", "CAST_TRUNC"};
  return names[unsigned(mode)];
}

static std::string toUpper(StringRef text) { return text.upper(); }

LogicalResult AscendWriter::writeDuplicate(DuplicateOp op) {
  auto type = cast<MemRefType>(op.getTarget().getType());
  Matrix shape = *getMatrix(type);
  std::string value = getScalar(op.getValue(), type.getElementType());
  if (shape.isContiguous()) {
    line() << "Duplicate(" << getTensor(op.getTarget()) << ", " << value
           << ", " << shape.rows * shape.columns << ");\n";
    return success();
  }
  View view = views.lookup(op.getTarget());
  line() << "for (int32_t row = 0; row < " << shape.rows << "; ++row)\n";
  ++depth;
  line() << "Duplicate(" << view.tensor << "["
         << add({view.offset}, {"row * " + std::to_string(shape.pitch)}).text
         << "], " << value << ", " << shape.columns << ");\n";
  --depth;
  return success();
}

LogicalResult AscendWriter::writeReduce(tl::ascend::ReduceOp op) {
  auto type = cast<MemRefType>(op.getSource().getType());
  Matrix shape = *getMatrix(type);
  int64_t bytes = getElementBytes(op.getSource());
  int64_t pitch = shape.pitch * bytes / spec->blockBytes;
  std::string order = op.getKind() == tl::ascend::ReduceKind::Sum
                          ? ""
                          : ", ReduceOrder::ORDER_ONLY_VALUE";
  View source = views.lookup(op.getSource()),
       target = views.lookup(op.getTarget());
  // As many rows as one call takes.
  for (int64_t row = 0; row < shape.rows; row += spec->maxRepeat / 8 * 8) {
    int64_t count =
        std::min<int64_t>(shape.rows - row, spec->maxRepeat / 8 * 8);
    Expr from = add({source.offset}, {std::to_string(row * shape.pitch)}),
         to = add({target.offset}, {std::to_string(row)});
    line() << getInstructionName(op) << "(" << target.tensor << "[" << to.text
           << "], " << source.tensor << "[" << from.text << "], "
           << shape.columns << ", " << count << ", 1, 1, "
           << (shape.rows == 1 ? spec->repeatBytes / spec->blockBytes : pitch)
           << order << ");\n";
  }
  return success();
}

LogicalResult AscendWriter::writeBrcb(BrcbOp op) {
  auto type = cast<MemRefType>(op.getTarget().getType());
  int64_t repeats = type.getDimSize(0) * spec->blockBytes / spec->repeatBytes;
  int64_t perRepeat = spec->repeatBytes / spec->blockBytes;
  // As many as one call takes.
  for (int64_t first = 0; first < repeats; first += spec->maxRepeat)
    line() << "Brcb("
           << getTensorAt(op.getTarget(),
                          first * perRepeat * type.getDimSize(1))
           << ", " << getTensorAt(op.getSource(), first * perRepeat) << ", "
           << std::min(repeats - first, spec->maxRepeat)
           << ", BrcbRepeatParams{1, 8});\n";
  return success();
}

LogicalResult AscendWriter::writeCompare(CompareOp op) {
  auto type = cast<MemRefType>(op.getSource().getType());
  bool isVector = isa<MemRefType>(op.getValue().getType());
  line() << (isVector ? "Compare" : "CompareScalar") << "("
         << getTensor(op.getTarget()) << ", " << getTensor(op.getSource())
         << ", "
         << (isVector ? getTensor(op.getValue())
                      : getScalar(op.getValue(), type.getElementType()))
         << ", CMPMODE::" << toUpper(stringifyCompareMode(op.getMode())) << ", "
         << type.getNumElements() << ");\n";
  return success();
}

LogicalResult AscendWriter::writeSelect(SelectOp op) {
  auto type = cast<MemRefType>(op.getTarget().getType());
  Type moved = op.getMovedType();
  std::string as = moved == type.getElementType()
                       ? ""
                       : ".ReinterpretCast<" + *getTypeName(op, moved) + ">()";
  line() << "Select(" << getTensor(op.getTarget()) << as << ", "
         << getTensor(op.getMask()) << ", " << getTensor(op.getLhs()) << as
         << ", " << getTensor(op.getRhs()) << as << ", SELMODE::VSEL_TENSOR_TENSOR_MODE, "
         << type.getNumElements() << ");\n";
  return success();
}

/// The type that an instruction is told where it is not that of the elements.
static std::string getMoved(Type element, Type moved) {
  return element == moved ? "" : "int16_t";
}

/// Shifts to the right bring in zeros where the type is unsigned.
static std::string getShifted(ScalarKind kind, Type element) {
  if (kind != ScalarKind::Shru)
    return "";
  return "uint" + std::to_string(element.getIntOrFloatBitWidth()) + "_t";
}

LogicalResult AscendWriter::writeInstruction(Operation *op) {
  using Result = LogicalResult;
  constexpr Broadcast none = Broadcast::None;
  auto getElement = [](Value buffer) {
    return cast<MemRefType>(buffer.getType()).getElementType();
  };
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<CopyGmToUbOp>([&](auto copy) { return writeLoad(copy); })
      .Case<CopyUbToGmOp>([&](auto copy) { return writeStore(copy); })
      .Case<BinaryOp>([&](BinaryOp vector) {
        return writeVector(
            getInstructionName(op),
            {vector.getTarget(), vector.getLhs(), vector.getRhs()},
            {none, vector.getLhsBroadcast(), vector.getRhsBroadcast()}, "",
            "Binary",
            getMoved(getElement(vector.getTarget()), vector.getMovedType()));
      })
      .Case<ScalarOp>([&](ScalarOp vector) {
        Type element = getElement(vector.getTarget());
        std::string as = getShifted(vector.getKind(), element);
        std::string value = getScalar(vector.getValue(), element);
        return writeVector(getInstructionName(op),
                           {vector.getTarget(), vector.getSource()},
                           {none, none},
                           as.empty() ? value : as + "(" + value + ")",
                           "Unary", as);
      })
      .Case<UnaryOp>([&](UnaryOp vector) {
        return writeVector(getInstructionName(op),
                           {vector.getTarget(), vector.getSource()},
                           {none, none}, "", "Unary",
                           getMoved(getElement(vector.getTarget()),
                                    vector.getMovedType()));
      })
      .Case<CastOp>([&](CastOp vector) {
        return writeVector(
            "Cast", {vector.getTarget(), vector.getSource()}, {none, none},
            ("RoundMode::" + getRoundMode(vector.getMode())).str(), "Unary");
      })
      .Case<CopyUbOp>([&](CopyUbOp vector) {
        return writeVector("Copy",
                           {vector.getTarget(), vector.getSource()},
                           {none, none}, "", "Copy");
      })
      .Case<DuplicateOp>([&](auto vector) { return writeDuplicate(vector); })
      .Case<tl::ascend::ReduceOp>(
          [&](auto vector) { return writeReduce(vector); })
      .Case<BrcbOp>([&](auto vector) { return writeBrcb(vector); })
      .Case<CompareOp>([&](auto vector) { return writeCompare(vector); })
      .Case<SelectOp>([&](auto vector) { return writeSelect(vector); })
      .Default([&](Operation *) { return writeSorting(op); });
}

//===----------------------------------------------------------------------===//
// Flags
//===----------------------------------------------------------------------===//

bool AscendWriter::writeSync(Operation *op) {
  auto flag = [&](StringRef name, Pipe src, Pipe dst, int64_t id) {
    line() << name << "<HardEvent::" << toUpper(stringifyPipe(src)) << "_"
           << toUpper(stringifyPipe(dst)) << ">(" << id << ");\n";
  };
  if (auto set = dyn_cast<SetFlagOp>(op))
    flag("SetFlag", set.getSrc(), set.getDst(), set.getId());
  else if (auto wait = dyn_cast<WaitFlagOp>(op))
    flag("WaitFlag", wait.getSrc(), wait.getDst(), wait.getId());
  else if (auto barrier = dyn_cast<PipeBarrierOp>(op))
    line() << "PipeBarrier<PIPE_" << toUpper(stringifyPipe(barrier.getPipe()))
           << ">();\n";
  else if (auto raise = dyn_cast<CrossSetOp>(op))
    line() << "CrossCoreSetFlag<2, PIPE_"
           << toUpper(stringifyPipe(raise.getPipe())) << ">("
           << raise.getId() << ");\n";
  else if (auto take = dyn_cast<CrossWaitOp>(op))
    line() << "CrossCoreWaitFlag<2"
           << (take.getPipe() ? ", PIPE_" + toUpper(stringifyPipe(*take.getPipe()))
                              : "")
           << ">(" << take.getId() << ");\n";
  else
    return false;
  return true;
}
