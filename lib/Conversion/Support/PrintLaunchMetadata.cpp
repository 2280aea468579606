//===- PrintLaunchMetadata.cpp - #tile.launch as the runtime's JSON -------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Conversion/LaunchMetadata.h"

#include "Tile/Dialect/World/IR/World.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::tile;
using llvm::json::Array;
using llvm::json::Object;
using JSONValue = llvm::json::Value;

std::string mlir::tile::getRuntimeTypeName(Type type) {
  if (type.isIndex())
    return "i64";
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto integer = dyn_cast<IntegerType>(type))
    os << (integer.isUnsigned() ? "ui" : "i") << integer.getWidth();
  else
    os << type;
  return text;
}

/// The element type of a tensor map that moves the bits of `element`.
static StringRef getTensorMapType(Type element) {
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

namespace {
class Printer {
public:
  explicit Printer(LaunchAttr launch) : launch(launch) {}
  Object run(ArrayRef<LaunchAttr> versions, Attribute copies);

private:
  /// What versions have of their own.
  Object printKernel();
  /// Postfix; the least and greatest of expressions stand where they are used.
  std::string postfix(AffineExpr expression);
  std::string combine(LaunchSymbolAttr symbol);
  /// An integer, a text, or null for any number.
  JSONValue print(AffineExpr expression);
  Array print(ArrayRef<AffineExpr> expressions) {
    Array list;
    for (AffineExpr expression : expressions)
      list.push_back(print(expression));
    return list;
  }
  Object print(LaunchSymbolAttr symbol);
  Object print(LaunchArgumentAttr argument);
  Object print(LaunchParameterAttr parameter);
  Object printMap(int64_t index);
  Object print(FactAttr condition);
  template <typename T>
  Array printAll(ArrayRef<T> parts) {
    Array list;
    for (T part : parts)
      list.push_back(print(part));
    return list;
  }

  LaunchAttr launch;
};
} // namespace

/// Whether a symbol is made of others and has no line of its own.
static bool isCombination(LaunchSymbolAttr symbol) {
  return symbol.getKind() == LaunchSymbolKind::Min ||
         symbol.getKind() == LaunchSymbolKind::Max;
}

std::string Printer::combine(LaunchSymbolAttr symbol) {
  std::string text;
  for (auto [i, value] : llvm::enumerate(symbol.getValues()))
    text += (i ? " " : "") + postfix(value) +
            (i ? " " + stringifyLaunchSymbolKind(symbol.getKind()).str() : "");
  return text;
}

std::string Printer::postfix(AffineExpr expression) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expression))
    return std::to_string(constant.getValue());
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expression)) {
    LaunchSymbolAttr attr = launch.getSymbols()[symbol.getPosition()];
    return isCombination(attr) ? combine(attr) : attr.getName().str();
  }
  auto binary = cast<AffineBinaryOpExpr>(expression);
  AffineExpr rhs = binary.getRHS();
  auto join = [&](AffineExpr right, StringRef name) {
    return postfix(binary.getLHS()) + " " + postfix(right) + " " + name.str();
  };
  switch (expression.getKind()) {
  case AffineExprKind::Add: {
    // a - b is a + b * -1.
    auto product = dyn_cast<AffineBinaryOpExpr>(rhs);
    auto constant = dyn_cast<AffineConstantExpr>(rhs);
    if (product && product.getKind() == AffineExprKind::Mul &&
        product.getRHS() == -1)
      return join(product.getLHS(), "-");
    if (constant && constant.getValue() < 0)
      return join(-rhs, "-");
    return join(rhs, "+");
  }
  case AffineExprKind::Mul:
    return join(rhs, "*");
  case AffineExprKind::CeilDiv:
    return join(rhs, "ceildiv");
  case AffineExprKind::FloorDiv:
    return join(rhs, "floordiv");
  case AffineExprKind::Mod:
    return join(rhs, "mod");
  default:
    llvm_unreachable("a launch has no dimensions");
  }
}

JSONValue Printer::print(AffineExpr expression) {
  if (!expression)
    return nullptr;
  if (auto constant = dyn_cast<AffineConstantExpr>(expression))
    return constant.getValue();
  return postfix(expression);
}

Object Printer::print(LaunchSymbolAttr symbol) {
  Object object{{"name", symbol.getName().str()}};
  if (symbol.getKind() == LaunchSymbolKind::Multiprocessors)
    object["device"] = "multiprocessors";
  else
    object["argument"] = symbol.getArgument();
  if (symbol.getKind() == LaunchSymbolKind::Size)
    object["dim"] = symbol.getDim();
  if (symbol.getKind() == LaunchSymbolKind::Stride)
    object["stride"] = symbol.getDim();
  if (symbol.getMultiple() != 1)
    object["multiple"] = symbol.getMultiple();
  if (symbol.getLeast() != std::numeric_limits<int64_t>::min())
    object["min"] = symbol.getLeast();
  return object;
}

