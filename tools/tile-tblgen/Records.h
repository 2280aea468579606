//===- Records.h - target records as the backends see them ------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TOOLS_TILE_TBLGEN_RECORDS_H
#define TILE_TOOLS_TILE_TBLGEN_RECORDS_H

#include "llvm/TableGen/Record.h"

#include <vector>

namespace tile::tblgen {

/// The definitions of a class in the order of the source.
std::vector<const llvm::Record *>
definitionsInOrder(const llvm::RecordKeeper &records, llvm::StringRef name);

/// The enumerations: a name, and the cases in the order of the source.
struct Enum {
  llvm::StringRef name;
  std::vector<const llvm::Record *> cases;
};
std::vector<Enum> enumerations(const llvm::RecordKeeper &records);

/// The classes directly below Struct, in the order of the source.
std::vector<const llvm::Record *> structs(const llvm::RecordKeeper &records);
/// The struct that a record is an instance of, or null.
const llvm::Record *structOf(const llvm::Record &record);
/// The fields of a struct class, in the order of the source.
std::vector<llvm::StringRef> fieldsOf(const llvm::Record &structClass);

/// The value of a field; an error where it must be set and is not. Null for a
/// record that is not set.
const llvm::Init *valueOf(const llvm::Record &record, llvm::StringRef field);

/// The chips, after checks that no type can express: names are unique, each
/// chip has exactly one set of figures, and rows of matrix instructions cover
/// their range of N.
std::vector<const llvm::Record *>
checkedTargets(const llvm::RecordKeeper &records);

bool emitTables(llvm::raw_ostream &os, const llvm::RecordKeeper &records);
bool emitDocs(llvm::raw_ostream &os, const llvm::RecordKeeper &records);
/// Types and declarations below GET_TILE_ENUMS, TILE_ENUM(name) for each.
bool emitCEnums(llvm::raw_ostream &os, const llvm::RecordKeeper &records);
/// readProperties and writeProperties of ops that define them themselves.
bool emitOpBytecode(llvm::raw_ostream &os, const llvm::RecordKeeper &records);

} // namespace tile::tblgen

#endif // TILE_TOOLS_TILE_TBLGEN_RECORDS_H
