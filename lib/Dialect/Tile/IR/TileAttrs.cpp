//===- TileAttrs.cpp - layouts and targets as attributes ------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Dialect/Tile/IR/TileAttrs.h"

#include "LayoutAttrStorage.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace mlir::tile;

using Layout = ::tile::layout::Layout;
template <typename T>
using Result = ::tile::layout::Result<T>;
using ::tile::target::MmaFamily;
using ::tile::target::Space;

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

StringRef LayoutAttr::getText() const { return getImpl()->text; }

llvm::hash_code
mlir::tile::detail::LayoutAttrStorage::hashKey(const KeyTy &key) {
  llvm::hash_code hash = llvm::hash_value(key.rank());
  auto add = [&](ArrayRef<::tile::layout::Digit> digits) {
    for (const ::tile::layout::Digit &digit : digits)
      hash = llvm::hash_combine(hash, digit.extent, int(digit.axis),
                                digit.stride);
  };
  for (const ::tile::layout::Dim &dim : key.dims()) {
    hash = llvm::hash_combine(hash, dim.extent);
    add(dim.digits);
  }
  add(key.copies());
  ::tile::layout::Swizzle swizzle = key.swizzle();
  return llvm::hash_combine(hash, swizzle.bits, swizzle.base, swizzle.shift);
}

const Layout &mlir::tile::getTileLayout(LayoutAttr attr) {
  return attr.getImpl()->layout;
}

LogicalResult mlir::tile::verifyLayout(Operation *op, LayoutAttr attr,
                                       ArrayRef<int64_t> shape,
                                       bool onThreads) {
  if (!attr)
    return success();
  const Layout &layout = getTileLayout(attr);
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
  return verifyPlaces(op, attr);
}

LogicalResult mlir::tile::verifyPlaces(Operation *op, LayoutAttr attr) {
  // A failure is a layout of more places than any memory has.
  Result<bool> injective = getTileLayout(attr).isInjective();
  if (!injective || *injective)
    return success();
  return op->emitOpError() << "expected a layout that gives each element a "
                              "place of its own, got "
                           << attr;
}

LogicalResult PipelineType::verify(function_ref<InFlightDiagnostic()> emitError,
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
  return LayoutAttr::get(context, std::move(*canonical));
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

LogicalResult MmaAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                              Instruction family, int64_t m, int64_t n,
                              int64_t k, int64_t warpsM, int64_t warpsN) {
  if (!isGemmInstruction(family))
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
  if (isGemmInstruction(family))
    return emitError() << "expected a copy instruction, got '"
                       << stringifyInstruction(family) << "'";
  if (bytes < 0)
    return emitError() << "expected 'bytes' not to be negative, got " << bytes;
  return success();
}

bool mlir::tile::isGemmInstruction(Instruction instruction) {
  return instruction == Instruction::FMA || getMmaFamily(instruction);
}

std::optional<MmaFamily>
mlir::tile::getMmaFamily(Instruction instruction) {
  switch (instruction) {
  case Instruction::MMA:
    return MmaFamily::MMA;
  case Instruction::WGMMA:
    return MmaFamily::WGMMA;
  case Instruction::TCGen05:
    return MmaFamily::TCGen05;
  case Instruction::MFMA:
    return MmaFamily::MFMA;
  case Instruction::WMMA:
    return MmaFamily::WMMA;
  case Instruction::Cube:
    return MmaFamily::Cube;
  case Instruction::FMA:
  case Instruction::Sync:
  case Instruction::CpAsync:
  case Instruction::Bulk:
  case Instruction::TMA:
  case Instruction::LdMatrix:
    return std::nullopt;
  }
  llvm_unreachable("unknown instruction");
}

Instruction mlir::tile::getInstruction(MmaFamily family) {
  for (uint64_t i = 0; i <= getMaxEnumValForInstruction(); ++i)
    if (getMmaFamily(Instruction(i)) == family)
      return Instruction(i);
  llvm_unreachable("unknown family");
}

bool MmaAttr::hasFragments() const { return getFamily() != Instruction::FMA; }

/// Those that a warpgroup or a single thread starts read their operands from
/// shared memory and are waited for.
static bool readsMemory(Instruction family) {
  return family == Instruction::WGMMA || family == Instruction::TCGen05;
}

bool MmaAttr::isAsynchronous() const { return readsMemory(getFamily()); }

bool MmaAttr::usesAsyncProxy() const { return readsMemory(getFamily()); }

bool MmaAttr::prescribesSharedLayout() const {
  return readsMemory(getFamily());
}

bool TransferAttr::isAsynchronous() const {
  return getFamily() == Instruction::CpAsync || usesAsyncProxy();
}

bool TransferAttr::usesAsyncProxy() const {
  return getFamily() == Instruction::Bulk || usesTensorMap();
}

bool TransferAttr::prescribesSharedLayout() const { return usesTensorMap(); }

bool TransferAttr::usesTensorMap() const {
  return getFamily() == Instruction::TMA;
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
  // Types are spelled as in MLIR there.
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return ::tile::target::symbolizeElementType(text);
}

Space mlir::tile::getTargetSpace(MemorySpace space) {
  switch (space) {
  case MemorySpace::Global:
    return Space::Global;
  case MemorySpace::Shared:
    return Space::Shared;
  case MemorySpace::Fragment:
  case MemorySpace::Local:
    return Space::Register;
  case MemorySpace::Tmem:
    return Space::Tmem;
  case MemorySpace::L1:
    return Space::L1;
  case MemorySpace::UB:
    return Space::UB;
  case MemorySpace::L0A:
    return Space::L0A;
  case MemorySpace::L0B:
    return Space::L0B;
  case MemorySpace::L0C:
    return Space::L0C;
  case MemorySpace::BT:
    return Space::BT;
  }
  llvm_unreachable("unknown memory space");
}
