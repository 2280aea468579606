//===- Buffers.cpp - types, buffers and their parts -----------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include "Tile/Dialect/Tile/IR/Buffers.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::tilelang;

DataType::DataType(StringRef text) : element(text) {
  auto [name, count] = text.rsplit('x');
  int64_t number = 0;
  if (!name.empty() && !count.empty() && !count.getAsInteger(10, number) &&
      number > 0) {
    element = name;
    lanes = number;
  }
}

bool DataType::isUnsigned() const {
  return element.starts_with("uint") || element == "bool";
}

bool DataType::isFloat() const {
  return element.starts_with("float") || element.starts_with("bfloat") ||
         element.starts_with("custom[tfloat");
}

static Type getFloatType(MLIRContext *context, StringRef name) {
  return llvm::StringSwitch<Type>(name)
      .Case("float16", Float16Type::get(context))
      .Cases({"float32", "custom[tfloat32]"}, Float32Type::get(context))
      .Case("float64", Float64Type::get(context))
      .Case("bfloat16", BFloat16Type::get(context))
      .Cases({"float8_e4m3fn", "float8_e4m3"}, Float8E4M3FNType::get(context))
      .Case("float8_e5m2", Float8E5M2Type::get(context))
      .Case("float8_e4m3fnuz", Float8E4M3FNUZType::get(context))
      .Case("float8_e5m2fnuz", Float8E5M2FNUZType::get(context))
      .Case("float8_e8m0fnu", Float8E8M0FNUType::get(context))
      .Case("float4_e2m1fn", Float4E2M1FNType::get(context))
      .Default(Type());
}

Type Importer::getElementType(Node at, StringRef dtype) {
  DataType type(dtype);
  if (type.element == "bool")
    return builder.getI1Type();
  if (Type found = getFloatType(context, type.element))
    return found;
  StringRef digits = type.element;
  unsigned width = 0;
  digits.consume_front("u");
  if (digits.consume_front("int") && !digits.getAsInteger(10, width) &&
      llvm::is_contained({1u, 4u, 8u, 16u, 32u, 64u}, width))
    return builder.getIntegerType(width);
  refuse(at, "element type '" + dtype + "'",
         "use bool, int4 to int64, uint4 to uint64, or a float of 4 to 64 "
         "bits");
  return builder.getI32Type();
}

Type Importer::getType(Node expression) {
  return getElementType(expression, expression.getString("dtype"));
}

StringRef Importer::getScope(Node buffer) {
  StringRef scope =
      buffer.get("data").get("type_annotation").getString("storage_scope");
  // What threads fill with numbers of their own is no tile of the block.
  if (scope == "local.fragment" && threads.dependent.contains(buffer.getId()))
    return "local";
  return scope.empty() ? "global" : scope;
}

/// Where a buffer of TileLang lives. Nothing for what is no memory.
static std::optional<MemorySpace> getSpace(StringRef scope) {
  return llvm::StringSwitch<std::optional<MemorySpace>>(scope)
      .Case("global", MemorySpace::Global)
      .Cases({"shared", "shared.dyn"}, MemorySpace::Shared)
      .Cases({"local.fragment", "local.reducer"}, MemorySpace::Fragment)
      .Cases({"local", "local.var"}, MemorySpace::Local)
      .Case("shared.tmem", MemorySpace::Tmem)
      .Default(std::nullopt);
}

namespace {
/// A constant times variables, as extents and strides are.
struct Product {
  int64_t factor = 1;
  SmallVector<int64_t> variables; // sorted

  bool operator==(const Product &other) const {
    return factor == other.factor && variables == other.variables;
  }
};
} // namespace

/// Multiplies the product by an expression, if that is one, too.
static bool multiply(Importer &importer, Node expression, Product &product) {
  if (std::optional<int64_t> number = importer.getConstant(expression)) {
    product.factor *= *number;
    return true;
  }
  if (expression.is("Var")) {
    int64_t variable = expression.getId();
    product.variables.insert(llvm::lower_bound(product.variables, variable),
                             variable);
    return true;
  }
  if (expression.is("Cast"))
    return multiply(importer, expression.get("value"), product);
  return expression.is("Mul") &&
         multiply(importer, expression.get("a"), product) &&
         multiply(importer, expression.get("b"), product);
}

