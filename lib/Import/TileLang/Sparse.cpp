//===- Sparse.cpp - products with a sparse operand ------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// T.gemm_sp has the operands of tile.sparse_gemm, bit by bit.
//
//===----------------------------------------------------------------------===//

#include "Operands.h"

#include "Tile/Dialect/Tile/IR/Sparse.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::tilelang;

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
  auto isUnsigned = [&](unsigned i) {
    DataType type = getDataType(*importer.getPart(args[i]));
    return !type.isFloat() && type.isUnsigned();
  };
  // As TileLang's products do, for which tensor cores have no f32.
  bool rounds = a->getType().getElementType().isF32();
  SparseGemmOp::create(importer.builder, importer.getLoc(call), a->tile,
                       e->tile, b->tile, c->tile, transposesA, transposesE,
                       transposesB, *clear != 0, isUnsigned(0), isUnsigned(2),
                       getPolicy(importer, args[10]),
                       rounds ? Precision::TF32 : Precision::IEEE, MmaAttr());
  writeBack(importer, call, *c);
}
