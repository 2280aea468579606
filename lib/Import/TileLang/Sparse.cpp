//===- Sparse.cpp - products with a sparse operand ------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of four neighbours along K, or of two where elements have 32 bits, the sparse
// operand of T.gemm_sp stores one half. Where they belong is in the metadata,
// four bits for each group, low bits first: the places of two elements of four,
// or of one of two, whose two halves have a place each. The operand is expanded
// to a tile in shared memory, and multiplied as any other.
//
//===----------------------------------------------------------------------===//

#include "Operands.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::tilelang;

namespace {
/// The stored half, its metadata, and what becomes of them.
struct SparseOperand {
  Value load(Value tile, bool transposed, Value row, Value column);
  Value makeElement(Value row, Value column);
  void expand();

  Importer &importer;
  Node call;
  Value stored, metadata, dense;
  bool transposesStored, transposesMetadata;
  int64_t group; ///< elements along K of which one half is stored
};
} // namespace

Value SparseOperand::load(Value tile, bool transposed, Value row,
                          Value column) {
  SmallVector<Value> place = {row, column};
  if (transposed)
    std::swap(place[0], place[1]);
  return memref::LoadOp::create(importer.builder, importer.getLoc(call), tile,
                                place);
}

Value SparseOperand::makeElement(Value row, Value column) {
  OpBuilder &builder = importer.builder;
  Location loc = importer.getLoc(call);
  auto index = [&](AffineExpr map) {
    return importer.makeIndex(call, map, {column});
  };
  AffineExpr k = builder.getAffineDimExpr(0);
  Type i32 = builder.getI32Type();
  unsigned bits = cast<MemRefType>(metadata.getType()).getElementTypeBitWidth();
  int64_t groupsPerWord = bits / 4;
  Value word = load(metadata, transposesMetadata, row,
                    index(k.floorDiv(group * groupsPerWord)));
  if (bits < 32)
    word = arith::ExtUIOp::create(builder, loc, i32, word);
  Value shift = arith::IndexCastOp::create(
      builder, loc, i32, index((k.floorDiv(group) % groupsPerWord) * 4));
  Value place = arith::IndexCastOp::create(builder, loc, i32, index(k % group));
  Value zero = importer.constant(
      cast<MemRefType>(stored.getType()).getElementType(), int64_t(0));
  Value element = zero;
  int64_t count = group / 2;
  for (int64_t i = count; i-- > 0;) {
    // Of a pair of 32-bit elements the first half stands for both.
    Value by = arith::AddIOp::create(builder, loc, shift,
                                     importer.constant(i32, 2 * i));
    Value code = arith::ShRUIOp::create(builder, loc, word, by);
    code = arith::AndIOp::create(builder, loc, code,
                                 importer.constant(i32, int64_t(3)));
    if (count == 1)
      code = arith::ShRUIOp::create(builder, loc, code,
                                    importer.constant(i32, int64_t(1)));
    Value isHere = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                         code, place);
    Value value = load(stored, transposesStored, row,
                       index(k.floorDiv(group) * count + i));
    element = arith::SelectOp::create(builder, loc, isHere, value, element);
  }
  return element;
}

void SparseOperand::expand() {
  OpBuilder &builder = importer.builder;
  Location loc = importer.getLoc(call);
  SmallVector<OpFoldResult> extents;
  for (int64_t extent : cast<MemRefType>(dense.getType()).getShape())
    extents.push_back(builder.getIndexAttr(extent));
  ParallelOp loop = importer.beginParallel(loc, {}, extents);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&loop.getBody().front());
  SmallVector<Value> place(loop.getBody().getArguments());
  Value element = makeElement(place[0], place[1]);
  memref::StoreOp::create(builder, loc, element, dense, place);
}

/// The operand in shared memory, where every element can be read by anyone.
static Value getShared(Importer &importer, Node call, const Operand &operand) {
  if (getMemorySpace(operand.tile) == MemorySpace::Shared)
    return operand.tile;
  Value copied =
      makeTile(importer, call, operand.getType().getShape(),
               operand.getType().getElementType(), MemorySpace::Shared);
  copy(importer, call, getWholeRegion(operand.tile), getWholeRegion(copied));
  return copied;
}

void tilelang::translateSparseGemm(Importer &importer, Node call) {
  SmallVector<Node> args = call.getElementsOf("args");
  auto refuse = [&] {
    importer.refuse(call, "a T.gemm_sp of this form",
                    "give it tiles: one half of the elements, four bits of "
                    "metadata for each group, and an operand that is not "
                    "sparse");
  };
  if (args.size() < 12)
    return refuse();
  auto flag = [&](unsigned i) {
    return importer.getConstant(args[i]).value_or(0) != 0;
  };
  std::optional<int64_t> clear = importer.getConstant(args[11]);
  auto a = getOperand(importer, call, args[0], 2, true);
  auto e = getOperand(importer, call, args[1], 2, true);
  auto b = getOperand(importer, call, args[2], 2, true);
  auto c = getOperand(importer, call, args[3], 2, clear.value_or(0) == 0,
                      MemorySpace::Fragment);
  if (!a || !e || !b || !c)
    return;
  bool transposesA = flag(4), transposesE = flag(5), transposesB = flag(6);
  auto rows = a->getType().getDimSize(transposesA ? 1 : 0);
  auto stored = a->getType().getDimSize(transposesA ? 0 : 1);
  unsigned bits = a->getType().getElementTypeBitWidth();
  unsigned word = e->getType().getElementTypeBitWidth();
  int64_t group = bits == 32 ? 2 : 4;
  if ((bits != 8 && bits != 16 && bits != 32) || !clear ||
      !isa<IntegerType>(e->getType().getElementType()) ||
      (word != 8 && word != 16 && word != 32) ||
      e->getType().getDimSize(transposesE ? 1 : 0) != rows ||
      e->getType().getDimSize(transposesE ? 0 : 1) * (word / 4) * group !=
          2 * stored)
    return refuse();
  importer.remarkDropped(call, "T.gemm_sp: the sparse operand is expanded");
  Value dense = makeTile(importer, call, {rows, 2 * stored},
                         a->getType().getElementType(), MemorySpace::Shared);
  SparseOperand sparse{importer,
                       call,
                       getShared(importer, call, *a),
                       getShared(importer, call, *e),
                       dense,
                       transposesA,
                       transposesE,
                       group};
  sparse.expand();
  auto isUnsigned = [&](unsigned i) {
    DataType type = getDataType(*importer.getPart(args[i]));
    return !type.isFloat() && type.isUnsigned();
  };
  GemmOp::create(importer.builder, importer.getLoc(call), dense, b->tile,
                 c->tile, Value(), false, transposesB, *clear != 0,
                 isUnsigned(0), isUnsigned(2), /*async=*/false,
                 getPolicy(importer, args[10]), Precision::IEEE,
                 InstructionAttr(), MmaAttr());
  writeBack(importer, call, *c);
}