Object Printer::print(LaunchArgumentAttr argument) {
  auto memref = dyn_cast<MemRefType>(argument.getType());
  Type element = memref ? memref.getElementType() : argument.getType();
  Object object{{"kind", memref ? "memref" : "scalar"},
                {"dtype", getRuntimeTypeName(element)}};
  if (!argument.getName().empty())
    object["name"] = argument.getName().str();
  if (!memref)
    return object;
  object["shape"] = print(argument.getShape());
  if (argument.getAlign() != 1)
    object["align"] = argument.getAlign();
  if (!argument.getStrides().empty())
    object["strides"] = print(argument.getStrides());
  return object;
}

Object Printer::print(LaunchParameterAttr parameter) {
  LaunchParameterKind kind = parameter.getKind();
  Object object{{"kind", stringifyLaunchParameterKind(kind).str()}};
  if (parameter.getArgument() >= 0)
    object["argument"] = parameter.getArgument();
  if (parameter.getDim() >= 0)
    object["dim"] = parameter.getDim();
  if (parameter.getMap() >= 0)
    object["map"] = parameter.getMap();
  else if (parameter.getValue())
    object[kind == LaunchParameterKind::Workspace ? "offset" : "value"] =
        print(parameter.getValue());
  bool isNumber = kind == LaunchParameterKind::Size ||
                  kind == LaunchParameterKind::Stride ||
                  kind == LaunchParameterKind::Value;
  if (isNumber)
    object["type"] = parameter.getType()
                         ? getRuntimeTypeName(parameter.getType())
                         : std::string("i64");
  return object;
}

Object Printer::printMap(int64_t index) {
  TensorMapAttr map = launch.getMaps()[index];
  Object object{{"type", getTensorMapType(map.getElement()).str()},
                {"sizes", print(map.getSizes())},
                {"strides", print(map.getStrides())},
                {"box", Array(map.getBox())}};
  if (map.getArgument() >= 0)
    object["argument"] = map.getArgument();
  // The parameter knows where in the workspace the tensor begins.
  for (LaunchParameterAttr parameter : launch.getParameters())
    if (map.getArgument() < 0 && parameter.getMap() == index)
      object["workspace"] = print(parameter.getValue());
  if (map.getSwizzle())
    object["swizzle"] = std::to_string(map.getSwizzle()) + "B";
  if (map.getL2Promotion())
    object["l2_promotion"] = map.getL2Promotion();
  return object;
}

Object Printer::print(FactAttr condition) {
  Object object{{"argument", condition.getArgument()}};
  if (condition.getKind() == FactKind::Address) {
    object["align"] = condition.getMultiple();
    return object;
  }
  object[condition.getKind() == FactKind::Size ? "dim" : "stride"] =
      condition.getDim();
  if (condition.getMin() != 0)
    object["min"] = condition.getMin();
  if (condition.getMultiple() != 1)
    object["multiple"] = condition.getMultiple();
  return object;
}

Object Printer::printKernel() {
  Array symbols;
  for (LaunchSymbolAttr symbol : launch.getSymbols())
    if (!isCombination(symbol))
      symbols.push_back(print(symbol));
  Object text{{"kernel", launch.getKernel().str()},
              {"symbols", std::move(symbols)},
              {"parameters", printAll(launch.getParameters())},
              {"grid", print(launch.getGrid())},
              {"block", Array(launch.getBlock())}};
  if (!launch.getMaps().empty()) {
    Array maps;
    for (size_t index = 0; index < launch.getMaps().size(); ++index)
      maps.push_back(printMap(index));
    text["tensor_maps"] = std::move(maps);
  }
  if (!launch.getCluster().empty())
    text["cluster"] = Array(launch.getCluster());
  if (launch.getShared())
    text["shared"] = launch.getShared();
  if (launch.getWorkspace())
    text["workspace"] = Object{{"bytes", print(launch.getWorkspace())}};
  if (!launch.getConditions().empty())
    text["conditions"] = printAll(launch.getConditions());
  return text;
}

Object Printer::run(ArrayRef<LaunchAttr> versions, Attribute copies) {
  Object text = printKernel();
  text["version"] = 1;
  text["target"] = launch.getRuntime().str();
  text["chip"] = launch.getChip().str();
  text["arguments"] = printAll(launch.getArguments());
  Array list;
  for (LaunchAttr version : versions)
    list.push_back(Printer(version).printKernel());
  if (!list.empty())
    text["versions"] = std::move(list);
  if (auto known = dyn_cast_or_null<world::CopiesAttr>(copies))
    text["copies"] = Object{{"source", known.getSource()},
                            {"target", known.getTarget()},
                            {"flags", known.getFlags()}};
  return text;
}

std::string mlir::tile::printLaunchMetadata(LaunchAttr launch,
                                            ArrayRef<LaunchAttr> versions,
                                            Attribute copies) {
  JSONValue text = Printer(launch).run(versions, copies);
  return llvm::formatv("{0:2}", text).str() + "\n";
}
