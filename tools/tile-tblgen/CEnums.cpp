//===- CEnums.cpp - enumerations of the dialect for the C API -------------===//
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

static const char kDeclarations[] = R"c(
/// The keyword of the value as the IR spells it, "" for an unknown number.
/// Static. Available since: 0.1
MLIR_CAPI_EXPORTED MlirStringRef
mlirTile{0}ToString(MlirTile{0} value);

/// False, and `value` unchanged, for a text that is no keyword.
/// Available since: 0.1
MLIR_CAPI_EXPORTED bool
mlirTile{0}FromString(MlirStringRef text, MlirTile{0} *value);

/// Available since: 0.1
MLIR_CAPI_EXPORTED bool mlirTileAttributeIsA{0}(MlirAttribute attr);

/// Null for a number that is no value. Available since: 0.1
MLIR_CAPI_EXPORTED MlirAttribute
mlirTile{0}AttrGet(MlirContext context, MlirTile{0} value);

/// Available since: 0.1
MLIR_CAPI_EXPORTED MlirTile{0}
mlirTile{0}AttrGetValue(MlirAttribute attr);

/// Available since: 0.1
MLIR_CAPI_EXPORTED MlirTypeID mlirTile{0}AttrGetTypeID(void);
)c";

bool tile::tblgen::emitCEnums(raw_ostream &os, const RecordKeeper &records) {
  emitSourceFileHeader("Enumerations of the dialect", os, records);
  os << "#ifdef GET_TILE_ENUMS\n#undef GET_TILE_ENUMS\n";
  std::vector<const Record *> enums = definitionsInOrder(records, "Tile_Enum");
  // One without an attribute of its own is part of another attribute.
  llvm::erase_if(enums, [&](const Record *def) {
    return !records.getDef((def->getName() + "Attr").str());
  });
  for (const Record *def : enums) {
    StringRef name = def->getValueAsString("className");
    os << formatv("\n/// {0}: {1}\ntypedef enum MlirTile{0} TILE_C_ENUM {{\n", name,
                  def->getValueAsString("summary"));
    for (const Record *c : def->getValueAsListOfDefs("enumerants"))
      os << formatv("  MlirTile{0}{1} = {2},\n", name,
                    c->getValueAsString("symbol"), c->getValueAsInt("value"));
    os << formatv("} MlirTile{0};\n", name) << formatv(kDeclarations, name);
  }
  os << "#endif\n\n#ifdef TILE_ENUM\n";
  for (const Record *def : enums)
    os << formatv("TILE_ENUM({0})\n", def->getValueAsString("className"));
  os << "#undef TILE_ENUM\n#endif\n";
  return false;
}