/// Whether the strides are those of the row-major order. A stride of a
/// dimension of one element does not count.
static bool isCompact(Importer &importer, ArrayRef<Node> shape,
                      ArrayRef<Node> strides) {
  Product known;
  bool isKnown = true;
  for (auto [extent, stride] :
       llvm::zip(llvm::reverse(shape), llvm::reverse(strides))) {
    if (importer.getConstant(extent) == 1)
      continue;
    Product step;
    if (!isKnown || !multiply(importer, stride, step) || !(step == known))
      return false;
    isKnown = multiply(importer, extent, known);
  }
  return true;
}

MemRefType Importer::getBufferType(Node buffer) {
  SmallVector<Node> shape = buffer.getElementsOf("shape");
  SmallVector<int64_t> extents;
  for (Node extent : shape) {
    int64_t size = getConstant(extent).value_or(ShapedType::kDynamic);
    if (size < 0 && !ShapedType::isDynamic(size)) {
      refuse(buffer, "a negative extent", "give the buffer a positive one");
      size = 1;
    }
    extents.push_back(size);
  }
  std::optional<MemorySpace> space = getSpace(getScope(buffer));
  if (!space) {
    refuse(buffer, "memory of scope '" + getScope(buffer) + "'",
           "pipelines and their barriers are the compiler's: write "
           "T.Pipelined and T.copy");
    space = MemorySpace::Shared;
  }
  Type element = getElementType(buffer, buffer.getString("dtype"));
  if (DataType(buffer.getString("dtype")).lanes > 1)
    extents.push_back(DataType(buffer.getString("dtype")).lanes);
  Attribute memory;
  if (*space != MemorySpace::Global)
    memory = MemorySpaceAttr::get(context, *space);
  MemRefLayoutAttrInterface layout;
  SmallVector<Node> strides = buffer.getElementsOf("strides");
  if (strides.size() == shape.size() && !isCompact(*this, shape, strides)) {
    SmallVector<int64_t> steps;
    for (Node stride : strides)
      steps.push_back(getConstant(stride).value_or(ShapedType::kDynamic));
    layout = StridedLayoutAttr::get(context, 0, steps);
  }
  return MemRefType::get(extents, element, layout, memory);
}

void Importer::allocate(Node buffer) {
  StringRef name = buffer.getString("name");
  // Barriers are the compiler's; what waits for them is refused, or done at
  // once.
  if (getScope(buffer).contains("barrier"))
    return;
  MemRefType type = getBufferType(buffer);
  Buffer made;
  if (threads.spread.contains(buffer.getId())) {
    SmallVector<int64_t> shape;
    for (int64_t extent : llvm::reverse(threads.extents))
      if (extent > 1)
        shape.push_back(extent);
    made.perThread = shape.size();
    llvm::append_range(shape, type.getShape());
    type = MemRefType::get(shape, type.getElementType(),
                           MemRefLayoutAttrInterface(),
                           MemorySpaceAttr::get(context, MemorySpace::Shared));
    remarkDropped(buffer, "'" + name +
                              "' lives on over barriers: it is a tile in "
                              "shared memory with a row for each thread");
  } else if (threads.uniform.contains(buffer.getId())) {
    type = MemRefType::get(type.getShape(), type.getElementType(),
                           MemRefLayoutAttrInterface(),
                           MemorySpaceAttr::get(context, MemorySpace::Shared));
  }
  if (!type.hasStaticShape()) {
    refuse(buffer, "'" + name + "', a tile of dynamic shape",
           "give it the largest shape, and copies the extents that are needed");
    return;
  }
  if (type.getNumElements() == 0) {
    refuse(buffer, "'" + name + "', a tile of no elements",
           "give it a positive shape");
    return;
  }
  made.value = AllocOp::create(builder, getNamedLoc(buffer, name), type,
                               LayoutAttr(), IntegerAttr());
  scope.buffers[buffer.getId()] = made;
  scope.storage.try_emplace(buffer.get("data").getId(), buffer.getId());
}

/// Memory of dynamic extents with some dimensions joined or divided; null where
/// that is not all.
Value Importer::reshapeMemory(Node buffer, MemRefType type, Value memory) {
  auto from = cast<MemRefType>(memory.getType());
  if (!kernel || !from.getLayout().isIdentity() ||
      getMemorySpace(memory) != MemorySpace::Global)
    return {};
  auto groups = getReassociationIndicesForReshape(from, type);
  if (!groups || from.getRank() == type.getRank())
    return {};
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(kernel);
  Location loc = getNamedLoc(buffer, buffer.getString("name"));
  if (type.getRank() < from.getRank())
    return memref::CollapseShapeOp::create(builder, loc, type, memory, *groups);
  SmallVector<OpFoldResult> shape;
  for (Node extent : buffer.getElementsOf("shape"))
    shape.push_back(getAsOpFoldResult(getIndex(extent)));
  return memref::ExpandShapeOp::create(builder, loc, type.getShape(), memory,
                                       *groups, shape);
}

