//===- ObjectGraph.h - TVM's objects, as its JSON has them ------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The text is a list of objects that refer to earlier ones by their places in
// the list. Whatever is wrong in it shows as an object that is not there, so
// readers check for one thing only, and no text can send them in circles.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_IMPORT_TILELANG_OBJECTGRAPH_H
#define TILE_LIB_IMPORT_TILELANG_OBJECTGRAPH_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <memory>
#include <optional>

namespace mlir::tile::tilelang {

class Node;
class ObjectGraph;

using NodeList = SmallVector<Node, 0>;

/// An object, or nothing. Copied freely; lives as long as its graph.
class Node {
public:
  Node() = default;

  explicit operator bool() const { return graph != nullptr; }
  bool operator==(const Node &other) const {
    return graph == other.graph && id == other.id;
  }
  bool operator!=(const Node &other) const { return !(*this == other); }

  /// The place in the list: what tells two variables of one name apart.
  unsigned getId() const { return id; }

  /// "For" of `tirx.For`, and of `tir.For`; empty for nothing.
  StringRef getKind() const;
  bool is(StringRef kind) const { return getKind() == kind; }
  template <typename... Kinds>
  bool isAny(Kinds... kinds) const {
    return (is(kinds) || ...);
  }

  /// The object in a field.
  Node get(StringRef field) const;

  /// The text of a field, or of the string object in it; empty where none is.
  StringRef getString(StringRef field) const;
  std::optional<int64_t> getInteger(StringRef field) const;
  std::optional<double> getNumber(StringRef field) const;

  /// Of a string or a StringImm; empty for others.
  StringRef asString() const;
  /// The text that an object is: of strings, names of files and ops.
  StringRef getText() const;
  std::optional<double> asNumber() const;
  /// Of an integer, a boolean or an IntImm.
  std::optional<int64_t> asInteger() const;

  /// The parts of an expression or a statement; nothing of types and places.
  NodeList getChildren() const;
  /// The objects of an array; none if it is not one.
  NodeList getElements() const;
  NodeList getElementsOf(StringRef field) const;
  /// Keys and values of a map.
  SmallVector<std::pair<Node, Node>, 0> getEntries() const;
  /// The value of a map behind a key that is a string.
  Node lookup(StringRef key) const;

private:
  friend class ObjectGraph;
  Node(const ObjectGraph *graph, unsigned id) : graph(graph), id(id) {}

  const llvm::json::Value *getData() const;
  const llvm::json::Value *getField(StringRef field) const;
  /// What a number refers to: an earlier object that is not TVM's None.
  Node refer(const llvm::json::Value *reference) const;

  const ObjectGraph *graph = nullptr;
  unsigned id = 0;
};

/// The list.
class ObjectGraph {
public:
  static llvm::Expected<std::unique_ptr<ObjectGraph>> parse(StringRef json);

  Node getRoot() const { return root; }

private:
  friend class Node;
  explicit ObjectGraph(llvm::json::Value document)
      : document(std::move(document)) {}

  llvm::json::Value document;
  const llvm::json::Array *nodes = nullptr;
  Node root;
};

} // namespace mlir::tile::tilelang

#endif // TILE_LIB_IMPORT_TILELANG_OBJECTGRAPH_H
