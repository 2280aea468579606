//===- TileIndexedOps.cpp - rows by a list, positions of extrema ----------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AssemblyFormat.h"
#include "Offsets.h"
#include "Signal.h"

#include "Tile/Dialect/BytecodeProperties.h"
#include "Tile/Dialect/Tile/IR/Indexed.h"

using namespace mlir;
using namespace mlir::tile;

#define GET_OP_CLASSES
#include "Tile/Dialect/Tile/IR/TileIndexedOps.cpp.inc"
#include "Tile/Dialect/Tile/IR/TileIndexedOpsBytecode.cpp.inc"

static MemRefType typeOf(Value buffer) {
  return cast<MemRefType>(buffer.getType());
}

/// Tiles may depend on parameters that have no values yet.
static LogicalResult verifyStatic(Operation *op, Value tile) {
  if (typeOf(tile).hasStaticShape() || isUnbound(typeOf(tile)))
    return success();
  return op->emitOpError() << "expected a tile of static shape, got "
                           << tile.getType();
}

//===----------------------------------------------------------------------===//
// Rows by a list
//===----------------------------------------------------------------------===//

static BufferRegion makeGlobalRegion(Value buffer, AffineMap map,
                                     OperandRange indices,
                                     DenseI64ArrayAttr sizes, Value tile) {
  ArrayRef<int64_t> extents =
      sizes ? sizes.asArrayRef() : typeOf(tile).getShape();
  return {buffer, map, llvm::to_vector_of<Value>(indices),
          llvm::to_vector(extents)};
}

static BufferRegion makeListRegion(Value list, AffineMap map,
                                   OperandRange indices,
                                   const BufferRegion &global, uint64_t dim) {
  SmallVector<int64_t> sizes(typeOf(list).getRank(), 1);
  if (!sizes.empty() && dim < global.sizes.size())
    sizes.back() = global.sizes[dim];
  return {list, map, llvm::to_vector_of<Value>(indices), sizes};
}

BufferRegion GatherOp::getSourceRegion() {
  return makeGlobalRegion(getSource(), getSourceMap(), getSourceIndices(),
                          getSourceSizesAttr(), getTarget());
}

BufferRegion GatherOp::getListRegion() {
  return makeListRegion(getList(), getListMap(), getListIndices(),
                        getSourceRegion(), getDim());
}

BufferRegion ScatterOp::getTargetRegion() {
  return makeGlobalRegion(getTarget(), getTargetMap(), getTargetIndices(),
                          getTargetSizesAttr(), getSource());
}

BufferRegion ScatterOp::getListRegion() {
  return makeListRegion(getList(), getListMap(), getListIndices(),
                        getTargetRegion(), getDim());
}

RowCopy RowCopy::get(GatherOp op) {
  return {true, op.getSourceRegion(), unsigned(op.getDim()), op.getListRegion(),
          op.getTarget()};
}

RowCopy RowCopy::get(ScatterOp op) {
  return {false, op.getTargetRegion(), unsigned(op.getDim()),
          op.getListRegion(), op.getSource()};
}

std::optional<unsigned> RowCopy::getTileDim() const {
  if (getNumRows() == 1)
    return std::nullopt;
  return llvm::count_if(ArrayRef<int64_t>(global.sizes).take_front(dim),
                        [](int64_t size) { return size != 1; });
}

Value mlir::tile::getSignal(Operation *op) {
  if (auto copy = dyn_cast<CopyOp>(op))
    return copy.getSignal();
  auto gather = dyn_cast<GatherOp>(op);
  return gather ? gather.getSignal() : Value();
}

OpOperand &mlir::tile::getFilledTile(Operation *op) {
  auto copy = dyn_cast<CopyOp>(op);
  return copy ? copy.getTargetMutable() : cast<GatherOp>(op).getTargetMutable();
}

/// Which rows are touched is not known here: any of them.
static BufferRegion getTouched(const RowCopy &copy) {
  BufferRegion touched = copy.global;
  SmallVector<AffineExpr> offsets(touched.map.getResults());
  offsets[copy.dim] = getAffineConstantExpr(0, touched.map.getContext());
  touched.map =
      AffineMap::get(touched.map.getNumDims(), touched.map.getNumSymbols(),
                     offsets, touched.map.getContext());
  touched.sizes[copy.dim] = ShapedType::kDynamic;
  return touched;
}

