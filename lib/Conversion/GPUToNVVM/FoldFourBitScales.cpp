//===- FoldFourBitScales.cpp - converted elements times a small scale -----===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements of 4 bits that are converted to bf16 go to a fragment, where a loop
// multiplies them. Where the scale has a power of two that makes it small
// (`tile-defer-scales`), both are one operation for a pair of elements.
//
//===----------------------------------------------------------------------===//

#include "FourBits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::tile;

//===----------------------------------------------------------------------===//
// Elements of fragments
//===----------------------------------------------------------------------===//

using Element = std::pair<Value, int64_t>; // of an alloca

/// The element of bf16 that is addressed, if it is known.
static std::optional<Element> findElement(Value address) {
  if (address.getDefiningOp<LLVM::AllocaOp>())
    return Element(address, 0);
  auto place = address.getDefiningOp<LLVM::GEPOp>();
  if (!place || !place.getBase().getDefiningOp<LLVM::AllocaOp>() ||
      !place.getElemType().isBF16() || !place.getDynamicIndices().empty() ||
      place.getRawConstantIndices().size() != 1)
    return std::nullopt;
  return Element(place.getBase(), place.getRawConstantIndices()[0]);
}

/// Whether the address of the fragment is used by loads and stores of single
/// elements only.
static bool isFragment(LLVM::AllocaOp alloca) {
  auto isAccess = [](Operation *user, Value address) {
    if (auto load = dyn_cast<LLVM::LoadOp>(user))
      return load.getType().isBF16();
    auto store = dyn_cast<LLVM::StoreOp>(user);
    return store && store.getAddr() == address &&
           store.getValue().getType().isBF16();
  };
  return llvm::all_of(alloca->getUsers(), [&](Operation *user) {
    if (!isa<LLVM::GEPOp>(user))
      return isAccess(user, alloca);
    Value place = user->getResult(0);
    return findElement(place) &&
           llvm::all_of(place.getUsers(), [&](Operation *access) {
             return isAccess(access, place);
           });
  });
}

/// Replaces loads of converted elements by what was stored there in the same
/// block.
static void forwardConverted(Block &block,
                             const llvm::DenseSet<Value> &fragments) {
  llvm::DenseMap<Element, Value> stored;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (op.getNumRegions() != 0)
      stored.clear();
    auto store = dyn_cast<LLVM::StoreOp>(op);
    auto load = dyn_cast<LLVM::LoadOp>(op);
    if (!store && !load)
      continue;
    std::optional<Element> element =
        findElement(store ? store.getAddr() : load.getAddr());
    if (!element || !fragments.contains(element->first))
      continue;
    if (store) {
      stored[*element] = store.getValue();
      continue;
    }
    Value value = stored.lookup(*element);
    auto extract = value ? value.getDefiningOp<vector::ExtractOp>() : nullptr;
    if (!extract || !nvidia::isFourBitConversion(extract.getSource()))
      continue;
    load.getResult().replaceAllUsesWith(extract.getResult());
    load.erase();
  }
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

namespace {
/// (an element of a conversion) * factor * 2^exponent
struct Product {
  arith::MulFOp op;
  Value conversion, scale, factor;
  int64_t position = 0;
  int exponent = 0;
};
} // namespace

/// The exponent of a constant that is a power of two.
static std::optional<int> findExponent(Value value) {
  FloatAttr constant;
  if (!matchPattern(value, m_Constant(&constant)))
    return std::nullopt;
  int exponent = constant.getValue().getExactLog2();
  if (exponent == INT_MIN)
    return std::nullopt;
  return exponent;
}

static std::optional<Product> findProduct(arith::MulFOp op) {
  auto isLoose = [](arith::MulFOp op) {
    return arith::bitEnumContainsAll(op.getFastmath(),
                                     arith::FastMathFlags::reassoc);
  };
  if (!op.getType().isBF16() || !isLoose(op))
    return std::nullopt;
  for (auto [element, scale] : {std::pair(op.getLhs(), op.getRhs()),
                                std::pair(op.getRhs(), op.getLhs())}) {
    auto extract = element.getDefiningOp<vector::ExtractOp>();
    auto small = scale.getDefiningOp<arith::MulFOp>();
    if (!extract || !small || !isLoose(small) || extract.hasDynamicPosition() ||
        extract.getNumIndices() != 1 ||
        !nvidia::isFourBitConversion(extract.getSource()))
      continue;
    std::optional<int> exponent = findExponent(small.getRhs());
    if (exponent && *exponent <= nvidia::kGreatestScaleExponent &&
        *exponent >= nvidia::kLeastScaleExponent)
      return Product{op,
                     extract.getSource(),
                     scale,
                     small.getLhs(),
                     extract.getStaticPosition()[0],
                     *exponent};
  }
  return std::nullopt;
}

/// Both products of a pair are made where the second one is.
static void foldPair(Product first, Product second) {
  if (second.op->isBeforeInBlock(first.op))
    std::swap(first, second);
  Block *block = second.op->getBlock();
  for (Operation *user : first.op->getUsers()) {
    Operation *here = block->findAncestorOpInBlock(*user);
    if (!here || here == second.op || here->isBeforeInBlock(second.op))
      return;
  }
  OpBuilder b(second.op);
  Location loc = second.op.getLoc();
  Value pair =
      nvidia::convertScaledPair(b, loc, first.conversion, first.position / 2,
                                first.factor, first.exponent);
  for (const Product &product : {first, second}) {
    Value value = vector::ExtractOp::create(b, loc, pair, product.position % 2);
    arith::MulFOp op = product.op;
    op.getResult().replaceAllUsesWith(value);
    op.erase();
  }
}

static void foldProducts(Block &block) {
  llvm::MapVector<std::pair<Value, int64_t>, SmallVector<Product, 2>> pairs;
  for (auto op : block.getOps<arith::MulFOp>())
    if (std::optional<Product> product = findProduct(op))
      pairs[{product->conversion, product->position / 2}].push_back(*product);
  for (auto &[key, products] : pairs)
    if (products.size() == 2 && products[0].position != products[1].position &&
        products[0].scale == products[1].scale)
      foldPair(products[0], products[1]);
}

void nvidia::foldFourBitScales(Operation *root) {
  llvm::DenseSet<Value> fragments;
  bool hasConversions = false;
  root->walk([&](Operation *op) {
    if (auto alloca = dyn_cast<LLVM::AllocaOp>(op);
        alloca && isFragment(alloca))
      fragments.insert(alloca);
    hasConversions |=
        op->getNumResults() == 1 && isFourBitConversion(op->getResult(0));
  });
  if (!hasConversions)
    return;
  root->walk([&](Block *block) {
    forwardConverted(*block, fragments);
    foldProducts(*block);
  });
}
