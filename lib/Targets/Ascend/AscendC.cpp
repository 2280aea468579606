//===- AscendC.cpp - Ascend C text ----------------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// One function for each kernel, in the basic API with static tensors. Scalars
// are C++ variables, buffers tensors with the addresses that were planned; a
// view is an expression that begins at an element of its buffer. Each op is one
// call: `ascend-expand-instructions` has chosen them.
//
//===----------------------------------------------------------------------===//

#include "AscendWriter.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;
namespace target = ::tile::target;
using tl::MemorySpace;

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

void AscendWriter::finishLine() {
  StringRef line = text;
  line = line.rtrim('\n');
  line.consume_back(";");
  if (!line.empty()) {
    lists.back()->emplace_back();
    lists.back()->back().text = line.str();
    lists.back()->back().line = currentLine;
  }
  text.clear();
}

Statement &AscendWriter::add(Statement::Kind kind, const Twine &text) {
  finishLine();
  Statement &statement = lists.back()->emplace_back();
  statement.kind = kind;
  statement.text = text.str();
  statement.line = currentLine;
  return statement;
}

/// Of the file that the kernel is in.
void AscendWriter::setLine(Operation *op) {
  finishLine();
  auto place = op->getLoc()->findInstanceOf<FileLineColLoc>();
  bool isThere = hasLines && place && place.getFilename() == file;
  currentLine = isThere ? place.getLine() : 0;
}

void AscendWriter::open(Statements &inner) {
  finishLine();
  lists.push_back(&inner);
}

void AscendWriter::close() {
  finishLine();
  lists.pop_back();
}

//===----------------------------------------------------------------------===//
// Buffers and views
//===----------------------------------------------------------------------===//

/// A buffer whose elements follow one another, with the given extents.
AscendWriter::View AscendWriter::makeView(StringRef tensor,
                                          ArrayRef<AffineExpr> sizes) {
  View view;
  view.tensor = tensor.str();
  view.offset = number(0);
  view.origin.assign(sizes.size(), number(0));
  view.sizes.assign(sizes.begin(), sizes.end());
  view.strides.resize(sizes.size());
  AffineExpr stride = number(1);
  for (size_t dim = sizes.size(); dim-- > 0;) {
    view.strides[dim] = stride;
    stride = sizes[dim] * stride;
  }
  return view;
}

/// The first element of a matrix of the cube in the order of its memory.
static AffineExpr getCubeAddress(MemRefType base, AffineExpr row,
                                 AffineExpr column, int64_t unit, bool isZz,
                                 int64_t square) {
  // Rows of blocks, or columns of blocks, of 16 rows and `unit` columns.
  constexpr int64_t side = 16;
  AffineExpr block = column.floorDiv(unit);
  if (!isZz)
    return block * (llvm::alignTo(base.getDimSize(0), square) * unit) +
           row * unit;
  return row.floorDiv(side) *
             (llvm::alignTo(base.getDimSize(1), square) * side) +
         (row % side) * unit + block * (side * unit);
}

AffineExpr AscendWriter::getAddress(Value buffer) {
  const View &view = views[buffer];
  MemorySpace space = tl::getMemorySpace(buffer);
  bool isCube = space == MemorySpace::L1 || space == MemorySpace::L0C;
  if (!isCube || view.origin.size() != 2)
    return view.offset;
  Value base = tl::getBaseBuffer(buffer);
  auto type = cast<MemRefType>(base.getType());
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  if (space == MemorySpace::L0C)
    return getCubeAddress(type, view.origin[0], view.origin[1],
                          spec->accumulatorFractal, /*isZz=*/false,
                          spec->accumulatorFractal);
  return getCubeAddress(type, view.origin[0], view.origin[1],
                        spec->blockBytes / bytes,
                        getL1Format(*getChip(base.getDefiningOp()), bytes) ==
                            target::Format::Zz,
                        getSquare(*spec, bytes));
}

std::string AscendWriter::getTensorAt(Value buffer, int64_t element) {
  AffineExpr at = getAddress(buffer) + element;
  std::string tensor = views[buffer].tensor;
  return at == number(0) ? tensor : tensor + "[" + format(at) + "]";
}

AscendWriter::Rows AscendWriter::getRows(Value buffer) {
  const View &view = views[buffer];
  if (view.sizes.size() == 1)
    return {number(1), view.sizes[0], view.sizes[0]};
  return {view.sizes[0], view.sizes[1], view.strides[0]};
}

