//===- Expression.cpp - numbers that depend on others --------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/CostModel/Expression.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace tile::cost;

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

Expr ExprGraph::add(Node node) {
  auto [it, isNew] =
      known.try_emplace(std::make_tuple(int(node.kind), node.a, node.b, node.c,
                                        node.value),
                        Expr(nodes.size()));
  if (isNew)
    nodes.push_back(node);
  return it->second;
}

Expr ExprGraph::constant(int64_t value) {
  return add({ExprKind::Constant, 0, 0, 0, 0, value});
}

Expr ExprGraph::symbol(llvm::StringRef name) {
  auto found = llvm::find(symbols, name);
  int64_t index = found - symbols.begin();
  if (found == symbols.end())
    symbols.push_back(name.str());
  return add({ExprKind::Symbol, 0, 0, 0, 0, index});
}

Expr ExprGraph::place(unsigned dim) {
  return add({ExprKind::Place, uint8_t(1u << dim), 0, 0, 0, int64_t(dim)});
}

Expr ExprGraph::make(ExprKind kind, Expr a, Expr b, Expr c) {
  uint8_t places = nodes[a].places | nodes[b].places;
  if (kind == ExprKind::Select)
    places |= nodes[c].places;
  return add({kind, places, a, b, c, 0});
}

bool ExprGraph::dependsOnlyOn(Expr expr,
                              llvm::ArrayRef<std::string> names) const {
  const Node &node = nodes[expr];
  switch (node.kind) {
  case ExprKind::Constant:
    return true;
  case ExprKind::Symbol:
    return llvm::is_contained(names, symbols[node.value]);
  case ExprKind::Place:
    return false;
  default:
    return dependsOnlyOn(node.a, names) && dependsOnlyOn(node.b, names) &&
           (node.kind != ExprKind::Select || dependsOnlyOn(node.c, names));
  }
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static int64_t saturate(bool overflows, bool isNegative, int64_t value) {
  if (!overflows)
    return value;
  return isNegative ? std::numeric_limits<int64_t>::min()
                    : std::numeric_limits<int64_t>::max();
}

static int64_t compute(ExprKind kind, int64_t a, int64_t b, int64_t c) {
  int64_t r = 0;
  switch (kind) {
  case ExprKind::Constant:
  case ExprKind::Symbol:
  case ExprKind::Place:
    break;
  case ExprKind::Mean:
    return a / 2 + b / 2 + (a % 2 + b % 2) / 2;
  case ExprKind::Add:
    return saturate(llvm::AddOverflow(a, b, r), a < 0, r);
  case ExprKind::Subtract:
    return saturate(llvm::SubOverflow(a, b, r), a < 0, r);
  case ExprKind::Multiply:
    return saturate(llvm::MulOverflow(a, b, r), (a < 0) != (b < 0), r);
  case ExprKind::FloorDiv:
    return b > 0 ? llvm::divideFloorSigned(a, b) : 0;
  case ExprKind::CeilDiv:
    return b > 0 ? llvm::divideCeilSigned(a, b) : 0;
  case ExprKind::Modulo:
    return b > 0 ? llvm::mod(a, b) : 0;
  case ExprKind::Min:
    return std::min(a, b);
  case ExprKind::Max:
    return std::max(a, b);
  case ExprKind::Equal:
    return a == b;
  case ExprKind::NotEqual:
    return a != b;
  case ExprKind::Less:
    return a < b;
  case ExprKind::LessEqual:
    return a <= b;
  case ExprKind::Select:
    return a ? b : c;
  }
  return 0;
}

void ExprGraph::evaluate(llvm::ArrayRef<int64_t> symbols,
                         llvm::ArrayRef<int64_t> places,
                         std::vector<int64_t> &values) const {
  values.resize(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    const Node &node = nodes[i];
    if (node.kind == ExprKind::Constant)
      values[i] = node.value;
    else if (node.kind == ExprKind::Symbol)
      values[i] = symbols[node.value];
    else if (node.kind == ExprKind::Place)
      values[i] = size_t(node.value) < places.size() ? places[node.value] : 0;
    else
      values[i] = compute(node.kind, values[node.a], values[node.b],
                          values[node.c]);
  }
}
