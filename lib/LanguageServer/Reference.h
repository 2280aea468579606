//===- Reference.h - the reference of the language, by name -----*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/reference, which is generated from the td files, is part of the program.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_LANGUAGESERVER_REFERENCE_H
#define TILE_LIB_LANGUAGESERVER_REFERENCE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::tile {

class Reference {
public:
  /// An attribute of an op, or of the dialect where only the name is set.
  struct Attribute {
    llvm::StringRef name, type, text;
  };
  struct Entry {
    llvm::StringRef name;    ///< "tile.copy", "#tile.fact", "!tile.pipeline"
    llvm::StringRef summary; ///< one line
    llvm::StringRef text;    ///< all of it, in Markdown
    llvm::SmallVector<Attribute> attributes;
  };

  static const Reference &get();

  /// Null where the reference has no such name.
  const Entry *find(llvm::StringRef name) const;
  /// All entries, in the order of the reference.
  llvm::ArrayRef<Entry> getEntries() const { return entries; }

private:
  Reference();
  void addPage(llvm::StringRef page);
  void addEntry(llvm::StringRef section);

  llvm::SmallVector<Entry, 0> entries;
  llvm::StringMap<size_t> places;
};

} // namespace mlir::tile

#endif // TILE_LIB_LANGUAGESERVER_REFERENCE_H
