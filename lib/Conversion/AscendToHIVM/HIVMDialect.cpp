//===- HIVMDialect.cpp - the ops of HIVM that kernels use -----------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HIVMDialect.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ExtensibleDialect.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace mlir::tile;

static constexpr StringLiteral kBlockIndex = "hir.get_block_idx";
static constexpr StringLiteral kKind = "kind";
static constexpr StringLiteral kFlags = "flags";
static constexpr StringLiteral kOptions = "options";
static constexpr StringLiteral kHasPadding = "has_padding";

/// Every instruction of HIVM that is made here.
static constexpr StringLiteral kInstructions[] = {
    "copy",  "fixpipe", "load",  "mmadL1", "nd2nz", "store", "vabs",
    "vadd",  "vand",    "vbrc",  "vcast",  "vdiv",  "vexp",  "vln",
    "vmax",  "vmin",    "vmul",  "vnot",   "vor",   "vrec",  "vreduce",
    "vrelu", "vrsqrt",  "vsqrt", "vsub"};

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static void printOperands(OpAsmPrinter &p, StringRef keyword,
                          ValueRange operands) {
  p << ' ' << keyword << '(' << operands << " : " << operands.getTypes() << ')';
}

static void printInstruction(Operation *op, OpAsmPrinter &p, StringRef) {
  p << op->getName().getStringRef();
  if (auto kind = op->getAttrOfType<StringAttr>(kKind))
    p << " <" << kind.getValue() << '>';
  if (auto flags = op->getAttrOfType<DictionaryAttr>(kFlags))
    p.printOptionalAttrDict(flags.getValue());
  OperandRange operands = op->getOperands();
  Value padding;
  if (op->hasAttr(kHasPadding)) {
    padding = operands.back();
    operands = operands.drop_back();
  }
  printOperands(p, "ins", operands.drop_back());
  printOperands(p, "outs", operands.back());
  if (padding)
    p << " pad_mode = <PadValue> pad_value = " << padding << " : "
      << padding.getType();
  auto options = op->getAttrOfType<DictionaryAttr>(kOptions);
  for (NamedAttribute option :
       options ? options.getValue() : ArrayRef<NamedAttribute>()) {
    p << ' ' << option.getName().getValue() << " = ";
    if (auto value = dyn_cast<StringAttr>(option.getValue()))
      p << '<' << value.getValue() << '>';
    else
      p << option.getValue();
  }
}

static void printBlockIndex(Operation *op, OpAsmPrinter &p, StringRef) {
  p << op->getName().getStringRef() << " -> " << op->getResult(0).getType();
}

//===----------------------------------------------------------------------===//
// Dialect
//===----------------------------------------------------------------------===//

/// Nothing reads the text here.
template <typename Parser, typename Result>
static ParseResult refuse(Parser &parser, Result &) {
  // untested: a module is parsed before the dialect is loaded.
  return parser.emitError(parser.getCurrentLocation(),
                          "HIVM is written here, not read");
}

static void addAttr(DynamicDialect *dialect, StringRef name) {
  auto accept = [](function_ref<InFlightDiagnostic()>, ArrayRef<Attribute>) {
    return success();
  };
  auto print = [](AsmPrinter &p, ArrayRef<Attribute> value) {
    p << '<' << cast<StringAttr>(value.front()).getValue() << '>';
  };
  dialect->registerDynamicAttr(DynamicAttrDefinition::get(
      name, dialect, accept, refuse<AsmParser, SmallVectorImpl<Attribute>>,
      print));
}

static void addOp(DynamicDialect *dialect, StringRef name,
                  void (*print)(Operation *, OpAsmPrinter &, StringRef)) {
  auto accept = [](Operation *) { return success(); };
  dialect->registerDynamicOp(
      DynamicOpDefinition::get(name, dialect, accept, accept,
                               refuse<OpAsmParser, OperationState>, print));
}

void mlir::tile::hivm::loadDialects(MLIRContext &context) {
  context.getOrLoadDynamicDialect("hacc", [](DynamicDialect *dialect) {
    addAttr(dialect, "function_kind");
  });
  context.getOrLoadDynamicDialect("hivm", [](DynamicDialect *dialect) {
    for (StringRef name :
         {"address_space", "dma_mode", "fixpipe_pre_quant_mode",
          "fixpipe_pre_relu_mode", "func_core_type"})
      addAttr(dialect, name);
    addOp(dialect, kBlockIndex, printBlockIndex);
    for (StringRef name : kInstructions)
      addOp(dialect, ("hir." + name).str(), printInstruction);
  });
}

Attribute mlir::tile::hivm::getAttr(MLIRContext *context, StringRef name,
                                    StringRef value) {
  auto [dialect, attr] = name.split('.');
  auto *loaded = cast<DynamicDialect>(context->getLoadedDialect(dialect));
  return DynamicAttr::get(loaded->lookupAttrDefinition(attr),
                          StringAttr::get(context, value));
}

void mlir::tile::hivm::create(OpBuilder &b, Location loc,
                              const Instruction &instruction) {
  OperationState state(loc, ("hivm.hir." + instruction.name).str());
  state.addOperands(instruction.ins);
  state.addOperands(instruction.out);
  if (!instruction.kind.empty())
    state.addAttribute(kKind, b.getStringAttr(instruction.kind));
  if (!instruction.flags.empty())
    state.addAttribute(kFlags, b.getDictionaryAttr(instruction.flags));
  if (!instruction.options.empty())
    state.addAttribute(kOptions, b.getDictionaryAttr(instruction.options));
  if (instruction.padding) {
    state.addOperands(instruction.padding);
    state.addAttribute(kHasPadding, b.getUnitAttr());
  }
  b.create(state);
}

Value mlir::tile::hivm::createBlockIndex(OpBuilder &b, Location loc) {
  OperationState state(loc, ("hivm." + kBlockIndex).str());
  state.addTypes(b.getI64Type());
  return b.create(state)->getResult(0);
}
