//===- OpBytecode.cpp - methods that read and write bytecode of ops -------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Records.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/TableGen/TableGenBackend.h"

using namespace llvm;
using namespace tile::tblgen;

static const char kMethods[] = R"c(
::llvm::LogicalResult {0}::readProperties(
    ::mlir::DialectBytecodeReader &reader, ::mlir::OperationState &state) {{
  return ::mlir::tile::readProperties<{0}>(reader, state);
}
void {0}::writeProperties(::mlir::DialectBytecodeWriter &writer) {{
  ::mlir::tile::writeProperties(*this, writer);
}
)c";

/// Sizes of groups of operands and results are attributes, too.
static bool hasSegments(const std::vector<const Record *> &traits) {
  return any_of(traits, [](const Record *trait) {
    if (trait->isSubClassOf("TraitList"))
      return hasSegments(trait->getValueAsListOfDefs("traits"));
    return trait->getName() == "AttrSizedOperandSegments" ||
           trait->getName() == "AttrSizedResultSegments";
  });
}

/// As mlir-tblgen: other ops have no methods.
static bool hasProperties(const Record &op) {
  const DagInit *arguments = op.getValueAsDag("arguments");
  bool found = any_of(arguments->getArgs(), [](const Init *argument) {
    const Record *def = cast<DefInit>(argument)->getDef();
    if (def->isSubClassOf("OpVariable"))
      def = def->getValueAsDef("constraint");
    return def->isSubClassOf("Attr") || def->isSubClassOf("Property");
  });
  return found || hasSegments(op.getValueAsListOfDefs("traits"));
}

bool tile::tblgen::emitOpBytecode(raw_ostream &os,
                                  const RecordKeeper &records) {
  emitSourceFileHeader("Bytecode of ops", os, records);
  for (const Record *op : definitionsInOrder(records, "Op")) {
    if (!op->getValueAsBit("useCustomPropertiesEncoding") ||
        !hasProperties(*op))
      continue;
    StringRef space =
        op->getValueAsDef("opDialect")->getValueAsString("cppNamespace");
    // Behind a type, a leading `::` would go on with its name.
    space.consume_front("::");
    // The name of a def is Dialect_Class.
    os << formatv(kMethods,
                  (space + "::" + op->getName().split('_').second).str());
  }
  return false;
}
