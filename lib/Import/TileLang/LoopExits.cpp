//===- LoopExits.cpp - loops that are left early --------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopExits.h"

#include "Threads.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::tilelang;

/// What the flag of a loop holds, or 0.
enum Exit { kLeft = 1, kSkipped = 2 };

static bool isContinue(Node s) {
  return s.is("Evaluate") && getCallee(s.get("value")) == "continue_loop";
}

static bool isBreak(Node s) {
  return s.is("Evaluate") && (getCallee(s.get("value")) == "break_loop" ||
                              getCallee(s.get("value")) == "loop_break");
}

/// Whether one of the statements of this iteration fulfils the predicate.
static bool anyStatement(Node s, function_ref<bool(Node)> predicate) {
  if (predicate(s))
    return true;
  if (s.isAny("For", "While"))
    return false;
  for (StringRef part : {"then_case", "else_case", "body", "block"})
    if (Node child = s.get(part); child && anyStatement(child, predicate))
      return true;
  return llvm::any_of(s.getElementsOf("seq"), [&](Node child) {
    return anyStatement(child, predicate);
  });
}

bool tilelang::breaks(Node s) {
  return anyStatement(s, [](Node n) { return isBreak(n) || isContinue(n); });
}

bool tilelang::isSkip(Node s) {
  if (!s.is("IfThenElse"))
    return false;
  SmallVector<Node> list;
  flatten(s.get("then_case"), list);
  Node otherwise = s.get("else_case");
  return !list.empty() && isContinue(list.back()) &&
         llvm::none_of(ArrayRef(list).drop_back(), breaks) &&
         !(otherwise && breaks(otherwise));
}

/// Whether a `continue` in the body of a loop is more than what `isSkip` knows.
static bool needsFlag(Node body) {
  SmallVector<Node> list;
  flatten(body, list);
  return llvm::any_of(
      list, [](Node s) { return !isSkip(s) && anyStatement(s, isContinue); });
}

/// A flag for the loop, which nothing has set. The block decides together, or
/// each thread for itself.
static Value makeFlag(Importer &importer, Node loop) {
  OpBuilder &builder = importer.builder;
  Location loc = importer.getNamedLoc(loop, "left");
  auto space = importer.inParallel ? MemorySpace::Local : MemorySpace::Shared;
  auto type =
      MemRefType::get(1, builder.getI32Type(), MemRefLayoutAttrInterface(),
                      MemorySpaceAttr::get(importer.context, space));
  Value flag;
  {
    OpBuilder::InsertionGuard guard(builder);
    if (importer.inParallel)
      builder.setInsertionPoint(importer.enclosing);
    flag = AllocOp::create(builder, loc, type, LayoutAttr(), IntegerAttr());
  }
  Value zero = importer.constant(builder.getI32Type(), int64_t(0));
  Value first = importer.constantIndex(0);
  memref::StoreOp::create(builder, loc, zero, flag, first);
  return flag;
}

LoopExits::LoopExits(Importer &importer, Node loop)
    : leaves(anyStatement(loop.get("body"), isBreak)),
      skips(needsFlag(loop.get("body"))), importer(importer), loop(loop),
      flag(importer.breakFlag,
           leaves || skips ? makeFlag(importer, loop) : Value()),
      bySkips(importer.skipsByFlag, skips) {}

void LoopExits::beginIteration() {
  if (!skips)
    return;
  OpBuilder &builder = importer.builder;
  Location loc = importer.getLoc(loop);
  Value first = importer.constantIndex(0);
  Value next = importer.constant(builder.getI32Type(), int64_t(0));
  if (leaves) {
    Value old = memref::LoadOp::create(builder, loc, importer.breakFlag, first);
    Value left = importer.constant(builder.getI32Type(), int64_t(kLeft));
    next = arith::AndIOp::create(builder, loc, old, left);
  }
  memref::StoreOp::create(builder, loc, next, importer.breakFlag, first);
}

Value Importer::isRunning(Node at) {
  Value first = constantIndex(0);
  Value zero = constant(builder.getI32Type(), int64_t(0));
  Value left = memref::LoadOp::create(builder, getLoc(at), breakFlag, first);
  return arith::CmpIOp::create(builder, getLoc(at), arith::CmpIPredicate::eq,
                               left, zero);
}

void Importer::leaveLoop(Node at) {
  bool skips = getCallee(at) == "continue_loop";
  bool ofBlock = breakFlag && getMemorySpace(breakFlag) == MemorySpace::Shared;
  if (!breakFlag || (ofBlock && inParallel) || (skips && !skipsByFlag))
    return refuse(at,
                  skips ? "a continue of single threads in a loop of the block"
                        : "a break of single threads from a loop of the block",
                  "let all threads decide together");
  Value exit =
      constant(builder.getI32Type(), int64_t(skips ? kSkipped : kLeft));
  Value first = constantIndex(0);
  memref::StoreOp::create(builder, getLoc(at), exit, breakFlag, first);
}
