//===- ObjectGraph.cpp - TVM's objects, as its JSON has them --------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ObjectGraph.h"
#include "Tile/Driver/JSON.h"

using namespace mlir;
using namespace mlir::tile::tilelang;

namespace json = llvm::json;

const json::Value *Node::getData() const {
  if (!graph)
    return nullptr;
  const json::Object *object = (*graph->nodes)[id].getAsObject();
  return object ? object->get("data") : nullptr;
}

const json::Value *Node::getField(StringRef field) const {
  const json::Value *data = getData();
  const json::Object *fields = data ? data->getAsObject() : nullptr;
  return fields ? fields->get(field) : nullptr;
}

Node Node::refer(const json::Value *reference) const {
  std::optional<int64_t> place =
      reference ? reference->getAsInteger() : std::nullopt;
  // Objects are listed behind those they refer to: no circles.
  if (!place || *place < 0 || *place >= int64_t(id))
    return {};
  Node node(graph, *place);
  return node.is("None") ? Node() : node;
}

StringRef Node::getKind() const {
  if (!graph)
    return {};
  const json::Object *object = (*graph->nodes)[id].getAsObject();
  if (!object)
    return {};
  StringRef type = object->getString("type").value_or("");
  return type.rsplit('.').second.empty() ? type : type.rsplit('.').second;
}

Node Node::get(StringRef field) const { return refer(getField(field)); }

StringRef Node::getString(StringRef field) const {
  const json::Value *value = getField(field);
  if (!value)
    return {};
  if (std::optional<StringRef> text = value->getAsString())
    return *text;
  return refer(value).asString();
}

std::optional<int64_t> Node::getInteger(StringRef field) const {
  const json::Value *value = getField(field);
  return value ? value->getAsInteger() : std::nullopt;
}

std::optional<double> Node::getNumber(StringRef field) const {
  const json::Value *value = getField(field);
  return value ? value->getAsNumber() : std::nullopt;
}

StringRef Node::asString() const {
  if (is("StringImm"))
    return getString("value");
  return isAny("String", "Op") ? getText() : "";
}

StringRef Node::getText() const {
  const json::Value *data = getData();
  return data ? data->getAsString().value_or("") : "";
}

std::optional<double> Node::asNumber() const {
  const json::Value *data = getData();
  return data ? data->getAsNumber() : std::nullopt;
}

std::optional<int64_t> Node::asInteger() const {
  if (is("IntImm"))
    return getInteger("value");
  const json::Value *data = getData();
  if (!data)
    return std::nullopt;
  if (std::optional<bool> truth = data->getAsBoolean())
    return *truth;
  return is("int") ? data->getAsInteger() : std::nullopt;
}

NodeList Node::getElements() const {
  NodeList elements;
  const json::Value *data = is("Array") ? getData() : nullptr;
  if (const json::Array *array = data ? data->getAsArray() : nullptr)
    for (const json::Value &element : *array)
      elements.push_back(refer(&element));
  return elements;
}

NodeList Node::getElementsOf(StringRef field) const {
  return get(field).getElements();
}

NodeList Node::getChildren() const {
  NodeList children = getElements();
  if (isAny("IntImm", "FloatImm", "StringImm"))
    return children;
  for (StringRef field :
       {"a", "b", "value", "condition", "true_value", "false_value",
        "then_case", "else_case", "seq", "body", "args", "var", "loop_var",
        "indices", "buffer", "data", "min", "extent", "step", "base", "stride",
        "block", "functions"})
    if (Node child = get(field))
      children.push_back(child);
  return children;
}

SmallVector<std::pair<Node, Node>, 0> Node::getEntries() const {
  SmallVector<std::pair<Node, Node>, 0> entries;
  const json::Value *data = is("Map") ? getData() : nullptr;
  if (const json::Array *array = data ? data->getAsArray() : nullptr)
    for (size_t i = 0; i + 1 < array->size(); i += 2)
      entries.emplace_back(refer(&(*array)[i]), refer(&(*array)[i + 1]));
  return entries;
}

Node Node::lookup(StringRef key) const {
  for (auto [name, value] : getEntries())
    if (name.asString() == key)
      return value;
  return {};
}

/// TVM writes infinities as JSON does not have them: as numbers that are too
/// large for a float.
static std::string spellInfinity(StringRef text) {
  std::string result;
  size_t place;
  while ((place = std::min(text.find(": Infinity"),
                           text.find(": -Infinity"))) != StringRef::npos) {
    result += text.take_front(place).str() + ": ";
    text = text.drop_front(place + 2);
    result += text.consume_front("-") ? "-1e999" : "1e999";
    text = text.drop_front(StringRef("Infinity").size());
  }
  return result + text.str();
}

llvm::Expected<std::unique_ptr<ObjectGraph>>
ObjectGraph::parse(StringRef text) {
  llvm::Expected<json::Value> document =
      mlir::tile::parseJSON(spellInfinity(text));
  if (!document)
    return document.takeError();
  std::unique_ptr<ObjectGraph> graph(new ObjectGraph(std::move(*document)));
  const json::Object *top = graph->document.getAsObject();
  graph->nodes = top ? top->getArray("nodes") : nullptr;
  std::optional<int64_t> root =
      top ? top->getInteger("root_index") : std::nullopt;
  if (!graph->nodes || !root)
    return llvm::createStringError(
        "expected the 'nodes' and the 'root_index' of tvm.ir.save_json");
  if (*root < 0 || *root >= int64_t(graph->nodes->size()))
    return llvm::createStringError(
        "expected 'root_index' below the number of nodes, %zu, got %lld",
        graph->nodes->size(), static_cast<long long>(*root));
  graph->root = Node(graph.get(), *root);
  return graph;
}