LogicalResult AscendWriter::writeView(Operation *op) {
  if (auto cast = dyn_cast<memref::CastOp>(op)) {
    views[cast.getResult()] = View(views.lookup(cast.getSource()));
    return success();
  }
  View source = views.lookup(op->getOperand(0)), view;
  if (auto show = dyn_cast<tl::ViewOp>(op)) {
    MemRefType type = show.getType();
    FailureOr<std::string> element = getTypeName(op, type.getElementType());
    if (failed(element))
      return failure();
    SmallVector<AffineExpr> sizes;
    for (int64_t extent : type.getShape())
      sizes.push_back(number(extent));
    views[show.getResult()] = makeView(
        source.tensor + ".ReinterpretCast<" + *element + ">()", sizes);
    return success();
  }
  view.tensor = source.tensor;
  if (auto linear = dyn_cast<memref::ReinterpretCastOp>(op)) {
    view.offset = getExpr(linear.getMixedOffsets()[0]);
    for (OpFoldResult size : linear.getMixedSizes())
      view.sizes.push_back(getExpr(size));
    for (OpFoldResult stride : linear.getMixedStrides())
      view.strides.push_back(getExpr(stride));
    views[linear.getResult()] = view;
    return success();
  }
  auto part = cast<memref::SubViewOp>(op);
  view.offset = source.offset;
  view.origin = source.origin;
  bool isMatrix = source.origin.size() == source.sizes.size();
  llvm::SmallBitVector dropped = part.getDroppedDims();
  for (auto [dim, entry] : llvm::enumerate(part.getMixedOffsets())) {
    AffineExpr offset = getExpr(entry);
    view.offset = view.offset + source.strides[dim] * offset;
    if (isMatrix)
      view.origin[dim] = view.origin[dim] + offset;
  }
  for (auto [dim, size] : llvm::enumerate(part.getMixedSizes())) {
    if (dropped.test(dim))
      continue;
    view.sizes.push_back(getExpr(size));
    view.strides.push_back(source.strides[dim]);
  }
  views[part.getResult()] = view;
  return success();
}

/// The allocations of one type in a block, which are declared together.
static SmallVector<tl::AllocOp> getAlike(tl::AllocOp op) {
  SmallVector<tl::AllocOp> alike;
  for (auto other : op->getBlock()->getOps<tl::AllocOp>())
    if (other.getBuffer().getType() == op.getBuffer().getType())
      alike.push_back(other);
  return alike;
}

LogicalResult AscendWriter::writeAlloc(tl::AllocOp op) {
  // With the first one of its type.
  if (views.contains(op.getBuffer()))
    return success();
  auto type = cast<MemRefType>(op.getBuffer().getType());
  FailureOr<std::string> element = getTypeName(op, type.getElementType());
  if (failed(element))
    return failure();
  MemorySpace space = tl::getMemorySpace(type);
  int64_t elements =
      getAllocatedBytes(type) * 8 / type.getElementTypeBitWidth();
  SmallVector<AffineExpr> sizes;
  for (int64_t extent : type.getShape())
    sizes.push_back(number(extent));
  Statement &tensors = add(Statement::Tensors);
  tensors.type = "LocalTensor<" + *element + ">";
  tensors.comment = tl::formatShape(type.getShape());
  for (tl::AllocOp alike : getAlike(op)) {
    auto address = alike->getAttrOfType<IntegerAttr>(AscendDialect::kAddressAttr);
    if (!address)
      return alike->emitError("has no address; run ascend-plan-memory first");
    std::string name = makeName(alike.getBuffer(), tensors.type,
                                tl::stringifyMemorySpace(space));
    tensors.names.push_back(name);
    tensors.values.push_back(llvm::formatv(
        "{0}, {1}, {2}", useHelper(tl::stringifyMemorySpace(space).upper()),
        address.getInt(), elements));
    views[alike.getBuffer()] = makeView(name, sizes);
  }
  return success();
}

/// A scalar access of a buffer, and extents and strides of buffers.
LogicalResult AscendWriter::writeMemory(Operation *op) {
  auto getElement = [&](Value buffer, ValueRange indices) {
    const View &view = views[buffer];
    AffineExpr offset = view.offset;
    for (auto [index, stride] : llvm::zip_equal(indices, view.strides))
      offset = offset + stride * getExpr(OpFoldResult(index));
    return std::pair(view.tensor, formatExpr(offset, /*isNonNegative=*/true));
  };
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    auto [tensor, offset] = getElement(load.getMemRef(), load.getIndices());
    // The scalar unit reads GM through a cache that sees no store.
    if (written.contains(tl::getBaseBuffer(load.getMemRef())))
      line() << "DataCacheCleanAndInvalid<"
             << *getTypeName(load, load.getMemRefType().getElementType())
             << ", CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>("
             << tensor << "[" << offset << "]);\n";
    return define(load.getResult(), tensor + ".GetValue(" + offset + ")");
  }
  if (auto store = dyn_cast<memref::StoreOp>(op)) {
    auto [tensor, offset] = getElement(store.getMemRef(), store.getIndices());
    line() << tensor << ".SetValue(" << offset << ", "
           << getScalar(store.getValue(), store.getValue().getType())
           << ");\n";
    return success();
  }
  if (auto parts = dyn_cast<memref::ExtractStridedMetadataOp>(op)) {
    const View &view = views[parts.getSource()];
    exprs[parts.getOffset()] = view.offset;
    for (auto [result, size] : llvm::zip(parts.getSizes(), view.sizes))
      exprs[result] = size;
    for (auto [result, stride] : llvm::zip(parts.getStrides(), view.strides))
      exprs[result] = stride;
    return success();
  }
  auto dim = cast<memref::DimOp>(op);
  auto index = dim.getConstantIndex();
  if (!index)
    return op->emitError("expected a constant dimension");
  exprs[dim.getResult()] = views[dim.getSource()].sizes[*index];
  return success();
}

