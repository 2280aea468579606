//===- TileAttrs.cpp - layouts and targets as attributes ------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Dialect/Tile/IR/TileAttrs.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace mlir::tile;

using Layout = ::tile::layout::Layout;
template <typename T>
using Result = ::tile::layout::Result<T>;

//===----------------------------------------------------------------------===//
// Layout
//===----------------------------------------------------------------------===//

/// Steps over one token of a layout's text; false at any other.
static bool skipLayoutToken(AsmParser &parser) {
  using Skip = ParseResult (AsmParser::*)();
  for (Skip skip :
       {&AsmParser::parseOptionalLSquare, &AsmParser::parseOptionalRSquare,
        &AsmParser::parseOptionalLParen, &AsmParser::parseOptionalRParen,
        &AsmParser::parseOptionalColon, &AsmParser::parseOptionalComma,
        &AsmParser::parseOptionalStar})
    if (succeeded((parser.*skip)()))
      return true;
  APInt number;
  if (parser.parseOptionalInteger(number).has_value())
    return true;
  StringRef word;
  return succeeded(parser.parseOptionalKeyword(&word));
}

/// The layout library reads the text itself, so that there is one grammar; its
/// reasons begin with the column, which becomes the place of the error.
static InFlightDiagnostic emitLayoutError(AsmParser &parser, SMLoc begin,
                                          StringRef reason) {
  size_t column = 1;
  if (reason.consume_front("column ")) {
    reason.consumeInteger(10, column);
    reason.consume_front(": ");
  }
  return parser.emitError(
             SMLoc::getFromPointer(begin.getPointer() + column - 1))
         << reason;
}

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  SMLoc begin = parser.getCurrentLocation();
  while (skipLayoutToken(parser)) {
  }
  SMLoc end = parser.getCurrentLocation();
  StringRef text(begin.getPointer(), end.getPointer() - begin.getPointer());
  Result<Layout> layout = Layout::parse(std::string_view(text));
  if (!layout) {
    emitLayoutError(parser, begin, layout.reason());
    return {};
  }
  if (parser.parseGreater())
    return {};
  return getLayoutAttr([&] { return parser.emitError(begin); },
                       parser.getContext(), *layout);
}

void LayoutAttr::print(AsmPrinter &printer) const {
  printer << '<' << getText() << '>';
}

/// The layout of a text that is the canonical one.
static Result<Layout> parseCanonical(StringRef text) {
  Result<Layout> layout = Layout::parse(std::string_view(text));
  if (!layout)
    return layout;
  Result<Layout> canonical = layout->canonical();
  if (canonical && canonical->str() != text)
    return ::tile::layout::fail("expected the canonical text '",
                                canonical->str(), "', got '", text.str(), "'");
  return canonical;
}

LogicalResult LayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef text) {
  Result<Layout> layout = parseCanonical(text);
  return layout ? success() : emitError() << layout.reason();
}

Layout mlir::tile::getTileLayout(LayoutAttr attr) {
  return *Layout::parse(std::string_view(attr.getText()));
}

LogicalResult mlir::tile::verifyLayout(Operation *op, LayoutAttr attr,
                                       ArrayRef<int64_t> shape,
                                       bool onThreads) {
  if (!attr)
    return success();
  Layout layout = getTileLayout(attr);
  std::vector<int64_t> got = layout.shape();
  if (shape != ArrayRef<int64_t>(got))
    return op->emitOpError() << "expected a layout of shape "
                             << formatShape(shape) << ", got "
                             << formatShape(got);
  ::tile::layout::AxisSet allowed =
      onThreads ? ::tile::layout::kRegisterAxes
                : ::tile::layout::axisBit(::tile::layout::Axis::Offset);
  if ((layout.axes() & ~allowed) != 0)
    return op->emitOpError() << "expected a layout that goes to "
                             << (onThreads ? "registers of threads"
                                           : "offsets of a memory")
                             << ", got " << attr;
  return success();
}

LogicalResult MmaAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                              Instruction family, int64_t m, int64_t n,
                              int64_t k, int64_t warpsM, int64_t warpsN) {
  if (family < Instruction::FMA)
    return emitError() << "expected a gemm instruction, got '"
                       << stringifyInstruction(family) << "'";
  for (int64_t value : {m, n, k, warpsM, warpsN})
    if (value < 1)
      return emitError() << "expected positive extents and numbers of warps, "
                            "got "
                         << value;
  return success();
}

LogicalResult
TransferAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                     Instruction family, int64_t bytes) {
  if (family >= Instruction::FMA)
    return emitError() << "expected a copy instruction, got '"
                       << stringifyInstruction(family) << "'";
  if (bytes < 0)
    return emitError() << "expected 'bytes' not to be negative, got " << bytes;
  return success();
}

LogicalResult RingType::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t stages) {
  if (stages < 1 || stages > 16)
    return emitError() << "expected between 1 and 16 stages, got " << stages;
  return success();
}

LayoutAttr
mlir::tile::getLayoutAttr(function_ref<InFlightDiagnostic()> emitError,
                          MLIRContext *context, const Layout &layout) {
  Result<Layout> canonical = layout.canonical();
  if (!canonical) {
    emitError() << canonical.reason();
    return {};
  }
  std::string text = canonical->str();
  return LayoutAttr::getChecked(emitError, context, StringRef(text));
}

//===----------------------------------------------------------------------===//
// Target
//===----------------------------------------------------------------------===//

LogicalResult TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef chip) {
  if (::tile::target::lookupTarget(chip))
    return success();
  return emitError() << ::tile::target::describeUnknownTarget(chip);
}

const ::tile::target::Target &mlir::tile::getTarget(TargetAttr attr) {
  return *::tile::target::lookupTarget(attr.getChip());
}

std::optional<::tile::target::ElementType>
mlir::tile::getElementType(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return ::tile::target::symbolizeElementType(text);
}
