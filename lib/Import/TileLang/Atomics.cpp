//===- Atomics.cpp - atomic updates of elements ---------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Refusals.h"
#include "Threads.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::tilelang;

static std::optional<AtomicKind> getKind(StringRef callee) {
  return llvm::StringSwitch<std::optional<AtomicKind>>(callee)
      .StartsWith("atomic_add", AtomicKind::Add)
      .StartsWith("atomic_max", AtomicKind::Max)
      .StartsWith("atomic_min", AtomicKind::Min)
      .StartsWith("atomic_or", AtomicKind::Or)
      .Default(std::nullopt);
}

Value Importer::updateAtomically(Node call, bool wantsOld) {
  ownWrites.clear();
  StringRef name = getCallee(call);
  std::optional<AtomicKind> kind = getKind(name);
  SmallVector<Node> args = call.getElementsOf("args");
  int64_t count = name.contains("x4") ? 4 : name.contains("x2") ? 2 : 1;
  Node element =
      args.size() < 2 ? Node() : args[0].getElementsOf("args").empty()
                                     ? Node()
                                     : args[0].getElementsOf("args").front();
  Type type = builder.getI32Type();
  if (wantsOld)
    type = getType(call);
  if (!kind || !element.is("BufferLoad") || (wantsOld && count > 1))
    return refuse(call, type, getConstruct(name), getWayOut(name));
  Location loc = getLoc(call);
  // Scalar statements of ours happen once for the block, theirs once for each
  // thread.
  int64_t threadCount = kernel ? int64_t(kernel.getThreads()) : 1;
  bool repeats = inKernel && !inParallel && threadCount > 1;
  if (repeats && wantsOld)
    return refuse(call, type,
                  "an atomic update by each thread of the block whose old "
                  "value is used",
                  "write it in T.Parallel, or for one thread");
  if (repeats) {
    inThreadLoop(call, [&] { (void)updateAtomically(call, wantsOld); });
    return {};
  }
  Node buffer = element.get("buffer");
  DataType wanted(buffer.getString("dtype"));
  SmallVector<Value> indices =
      getIndices(buffer, element.getElementsOf("indices"));
  bool isUnsigned = !wanted.isFloat() && wanted.isUnsigned() &&
                    (*kind == AtomicKind::Max || *kind == AtomicKind::Min);
  // One right behind the other, as one instruction takes them.
  SmallVector<std::pair<Value, SmallVector<Value>>> updates;
  for (int64_t i = 0; i < count; ++i) {
    DataType from = count == 1 ? DataType(args[1].getString("dtype")) : wanted;
    Value value =
        count == 1 ? getValue(args[1]) : loadPointer(args[1], i);
    value = convert(call, value, from, wanted);
    SmallVector<Value> places = indices;
    if (i && !places.empty())
      places.back() = arith::AddIOp::create(builder, loc, places.back(),
                                            constantIndex(i));
    updates.emplace_back(value, places);
  }
  Value old;
  for (auto &[value, places] : updates) {
    auto map = AffineMap::getMultiDimIdentityMap(places.size(), context);
    auto update = AtomicOp::create(
        builder, loc, wantsOld ? value.getType() : Type(), *kind, value,
        getBuffer(buffer).value, places, AffineMapAttr::get(map),
        DenseI64ArrayAttr(), isUnsigned, /*instruction=*/TransferAttr());
    old = update.getOld();
  }
  return old;
}