void GatherOp::getAccesses(SmallVectorImpl<Access> &accesses) {
  accesses.push_back({AccessKind::Read, getListRegion(), &getListMutable()});
  accesses.push_back(
      {AccessKind::Read, getTouched(RowCopy::get(*this)), &getSourceMutable()});
  accesses.push_back(
      {AccessKind::Write, getWholeRegion(getTarget()), &getTargetMutable()});
}

void ScatterOp::getAccesses(SmallVectorImpl<Access> &accesses) {
  accesses.push_back({AccessKind::Read, getListRegion(), &getListMutable()});
  accesses.push_back(
      {AccessKind::Read, getWholeRegion(getSource()), &getSourceMutable()});
  accesses.push_back({AccessKind::Write, getTouched(RowCopy::get(*this)),
                      &getTargetMutable()});
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

static LogicalResult verifyOffsets(Operation *op, Value buffer, AffineMap map,
                                   ValueRange indices) {
  int64_t rank = typeOf(buffer).getRank();
  if (map.getNumResults() != rank)
    return op->emitOpError()
           << "expected " << rank << " offset" << (rank == 1 ? "" : "s")
           << " for " << buffer.getType() << ", got " << map.getNumResults();
  if (map.getNumInputs() != indices.size())
    return op->emitOpError() << "expected " << map.getNumInputs()
                             << " index operands, got " << indices.size();
  return verifyOffsetMap(op, map);
}

/// tile.gather C1
/// tile.scatter C1
static LogicalResult verifySides(Operation *op, Value global, StringRef name,
                                 Value tile, StringRef tileName) {
  if (getMemorySpace(global) != MemorySpace::Global)
    return op->emitOpError()
           << "expected a " << name << " in global memory, got '"
           << stringifyMemorySpace(getMemorySpace(global)) << "'";
  if (getMemorySpace(tile) == MemorySpace::Global)
    return op->emitOpError()
           << "expected a tile, got a " << tileName << " in global memory";
  Type element = typeOf(global).getElementType();
  if (!element.isSignlessIntOrFloat())
    return op->emitOpError()
           << "expected floats or signless integers, got " << element;
  bool isGather = isa<GatherOp>(op);
  if (Type other = typeOf(tile).getElementType(); other != element)
    return op->emitOpError()
           << "expected element type " << element << " as in the " << name
           << ", got " << other << "; "
           << (isGather ? "gather first and convert with 'tile.copy'"
                        : "convert with 'tile.copy' first");
  if (!isGather && element.getIntOrFloatBitWidth() % 8 != 0)
    return op->emitOpError() << "expected elements of whole bytes, got "
                             << element << "; widen them with 'tile.copy'";
  return verifyStatic(op, tile);
}

/// tile.gather C2
/// tile.scatter C2
static LogicalResult verifyList(Operation *op, const BufferRegion &list) {
  MemRefType type = list.getType();
  MemorySpace space = getMemorySpace(type);
  Type element = type.getElementType();
  if ((space != MemorySpace::Global && space != MemorySpace::Shared) ||
      type.getRank() == 0 ||
      (!element.isSignlessInteger(32) && !element.isSignlessInteger(64)))
    return op->emitOpError() << "expected a list of i32 or i64 in global or "
                                "shared memory, got "
                             << type;
  if (space == MemorySpace::Global)
    return success();
  for (auto [dim, size] : llvm::enumerate(list.sizes)) {
    auto first = dyn_cast<AffineConstantExpr>(list.map.getResult(dim));
    if (!first || type.isDynamicDim(dim) || ShapedType::isDynamic(size))
      continue;
    int64_t extent = type.getDimSize(dim);
    if (first.getValue() < 0 || size > extent ||
        first.getValue() > extent - size)
      return op->emitOpError()
             << "expected the entries to lie inside of dimension " << dim
             << " of the list, got " << size << " of " << extent
             << " from offset " << first.getValue();
  }
  return success();
}

static LogicalResult verifyRowCopy(Operation *op, const RowCopy &copy,
                                   StringRef name, DenseI64ArrayAttr sizes) {
  MemRefType type = copy.global.getType(), tile = typeOf(copy.tile);
  int64_t rank = type.getRank();
  // tile.gather C3
  // tile.scatter C3
  if (sizes && sizes.size() != rank)
    return op->emitOpError() << "expected " << rank << " sizes for " << type
                             << ", got " << sizes.size();
  if (!sizes && tile.getRank() != rank)
    return op->emitOpError()
           << "expected sizes for " << type << ", as the tile has "
           << tile.getRank() << " dimensions";
  if (sizes)
    for (int64_t size : sizes.asArrayRef())
      if (size < 1)
        return op->emitOpError() << "expected positive sizes, got " << size;
  // tile.gather C4
  // tile.scatter C4
  if (copy.dim >= rank)
    return op->emitOpError() << "expected 'dim' below the rank " << rank
                             << " of the " << name << ", got " << copy.dim;
  // tile.gather C5
  // tile.scatter C5
  if (!isUnbound(tile) && copy.global.getMatchedSizes() !=
                              getWholeRegion(copy.tile).getMatchedSizes())
    return op->emitOpError() << "expected regions of equal size, got "
                             << formatShape(copy.global.sizes) << " and "
                             << formatShape(tile.getShape());
  return verifyList(op, copy.list);
}

LogicalResult GatherOp::verify() {
  if (failed(
          verifySides(*this, getSource(), "source", getTarget(), "target")) ||
      failed(verifyOffsets(*this, getSource(), getSourceMap(),
                           getSourceIndices())) ||
      failed(verifyOffsets(*this, getList(), getListMap(), getListIndices())))
    return failure();
  // tile.gather C6
  if (getSignal() && (getMemorySpace(getTarget()) != MemorySpace::Shared ||
                      getMemorySpace(getList()) != MemorySpace::Global))
    return emitOpError(
        "expected a shared target and a global list with 'signal'");
  return verifyRowCopy(*this, RowCopy::get(*this), "source",
                       getSourceSizesAttr());
}

LogicalResult ScatterOp::verify() {
  if (failed(
          verifySides(*this, getTarget(), "target", getSource(), "source")) ||
      failed(verifyOffsets(*this, getTarget(), getTargetMap(),
                           getTargetIndices())) ||
      failed(verifyOffsets(*this, getList(), getListMap(), getListIndices())))
    return failure();
  return verifyRowCopy(*this, RowCopy::get(*this), "target",
                       getTargetSizesAttr());
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

namespace {
/// `%buffer[offsets] [sizes] by %list[offsets] dim(1)`.
struct RowsText {
  RegionText global, list;
  IntegerAttr dim;
};
} // namespace

static ParseResult parseRows(OpAsmParser &parser, OperationState &result,
                             RowsText &rows) {
  SMLoc loc = parser.getCurrentLocation();
  if (parseRegion(parser, rows.global))
    return failure();
  if (!rows.global.map)
    return parser.emitError(loc, "expected offsets in brackets");
  if (parser.parseKeyword("by"))
    return failure();
  loc = parser.getCurrentLocation();
  if (parseRegion(parser, rows.list))
    return failure();
  if (!rows.list.map || rows.list.sizes)
    return parser.emitError(loc, "expected offsets and no sizes");
  std::optional<int64_t> dim;
  if (parseOptionalClause(parser, result, "dim", dim))
    return failure();
  rows.dim = parser.getBuilder().getI64IntegerAttr(dim.value_or(0));
  return success();
}

static void printRows(OpAsmPrinter &printer, const RowCopy &copy,
                      OperandRange indices, DenseI64ArrayAttr sizes,
                      OperandRange listIndices) {
  printRegion(printer, copy.global.buffer, indices,
              AffineMapAttr::get(copy.global.map), sizes);
  printer << " by ";
  printRegion(printer, copy.list.buffer, listIndices,
              AffineMapAttr::get(copy.list.map), {});
  if (copy.dim != 0)
    printer << " dim(" << copy.dim << ")";
}

ParseResult GatherOp::parse(OpAsmParser &parser, OperationState &result) {
  auto &props = result.getOrAddProperties<Properties>();
  RowsText rows;
  Operand target;
  std::optional<Operand> signal;
  Type types[3], signalType;
  if (parseRows(parser, result, rows) || parser.parseComma() ||
      parser.parseOperand(target) ||
      parseSignal(parser, signal, signalType) ||
      parseAttributes(parser, result) ||
      parseTypesOf(parser, {rows.global.buffer, rows.list.buffer, target},
                   {&types[0], &types[1], &types[2]}) ||
      resolveRegion(parser, rows.global, types[0], result) ||
      resolveRegion(parser, rows.list, types[1], result) ||
      parser.resolveOperand(target, types[2], result.operands) ||
      (signal && parser.resolveOperand(*signal, signalType, result.operands)))
    return failure();
  props.sourceMap = rows.global.map;
  props.sourceSizes = rows.global.sizes;
  props.listMap = rows.list.map;
  props.dim = rows.dim;
  props.operandSegmentSizes = {1, int32_t(rows.global.indices.size()), 1,
                               int32_t(rows.list.indices.size()), 1,
                               int32_t(signal.has_value())};
  return success();
}

void GatherOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printRows(printer, RowCopy::get(*this), getSourceIndices(),
            getSourceSizesAttr(), getListIndices());
  printer << ", " << getTarget();
  printSignal(printer, getSignal());
  printer.printOptionalAttrDict(
      (*this)->getAttrs(),
      {"operandSegmentSizes", "sourceMap", "sourceSizes", "listMap", "dim"});
  printTypesOf(printer, *this, {getSource(), getList(), getTarget()});
}

ParseResult ScatterOp::parse(OpAsmParser &parser, OperationState &result) {
  auto &props = result.getOrAddProperties<Properties>();
  RowsText rows;
  Operand source;
  Type types[3];
  if (parser.parseOperand(source) || parser.parseComma() ||
      parseRows(parser, result, rows) || parseAttributes(parser, result) ||
      parseTypesOf(parser, {source, rows.global.buffer, rows.list.buffer},
                   {&types[0], &types[1], &types[2]}) ||
      parser.resolveOperand(source, types[0], result.operands) ||
      resolveRegion(parser, rows.global, types[1], result) ||
      resolveRegion(parser, rows.list, types[2], result))
    return failure();
  props.targetMap = rows.global.map;
  props.targetSizes = rows.global.sizes;
  props.listMap = rows.list.map;
  props.dim = rows.dim;
  props.operandSegmentSizes = {1, 1, int32_t(rows.global.indices.size()), 1,
                               int32_t(rows.list.indices.size())};
  return success();
}

void ScatterOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getSource() << ", ";
  printRows(printer, RowCopy::get(*this), getTargetIndices(),
            getTargetSizesAttr(), getListIndices());
  printer.printOptionalAttrDict(
      (*this)->getAttrs(),
      {"operandSegmentSizes", "targetMap", "targetSizes", "listMap", "dim"});
  printTypesOf(printer, *this, {getSource(), getTarget(), getList()});
}