/// The index and the value of a store of a constant that is an integer.
static std::optional<std::pair<int64_t, int64_t>> getStored(Operation *op) {
  auto store = dyn_cast_or_null<memref::StoreOp>(op);
  if (!store || store.getIndices().size() != 1)
    return std::nullopt;
  auto index = getConstantIntValue(store.getIndices()[0]);
  std::optional<int64_t> value;
  FloatAttr number;
  if (store.getValue().getType().isInteger(32))
    value = getConstantIntValue(store.getValue());
  else if (matchPattern(store.getValue(), m_Constant(&number)) &&
           number.getType().isF32() && number.getValue().isInteger() &&
           !number.getValue().isNegZero() &&
           std::abs(number.getValueAsDouble()) < (1 << 24))
    value = int64_t(number.getValueAsDouble());
  if (!index || !value)
    return std::nullopt;
  return std::pair(*index, *value);
}

// As many stores are a loop.
static constexpr int64_t kFewestStores = 4;

/// Stores to neighbours, from an op on, of numbers that grow by one step are a
/// loop. The last one of them; null where there are none.
Operation *AscendWriter::writeProgression(Operation *op) {
  auto first = getStored(op), second = getStored(op->getNextNode());
  if (!first || !second)
    return nullptr;
  auto store = cast<memref::StoreOp>(op);
  int64_t step = second->second - first->second, count = 0;
  Operation *last = op;
  for (; auto next = getStored(op); op = op->getNextNode(), ++count) {
    if (cast<memref::StoreOp>(op).getMemRef() != store.getMemRef() ||
        *next != std::pair(first->first + count, first->second + step * count))
      break;
    last = op;
  }
  if (count < kFewestStores)
    return nullptr;
  const View &view = views[store.getMemRef()];
  AffineExpr c = addVariable("c");
  AffineExpr index = view.offset + (c + first->first) * view.strides[0];
  Statement &loop =
      add(Statement::Loop, "int64_t c = 0; c < " + Twine(count) + "; c += 1");
  loop.names = {"c"};
  open(loop.body);
  line() << view.tensor << ".SetValue(" << format(index) << ", "
         << getType(store.getValue().getType()) << "("
         << formatExpr(c * step + first->second, /*isNonNegative=*/false)
         << "))";
  close();
  return last;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Loads from L1 are a part of products.
static unsigned getWork(Pipe pipe) {
  switch (pipe) {
  case Pipe::MTE2:
    return Loads;
  case Pipe::MTE1:
  case Pipe::M:
    return Multiplies;
  case Pipe::V:
    return Computes;
  case Pipe::MTE3:
  case Pipe::FIX:
    return Stores;
  default:
    return 0;
  }
}

/// Flags, and calls of other ops.
Statement &AscendWriter::writeStatement(ApiCallOpInterface op) {
  auto addFlag = [&](Statement::Kind kind, auto flag) -> Statement & {
    Statement &statement = add(kind);
    statement.type = stringifyPipe(flag.getSrc()).upper() + "_" +
                     stringifyPipe(flag.getDst()).upper();
    statement.values = {std::to_string(flag.getId())};
    return statement;
  };
  if (auto set = dyn_cast<SetFlagOp>(op.getOperation()))
    return addFlag(Statement::Set, set);
  if (auto wait = dyn_cast<WaitFlagOp>(op.getOperation()))
    return addFlag(Statement::Wait, wait);
  current = op;
  op.printCall(*this);
  finishLine();
  Statement &call = lists.back()->back();
  if (isa<PipeBarrierOp>(op))
    call.kind = Statement::Barrier;
  if (isa<CrossCoreSetFlagOp, CrossCoreWaitFlagOp>(op))
    call.kind = Statement::Signal;
  if (auto set = dyn_cast<CrossCoreSetFlagOp>(op.getOperation()))
    call.type = stringifyPipe(set.getPipe()).upper();
  return call;
}

LogicalResult AscendWriter::writeCall(ApiCallOpInterface op) {
  if (!op.isSingleCall())
    return op->emitError("takes more than one call of Ascend C; run "
                         "ascend-expand-instructions first");
  Statement &last = writeStatement(op);
  if (auto instruction = dyn_cast<InstructionOpInterface>(op.getOperation()))
    last.work = getWork(instruction.getPipe());
  // Parameters of Fixpipe to UB.
  if (isa<FixpipeOp>(op.getOperation()))
    for (StringRef name : {"rowsToUB", "toBothCores", "toOneCore"})
      if (StringRef(last.text).contains(name))
        useHelper(name);
  return failure(hasFailed);
}