Buffer Importer::getBuffer(Node buffer) {
  auto found = scope.buffers.find(buffer.getId());
  if (found != scope.buffers.end())
    return found->second;
  MemRefType type = getBufferType(buffer);
  auto original = scope.storage.find(buffer.get("data").getId());
  Buffer view;
  if (buffer && original != scope.storage.end())
    view = scope.buffers.lookup(original->second);
  if (!view.value) {
    refuse(buffer,
           "'" + buffer.getString("name") +
               "', a buffer that nothing allocates (a pointer, "
               "T.make_tensor, or a barrier)",
           "pass it as a T.Tensor");
    SmallVector<int64_t> shape(type.getShape());
    for (int64_t &extent : shape)
      extent = ShapedType::isDynamic(extent) || extent == 0 ? 1 : extent;
    view.value = AllocOp::create(builder, getLoc(buffer),
                                 MemRefType::get(shape, type.getElementType(),
                                                 MemRefLayoutAttrInterface(),
                                                 type.getMemorySpace()),
                                 LayoutAttr(), IntegerAttr());
    scope.buffers[buffer.getId()] = view;
    return view;
  }
  MemRefType from = view.getType();
  type = MemRefType::get(type.getShape(), type.getElementType(),
                         MemRefLayoutAttrInterface(), from.getMemorySpace());
  bool sameElements = from.getElementType() == type.getElementType();
  Location loc = getNamedLoc(buffer, buffer.getString("name"));
  if (from == type)
    return view;
  bool isDynamic = !from.hasStaticShape() || !type.hasStaticShape();
  if (Value whole = isDynamic && sameElements && !view.perThread
                        ? reshapeMemory(buffer, type, view.value)
                        : Value()) {
    view.value = whole;
  } else if (view.perThread || isDynamic || !from.getLayout().isIdentity()) {
    refuse(buffer,
           "'" + buffer.getString("name") +
               "', another view of a buffer of dynamic shape",
           "join or divide whole dimensions, of the same elements, or pass the "
           "buffer as a T.Tensor of the shape that is used");
    view.value = AllocOp::create(
        builder, loc,
        MemRefType::get(SmallVector<int64_t>(type.getRank(), 1),
                        type.getElementType(), MemRefLayoutAttrInterface(),
                        type.getMemorySpace()),
        LayoutAttr(), IntegerAttr());
  } else if (sameElements) {
    view.value = ReshapeOp::create(builder, loc, type, view.value);
  } else {
    view.value = ViewOp::create(builder, loc, type, view.value);
  }
  scope.buffers[buffer.getId()] = view;
  return view;
}

/// The least and the largest value of a variable of a loop in the kernel.
static std::optional<std::pair<int64_t, int64_t>> getRange(Value variable) {
  auto argument = dyn_cast<BlockArgument>(variable);
  Operation *op = argument ? argument.getOwner()->getParentOp() : nullptr;
  if (auto loop = dyn_cast_or_null<ParallelOp>(op)) {
    int64_t extent = loop.getStaticExtents()[argument.getArgNumber()];
    if (!ShapedType::isDynamic(extent))
      return std::pair(int64_t(0), extent - 1);
  }
  if (auto loop = dyn_cast_or_null<scf::ForOp>(op)) {
    auto low = getConstantIntValue(loop.getLowerBound()),
         high = getConstantIntValue(loop.getUpperBound());
    if (low && high && argument == loop.getInductionVar())
      return std::pair(*low, *high - 1);
  }
  return std::nullopt;
}

static std::optional<std::pair<int64_t, int64_t>>
getRange(AffineExpr expr, ArrayRef<Value> operands) {
  if (auto number = dyn_cast<AffineConstantExpr>(expr))
    return std::pair(number.getValue(), number.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return getRange(operands[dim.getPosition()]);
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return std::nullopt;
  auto a = getRange(binary.getLHS(), operands),
       b = getRange(binary.getRHS(), operands);
  if (!a || !b)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Add)
    return std::pair(a->first + b->first, a->second + b->second);
  if (expr.getKind() == AffineExprKind::Mul)
    return std::minmax({a->first * b->first, a->first * b->second,
                        a->second * b->first, a->second * b->second});
  return std::nullopt;
}