//===----------------------------------------------------------------------===//
// ArgReduceOp
//===----------------------------------------------------------------------===//

ParseResult ArgReduceOp::parse(OpAsmParser &parser, OperationState &result) {
  auto &props = result.getOrAddProperties<Properties>();
  Operand source, values, indices;
  int64_t dim;
  if (parseKeyword(parser, props.kind) || parser.parseOperand(source) ||
      parser.parseComma() || parser.parseOperand(values) ||
      parser.parseComma() || parser.parseOperand(indices) ||
      parser.parseKeyword("dim") || parser.parseLParen() ||
      parser.parseInteger(dim) || parser.parseRParen())
    return failure();
  props.dim = parser.getBuilder().getI64IntegerAttr(dim);
  return parseBaseAndTypes(parser, {source, values, indices}, result);
}

void ArgReduceOp::print(OpAsmPrinter &printer) {
  printer << ' ' << stringifyReduceKind(getKind()) << ' ' << getSource() << ", "
          << getValues() << ", " << getIndices() << " dim(" << int64_t(getDim())
          << ")";
  if (getBase())
    printer << " base(" << getBase() << ")";
  printer.printOptionalAttrDict((*this)->getAttrs(), {"kind", "dim"});
  printTypesOf(printer, *this, {getSource(), getValues(), getIndices()});
}

