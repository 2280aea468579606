//===- Launch.cpp - what a kernel is launched with ------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Conversion/TileToSIMT/Launch.h"

#include "Tile/Conversion/TileToSIMT/Lowering.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::simt;

static NamedAttribute named(Builder &b, StringRef name, int64_t value) {
  return b.getNamedAttr(name, b.getI64IntegerAttr(value));
}

static NamedAttribute named(Builder &b, StringRef name, StringRef value) {
  return b.getNamedAttr(name, b.getStringAttr(value));
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

Value LaunchBuilder::add(Type type, DictionaryAttr how, const Twine &key,
                         ArrayRef<NamedAttribute> argAttrs) {
  std::string name = key.str();
  if (Value known = values.lookup(name))
    return known;
  OpBuilder b(function.getContext());
  unsigned index = function.getNumArguments();
  if (failed(function.insertArgument(index, type, b.getDictionaryAttr(argAttrs),
                                     host.getLoc())))
    llvm_unreachable("a kernel takes any parameter");
  parameters.push_back(how);
  return values[name] = function.getArgument(index);
}

Value LaunchBuilder::getPointer(unsigned argument) {
  Builder b(function.getContext());
  return add(LLVM::LLVMPointerType::get(b.getContext(), 1),
             b.getDictionaryAttr({named(b, "kind", "pointer"),
                                  named(b, "argument", argument)}),
             "pointer" + Twine(argument),
             {named(b, LLVM::LLVMDialect::getAlignAttrName(),
                    gpu.vectorBytes)});
}

Value LaunchBuilder::getScalar(unsigned argument) {
  Builder b(function.getContext());
  Type type = host.getArgumentTypes()[argument];
  Value value =
      add(type.isIndex() ? b.getI64Type() : getStorageType(type),
          b.getDictionaryAttr({named(b, "kind", "scalar"),
                               named(b, "argument", argument)}),
          "scalar" + Twine(argument));
  OpBuilder at(function.getBody());
  at.setInsertionPointToStart(&function.getBody().front());
  return fromStorage(at, host.getLoc(), value, type);
}

static Value asIndex(gpu::GPUFuncOp function, Value value) {
  OpBuilder b(function.getBody());
  b.setInsertionPointToStart(&function.getBody().front());
  return arith::IndexCastOp::create(b, value.getLoc(), b.getIndexType(), value);
}

Value LaunchBuilder::getSize(unsigned argument, unsigned dim) {
  Builder b(function.getContext());
  Value value = add(
      b.getI64Type(),
      b.getDictionaryAttr({named(b, "kind", "size"),
                           named(b, "argument", argument), named(b, "dim", dim),
                           named(b, "type", "i64")}),
      "size" + Twine(argument) + "." + Twine(dim));
  return asIndex(function, value);
}

Value LaunchBuilder::getStride(unsigned argument, unsigned dim) {
  Builder b(function.getContext());
  Value value = add(
      b.getI64Type(),
      b.getDictionaryAttr({named(b, "kind", "stride"),
                           named(b, "argument", argument), named(b, "dim", dim),
                           named(b, "type", "i64")}),
      "stride" + Twine(argument) + "." + Twine(dim));
  return asIndex(function, value);
}

Value LaunchBuilder::getTensorMap(const TensorMapSpec &spec) {
  Builder b(function.getContext());
  auto it = llvm::find(maps, spec);
  unsigned index = it - maps.begin();
  if (it == maps.end())
    maps.push_back(spec);
  auto bytes = LLVM::LLVMArrayType::get(b.getI8Type(), gpu.tma->mapBytes);
  return add(LLVM::LLVMPointerType::get(b.getContext()),
             b.getDictionaryAttr(
                 {named(b, "kind", "tensor_map"), named(b, "map", index)}),
             "map" + Twine(index),
             {b.getNamedAttr(LLVM::LLVMDialect::getByValAttrName(),
                             TypeAttr::get(bytes)),
              named(b, LLVM::LLVMDialect::getAlignAttrName(),
                    gpu.tma->mapAlign)});
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

std::string LaunchBuilder::useSymbol(const Twine &name,
                                     ArrayRef<NamedAttribute> how) {
  Builder b(function.getContext());
  std::string text = name.str();
  if (symbolNames.insert(text).second) {
    SmallVector<NamedAttribute> attrs(how);
    attrs.push_back(named(b, "name", text));
    symbols.push_back(b.getDictionaryAttr(attrs));
  }
  return text;
}

std::string LaunchBuilder::sizeSymbol(unsigned argument, unsigned dim) {
  Builder b(function.getContext());
  return useSymbol("size" + Twine(argument) + "." + Twine(dim),
                   {named(b, "argument", argument), named(b, "dim", dim)});
}

FailureOr<std::string> LaunchBuilder::expressAffine(Operation *op,
                                                    AffineExpr expr,
                                                    ValueRange dims,
                                                    ValueRange symbols) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return std::to_string(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return express(op, dims[dim.getPosition()]);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return express(op, symbols[symbol.getPosition()]);
  auto binary = cast<AffineBinaryOpExpr>(expr);
  FailureOr<std::string> lhs =
      expressAffine(op, binary.getLHS(), dims, symbols);
  FailureOr<std::string> rhs =
      expressAffine(op, binary.getRHS(), dims, symbols);
  if (failed(lhs) || failed(rhs))
    return failure();
  StringRef name = expr.getKind() == AffineExprKind::Add        ? "+"
                   : expr.getKind() == AffineExprKind::Mul      ? "*"
                   : expr.getKind() == AffineExprKind::CeilDiv  ? "ceildiv"
                   : expr.getKind() == AffineExprKind::FloorDiv ? "floordiv"
                                                                : "mod";
  return *lhs + " " + *rhs + " " + name.str();
}

/// The operator of the metadata for a binary op of arith.
static StringRef getOperator(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case<arith::AddIOp>([](auto) { return "+"; })
      .Case<arith::SubIOp>([](auto) { return "-"; })
      .Case<arith::MulIOp>([](auto) { return "*"; })
      .Case<arith::CeilDivSIOp, arith::CeilDivUIOp>(
          [](auto) { return "ceildiv"; })
      .Case<arith::FloorDivSIOp, arith::DivUIOp, arith::DivSIOp>(
          [](auto) { return "floordiv"; })
      .Case<arith::RemUIOp, arith::RemSIOp>([](auto) { return "mod"; })
      .Case<arith::MinSIOp, arith::MinUIOp>([](auto) { return "min"; })
      .Case<arith::MaxSIOp, arith::MaxUIOp>([](auto) { return "max"; })
      .Default([](auto) { return ""; });
}

FailureOr<std::string> LaunchBuilder::express(Operation *user,
                                              OpFoldResult folded) {
  if (std::optional<int64_t> constant = getConstantIntValue(folded))
    return std::to_string(*constant);
  auto value = cast<Value>(folded);
  if (auto argument = dyn_cast<BlockArgument>(value))
    if (argument.getOwner() == &host.getBody().front()) {
      Builder b(function.getContext());
      unsigned index = argument.getArgNumber();
      return useSymbol("scalar" + Twine(index),
                       {named(b, "argument", index)});
    }
  Operation *op = value.getDefiningOp();
  if (auto dim = dyn_cast_or_null<memref::DimOp>(op)) {
    auto argument = dyn_cast<BlockArgument>(dim.getSource());
    std::optional<int64_t> index = dim.getConstantIndex();
    if (argument && index && argument.getOwner() == &host.getBody().front())
      return sizeSymbol(argument.getArgNumber(), *index);
  }
  if (auto apply = dyn_cast_or_null<affine::AffineApplyOp>(op))
    return expressAffine(user, apply.getAffineMap().getResult(0),
                         apply.getDimOperands(), apply.getSymbolOperands());
  if (isa_and_nonnull<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
                      arith::ExtUIOp>(op))
    return express(user, op->getOperand(0));
  StringRef name = op ? getOperator(op) : "";
  if (name.empty()) {
    InFlightDiagnostic diag = user->emitError(
        "expected a grid that follows from the sizes and integers that the "
        "function takes, by + - * ceildiv floordiv mod min max");
    diag.attachNote(value.getLoc()) << "this value does not";
    return diag;
  }
  FailureOr<std::string> lhs = express(user, op->getOperand(0));
  FailureOr<std::string> rhs = express(user, op->getOperand(1));
  if (failed(lhs) || failed(rhs))
    return failure();
  return *lhs + " " + *rhs + " " + name.str();
}

FailureOr<Attribute> LaunchBuilder::getExpression(Operation *op,
                                                  OpFoldResult value) {
  Builder b(function.getContext());
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return Attribute(b.getI64IntegerAttr(*constant));
  FailureOr<std::string> text = express(op, value);
  if (failed(text))
    return failure();
  return Attribute(b.getStringAttr(*text));
}

//===----------------------------------------------------------------------===//
// The dictionary
//===----------------------------------------------------------------------===//

static std::string getDType(Type type) {
  if (type.isIndex())
    return "i64";
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

DictionaryAttr LaunchBuilder::describeArgument(unsigned argument) {
  Builder b(function.getContext());
  Type type = host.getArgumentTypes()[argument];
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return b.getDictionaryAttr(
        {named(b, "kind", "scalar"), named(b, "dtype", getDType(type))});
  SmallVector<Attribute> shape;
  for (auto [dim, size] : llvm::enumerate(memref.getShape()))
    shape.push_back(ShapedType::isDynamic(size)
                        ? Attribute(b.getStringAttr(sizeSymbol(argument, dim)))
                        : Attribute(b.getI64IntegerAttr(size)));
  SmallVector<NamedAttribute> attrs{
      named(b, "kind", "memref"),
      named(b, "dtype", getDType(memref.getElementType())),
      b.getNamedAttr("shape", b.getArrayAttr(shape)),
      named(b, "align", gpu.vectorBytes)};
  if (memref.getLayout().isIdentity())
    return b.getDictionaryAttr(attrs);
  auto [strides, offset] = memref.getStridesAndOffset();
  SmallVector<Attribute> list;
  for (auto [dim, stride] : llvm::enumerate(strides)) {
    if (!ShapedType::isDynamic(stride)) {
      list.push_back(b.getI64IntegerAttr(stride));
      continue;
    }
    std::string name =
        useSymbol("stride" + Twine(argument) + "." + Twine(dim),
                  {named(b, "argument", argument), named(b, "stride", dim)});
    list.push_back(b.getStringAttr(name));
  }
  attrs.push_back(b.getNamedAttr("strides", b.getArrayAttr(list)));
  return b.getDictionaryAttr(attrs);
}

/// The element type of a tensor map that moves the bits of `element`.
static StringRef getMapType(Type element) {
  if (element.isF16())
    return "f16";
  if (element.isBF16())
    return "bf16";
  if (element.isF32())
    return "f32";
  if (element.isF64())
    return "f64";
  switch (element.getIntOrFloatBitWidth()) {
  case 8:
    return "u8";
  case 16:
    return "u16";
  case 32:
    return "i32";
  default:
    return "i64";
  }
}

DictionaryAttr LaunchBuilder::describeTensorMap(const TensorMapSpec &spec) {
  Builder b(function.getContext());
  auto memref = cast<MemRefType>(host.getArgumentTypes()[spec.argument]);
  int64_t bytes = memref.getElementTypeBitWidth() / 8, rank = memref.getRank();
  // Dimension 0 of a tensor map is the fastest.
  SmallVector<Attribute> sizes, strides, box;
  std::string stride = std::to_string(bytes);
  auto [given, offset] = memref.getStridesAndOffset();
  for (int64_t dim = rank; dim-- > 0;) {
    std::string size = memref.isDynamicDim(dim)
                           ? sizeSymbol(spec.argument, dim)
                           : std::to_string(memref.getDimSize(dim));
    sizes.push_back(b.getStringAttr(size));
    box.push_back(b.getI64IntegerAttr(spec.box[dim]));
    if (dim + 1 < rank) {
      bool identity = memref.getLayout().isIdentity();
      std::string own =
          ShapedType::isDynamic(given[dim])
              ? useSymbol("stride" + Twine(spec.argument) + "." + Twine(dim),
                          {named(b, "argument", spec.argument),
                           named(b, "stride", dim)})
              : std::to_string(given[dim]);
      strides.push_back(b.getStringAttr(
          identity ? stride : own + " " + std::to_string(bytes) + " *"));
    }
    stride += " " + size + " *";
  }
  std::string swizzle = spec.swizzleBytes == 0
                            ? "none"
                            : std::to_string(spec.swizzleBytes) + "B";
  return b.getDictionaryAttr(
      {named(b, "argument", spec.argument),
       named(b, "type", getMapType(memref.getElementType())),
       b.getNamedAttr("sizes", b.getArrayAttr(sizes)),
       b.getNamedAttr("strides", b.getArrayAttr(strides)),
       b.getNamedAttr("box", b.getArrayAttr(box)),
       named(b, "swizzle", swizzle), named(b, "l2_promotion", 256)});
}

LogicalResult LaunchBuilder::finish(Operation *kernel, const Shape &shape,
                                    StringRef runtime, StringRef chip) {
  Builder b(function.getContext());
  SmallVector<Attribute> arguments, grid, mapAttrs;
  for (unsigned i = 0; i < host.getNumArguments(); ++i)
    arguments.push_back(describeArgument(i));
  for (OpFoldResult extent : shape.grid) {
    FailureOr<Attribute> expression = getExpression(kernel, extent);
    if (failed(expression))
      return failure();
    grid.push_back(*expression);
  }
  for (const TensorMapSpec &spec : maps)
    mapAttrs.push_back(describeTensorMap(spec));
  if (shape.persistent) {
    std::string tiles;
    for (auto [i, extent] : llvm::enumerate(grid)) {
      auto text = dyn_cast<StringAttr>(extent);
      tiles += text ? text.str()
                    : std::to_string(cast<IntegerAttr>(extent).getInt());
      tiles += i ? " * " : " ";
    }
    std::string processors =
        useSymbol("multiprocessors", {named(b, "device", "multiprocessors")});
    grid = {b.getStringAttr(tiles + processors + " min")};
  }
  SmallVector<NamedAttribute> attrs{
      named(b, "version", 1),
      named(b, "kernel", function.getName()),
      named(b, "target", runtime),
      named(b, "chip", chip),
      b.getNamedAttr("arguments", b.getArrayAttr(arguments)),
      b.getNamedAttr("symbols", b.getArrayAttr(symbols)),
      b.getNamedAttr("tensor_maps", b.getArrayAttr(mapAttrs)),
      b.getNamedAttr("parameters", b.getArrayAttr(parameters)),
      b.getNamedAttr("grid", b.getArrayAttr(grid)),
      b.getNamedAttr("block",
                     b.getArrayAttr({b.getI64IntegerAttr(shape.threads)})),
      named(b, "shared", shape.sharedBytes)};
  if (!shape.cluster.empty())
    attrs.push_back(
        b.getNamedAttr("cluster", b.getI64ArrayAttr(shape.cluster)));
  function->setAttr("tile.launch", b.getDictionaryAttr(attrs));
  function.setKnownBlockSizeAttr(
      b.getDenseI32ArrayAttr({int32_t(shape.threads), 1, 1}));
  return success();
}