/// As in TileLang, where it is below 0 whatever the variables of the loops
/// around; what may be either begins before the buffer.
AffineExpr Importer::countFromEnd(AffineExpr index,
                                  SmallVector<Value> &operands, Value buffer,
                                  unsigned dim) {
  auto type = cast<MemRefType>(buffer.getType());
  auto range = getRange(index, operands);
  if (!range || range->second >= 0 || dim >= type.getRank())
    return index;
  if (!type.isDynamicDim(dim))
    return index + type.getDimSize(dim);
  operands.push_back(
      memref::DimOp::create(builder, buffer.getLoc(), buffer, dim));
  return index + builder.getAffineDimExpr(operands.size() - 1);
}

SmallVector<Value> Importer::getIndices(Node buffer, ArrayRef<Node> indices) {
  SmallVector<Value> values;
  Buffer known = getBuffer(buffer);
  if (known.perThread)
    for (unsigned dim : {2, 1, 0})
      if (threads.extents[dim] > 1)
        values.push_back(thread.empty() ? Value() : thread[dim]);
  for (Node index : indices) {
    SmallVector<Value> operands;
    AffineExpr place = getAffine(index, operands);
    place = countFromEnd(place, operands, known.value, values.size());
    values.push_back(makeIndex(index, place, operands));
  }
  int64_t lanes = DataType(buffer.getString("dtype")).lanes;
  if (lanes > 1)
    values.push_back(constantIndex(lane));
  if (int64_t(values.size()) != known.getType().getRank() ||
      llvm::is_contained(values, Value())) {
    refuse(buffer,
           "'" + buffer.getString("name") + "' with " + Twine(indices.size()) +
               " indices here",
           "give one for each dimension, in code that has them");
    values.assign(known.getType().getRank(), constantIndex(0));
  }
  return values;
}

Value Importer::load(Node buffer, ArrayRef<Node> indices) {
  if (Value own = readBack(buffer, indices))
    return own;
  SmallVector<Value> at = getIndices(buffer, indices);
  return memref::LoadOp::create(builder, getLoc(buffer),
                                getBuffer(buffer).value, at);
}

void Importer::store(Node at, Node buffer, ArrayRef<Node> indices,
                     Value value) {
  SmallVector<Value> places = getIndices(buffer, indices);
  memref::StoreOp::create(builder, getLoc(at), value, getBuffer(buffer).value,
                          places);
}

std::optional<Part> Importer::getPart(Node node) {
  Part part;
  if (node.is("BufferLoad")) {
    part.buffer = node.get("buffer");
    part.begin = node.getElementsOf("indices");
    part.extent.resize(part.begin.size());
    return part;
  }
  if (!node.is("Call") || getCallee(node) != "region")
    return std::nullopt;
  SmallVector<Node> args = node.getElementsOf("args");
  if (args.size() < 2 || !args[0].is("BufferLoad"))
    return std::nullopt;
  part.buffer = args[0].get("buffer");
  part.begin = args[0].getElementsOf("indices");
  part.extent.assign(args.begin() + 2, args.end());
  if (part.begin.size() != part.extent.size() ||
      getBuffer(part.buffer).getType().getRank() !=
          int64_t(part.begin.size()) + getBuffer(part.buffer).perThread)
    return std::nullopt;
  return part;
}

std::optional<SmallVector<int64_t>> Importer::getExtents(const Part &part) {
  SmallVector<int64_t> extents;
  for (Node extent : part.extent) {
    std::optional<int64_t> size = extent ? getConstant(extent) : 1;
    if (!size || *size < 1)
      return std::nullopt;
    extents.push_back(*size);
  }
  return extents;
}

bool Importer::isWhole(const Part &part) {
  std::optional<SmallVector<int64_t>> extents = getExtents(part);
  return extents &&
         ArrayRef(*extents) == getBuffer(part.buffer).getType().getShape() &&
         llvm::all_of(part.begin,
                      [&](Node begin) { return getConstant(begin) == 0; });
}

BufferRegion Importer::getRegion(const Part &part, ArrayRef<int64_t> extents) {
  BufferRegion region = getWholeRegion(getBuffer(part.buffer).value);
  if (isWhole(part))
    return region;
  SmallVector<AffineExpr> results;
  unsigned first = region.sizes.size() - part.begin.size();
  for (auto [dim, begin] : llvm::enumerate(part.begin)) {
    AffineExpr place = getAffine(begin, region.operands);
    results.push_back(
        countFromEnd(place, region.operands, region.buffer, first + dim));
  }
  region.map = AffineMap::get(region.operands.size(), 0, results, context);
  affine::canonicalizeMapAndOperands(&region.map, &region.operands);
  region.sizes.assign(extents.begin(), extents.end());
  return region;
}