/// tile.arg_reduce C1, C2
static LogicalResult verifyShapes(ArgReduceOp op) {
  ArrayRef<int64_t> shape = typeOf(op.getSource()).getShape();
  int64_t dim = op.getDim(), rank = shape.size();
  if (dim < 0)
    return op.emitOpError() << "expected 'dim' not to be negative, got " << dim;
  if (dim >= rank)
    return op.emitOpError() << "expected 'dim' below the rank " << rank
                            << " of the source, got " << dim;
  for (Value tile : {op.getSource(), op.getValues(), op.getIndices()})
    if (failed(verifyStatic(op, tile)))
      return failure();
  if (shape[dim] == 0)
    return op.emitOpError() << "expected a positive extent of dimension " << dim
                            << ", got " << formatShape(shape);
  SmallVector<int64_t> dropped(shape);
  dropped.erase(dropped.begin() + dim);
  if (dropped.empty())
    dropped.push_back(1);
  for (auto [name, tile] : {std::pair("values", op.getValues()),
                            std::pair("indices", op.getIndices())})
    if (!mayBeEqual(typeOf(tile).getShape(), dropped))
      return op.emitOpError()
             << "expected '" << name << "' to be " << formatShape(dropped)
             << " (" << formatShape(shape) << " without dimension " << dim
             << "), got " << formatShape(typeOf(tile).getShape());
  return success();
}

/// tile.arg_reduce C3, C4
static LogicalResult verifyTypes(ArgReduceOp op) {
  if (op.getKind() != ReduceKind::Max && op.getKind() != ReduceKind::Min)
    return op.emitOpError() << "expected 'max' or 'min', got '"
                            << stringifyReduceKind(op.getKind()) << "'";
  Type element = typeOf(op.getSource()).getElementType();
  if (!element.isSignlessIntOrFloat())
    return op.emitOpError()
           << "expected floats or signless integers, got " << element;
  if (Type value = typeOf(op.getValues()).getElementType(); value != element)
    return op.emitOpError() << "expected element type " << element
                            << " as in the source, got " << value;
  if (Type index = typeOf(op.getIndices()).getElementType();
      !index.isSignlessInteger(32))
    return op.emitOpError() << "expected 'indices' of i32, got " << index;
  if (op.getIsUnsigned() && !isa<IntegerType>(element))
    return op.emitOpError() << "'is_unsigned' needs integers, got " << element;
  return success();
}

LogicalResult ArgReduceOp::verify() {
  if (failed(verifyShapes(*this)) || failed(verifyTypes(*this)))
    return failure();
  // tile.arg_reduce C5
  for (auto [name, buffer] :
       {std::pair("source", getSource()), std::pair("values", getValues()),
        std::pair("indices", getIndices())})
    if (getMemorySpace(buffer) == MemorySpace::Global)
      return emitOpError() << "expected a tile, got '" << name
                           << "' in global memory; copy it to shared memory "
                              "or a fragment first";
  if (getSource() == getValues() || getSource() == getIndices() ||
      getValues() == getIndices())
    return emitOpError("expected source, values and indices to be different "
                       "buffers");
  return success();
}

void ArgReduceOp::getAccesses(SmallVectorImpl<Access> &accesses) {
  accesses.push_back(
      {AccessKind::Read, getWholeRegion(getSource()), &getSourceMutable()});
  for (OpOperand *target : {&getValuesMutable(), &getIndicesMutable()})
    if (getCombine())
      accesses.push_back(
          {AccessKind::Read, getWholeRegion(target->get()), target});
  for (OpOperand *target : {&getValuesMutable(), &getIndicesMutable()})
    accesses.push_back(
        {AccessKind::Write, getWholeRegion(target->get()), target});
}
