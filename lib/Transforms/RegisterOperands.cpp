//===- RegisterOperands.cpp - operands that are read again and again ------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions of several warps read both operands from shared memory, each
// time. With few columns, A takes as much of its bandwidth as B: where A is the
// same in all iterations of a loop, or for several gemms of one, its rows are
// loaded to registers once: as many of their columns as registers are left for.
//
//===----------------------------------------------------------------------===//

#include "Occupancy.h"
#include "SelectInstructions.h"

#include "Tile/Analysis/Accesses.h"
#include "Tile/Dialect/Tile/IR/Buffers.h"
#include "Tile/Dialect/Tile/IR/Indexed.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
/// A shared tile, what fills it, and the gemms of one loop whose A it is.
struct Operand {
  AllocOp alloc;
  SmallVector<Operation *> fills;
  SmallVector<GemmOp> gemms; // in the order of the program
};
} // namespace

/// Of an instruction with more columns, the rows of A are a small part of what
/// it reads.
static constexpr int64_t kMostColumns = 64;

static bool mayTakeRegisters(GemmOp gemm, Value tile) {
  MmaAttr attr = gemm.getInstructionAttr();
  return gemm.getA() == tile && gemm.getB() != tile && !gemm.getTransposeA() &&
         !gemm.getAsync() && attr && attr.isAsynchronous() &&
         getMemorySpace(gemm.getC()) == MemorySpace::Fragment &&
         attr.getN() <= kMostColumns;
}

/// Whether the op does not write to the tile, as far as is known.
static bool onlyReads(Operation *op, Value tile) {
  SmallVector<Access> accesses;
  return !isa<ViewLikeOpInterface>(op) &&
         succeeded(collectAccesses(op, accesses)) &&
         llvm::all_of(accesses, [&](const Access &access) {
           return access.region.buffer != tile ||
                  access.kind == AccessKind::Read;
         });
}

/// Whether a gemm beside it adds more products to the same sums from another A,
/// which stays in shared memory: the smaller part of a product gains nothing.
static bool isPartOfProduct(GemmOp gemm) {
  return llvm::any_of(gemm.getC().getUsers(), [&](Operation *user) {
    auto other = dyn_cast<GemmOp>(user);
    return other && other->getBlock() == gemm->getBlock() &&
           other.getC() == gemm.getC() && other.getA() != gemm.getA() &&
           other.getK() > gemm.getK();
  });
}

static std::optional<Operand> findOperand(AllocOp alloc) {
  Value tile = alloc.getBuffer();
  if (getMemorySpace(tile) != MemorySpace::Shared)
    return std::nullopt;
  Operand operand{alloc, {}, {}};
  for (OpOperand &use : tile.getUses()) {
    Operation *user = use.getOwner();
    auto copy = dyn_cast<CopyOp>(user);
    auto gemm = dyn_cast<GemmOp>(user);
    if (isa<CopyOp, GatherOp>(user) && &use == &getFilledTile(user)) {
      if (copy && !isWhole(copy.getTargetRegion()))
        return std::nullopt;
      operand.fills.push_back(user);
    } else if (gemm && mayTakeRegisters(gemm, tile)) {
      operand.gemms.push_back(gemm);
    } else if (!onlyReads(user, tile)) {
      return std::nullopt;
    }
  }
  if (operand.gemms.empty() || operand.fills.empty() ||
      llvm::any_of(operand.gemms, [&](GemmOp gemm) {
        return isPartOfProduct(gemm) ||
               gemm->getBlock() != operand.gemms.front()->getBlock() ||
               gemm.getInstructionAttr() !=
                   operand.gemms.front().getInstructionAttr();
      }))
    return std::nullopt;
  llvm::sort(operand.gemms,
             [](GemmOp a, GemmOp b) { return a->isBeforeInBlock(b); });
  return operand;
}

/// Whether all fills stand in front of `op`, in its block or in one around it.
static bool areBefore(ArrayRef<Operation *> fills, Operation *op) {
  return llvm::all_of(fills, [&](Operation *fill) {
    Operation *here = fill->getBlock()->findAncestorOpInBlock(*op);
    return here && fill->isBeforeInBlock(here);
  });
}

/// Where the rows are loaded; null if that would be for each gemm.
static Operation *findPlace(const Operand &operand) {
  Operation *first = operand.gemms.front();
  Operation *loop = first->getParentOp();
  if (!isa<LoopLikeOpInterface>(loop))
    return nullptr;
  if (areBefore(operand.fills, loop))
    return loop;
  bool isHere = llvm::all_of(operand.fills, [&](Operation *fill) {
    return fill->getBlock() == first->getBlock();
  });
  return operand.gemms.size() > 1 && isHere && areBefore(operand.fills, first)
             ? first
             : nullptr;
}

/// The registers of a thread that all fragments leave.
static int64_t countFreeRegisters(KernelOp kernel,
                                  const ::tile::target::Target &target) {
  return getConsumerRegisters(kernel, target) - countFragmentRegisters(kernel);
}

/// Whether all gemms can take A and B in parts of so many columns.
static bool canTakeParts(const Operand &operand, int64_t columns) {
  return llvm::all_of(operand.gemms, [&](GemmOp gemm) {
    return gemm.getTransposeB() && gemm.getK() % columns == 0 &&
           columns % gemm.getInstructionAttr().getK() == 0;
  });
}

/// How many columns of A a thread has registers for, beside addresses.
static int64_t countColumns(const Operand &operand, KernelOp kernel,
                            const ::tile::target::Target &target) {
  constexpr int64_t kBesideAll = 32;
  const ::tile::target::GPUSpec &gpu = *target.getGPU();
  GemmOp gemm = operand.gemms.front();
  int64_t bits = getElementBits(gemm.getA());
  int64_t rowsOfThread = gemm.getM() * bits, columns = gemm.getK();
  int64_t threads = gemm.getInstructionAttr().getWarpsM() * gpu.warpSize;
  int64_t room = countFreeRegisters(kernel, target);
  auto countRegisters = [&](int64_t columns) {
    return int64_t(llvm::divideCeil(rowsOfThread * columns, 32 * threads));
  };
  if (countRegisters(columns) <= room - kBesideAll)
    return columns;
  // A part begins where the swizzle of its tile does.
  int64_t unit = 8 * gpu.sharedBanks * gpu.sharedBankBytes / bits;
  if (!canTakeParts(operand, unit))
    return 0;
  int64_t parts = (room - kLeastBeside) / countRegisters(unit);
  return std::min(parts * unit, columns - unit);
}

/// Columns of a tile.
static Value getColumns(OpBuilder &b, Location loc, Value tile, int64_t first,
                        int64_t count) {
  int64_t rows = cast<MemRefType>(tile.getType()).getDimSize(0);
  auto attr = [&](int64_t value) {
    return OpFoldResult(b.getIndexAttr(value));
  };
  return memref::SubViewOp::create(b, loc, tile, {attr(0), attr(first)},
                                   {attr(rows), attr(count)},
                                   {attr(1), attr(1)});
}

/// Takes the first columns of A from the fragment: all, or one gemm for them
/// and another one for the rest.
static void takeFragment(GemmOp gemm, Value fragment) {
  int64_t first = cast<MemRefType>(fragment.getType()).getDimSize(1);
  int64_t rest = gemm.getK() - first;
  if (rest == 0)
    return gemm.getAMutable().assign(fragment);
  OpBuilder b(gemm);
  Location loc = gemm.getLoc();
  Value a = gemm.getA(), columns = gemm.getB();
  auto front = cast<GemmOp>(b.clone(*gemm));
  front.getAMutable().assign(fragment);
  b.setInsertionPoint(front);
  front.getBMutable().assign(getColumns(b, loc, columns, 0, first));
  b.setInsertionPoint(gemm);
  gemm.getAMutable().assign(getColumns(b, loc, a, first, rest));
  gemm.getBMutable().assign(getColumns(b, loc, columns, first, rest));
  gemm.setClear(false);
  gemm.getClearIfMutable().clear();
}

/// Loads the first columns of the tile to a new fragment in front of `place`.
static FailureOr<Value> loadColumns(AllocOp alloc, int64_t columns,
                                    Operation *place, Location loc,
                                    const ::tile::target::Target &target) {
  auto type = cast<MemRefType>(alloc.getBuffer().getType());
  OpBuilder b(alloc);
  auto fragment = AllocOp::create(
      b, alloc.getLoc(),
      MemRefType::get(
          {type.getDimSize(0), columns}, type.getElementType(), AffineMap(),
          MemorySpaceAttr::get(b.getContext(), MemorySpace::Fragment)),
      LayoutAttr(), IntegerAttr());
  b.setInsertionPoint(place);
  Value source = alloc.getBuffer();
  if (columns != type.getDimSize(1))
    source = getColumns(b, loc, source, 0, columns);
  CopyOp copy = createWholeCopy(b, loc, source, fragment.getBuffer());
  if (failed(selectCopy(copy, target, /*async=*/false)))
    return failure();
  return Value(fragment.getBuffer());
}

LogicalResult
mlir::tile::keepOperands(KernelOp kernel,
                         const ::tile::target::Target &target) {
  // Blocks that hide each other's waits gain nothing, and registers are what
  // bounds their number.
  if (estimateResidentBlocks(kernel, target) >= kManyBlocks)
    return success();
  SmallVector<AllocOp> allocs;
  kernel.walk([&](AllocOp alloc) { allocs.push_back(alloc); });
  for (AllocOp alloc : allocs) {
    std::optional<Operand> operand = findOperand(alloc);
    Operation *place = operand ? findPlace(*operand) : nullptr;
    int64_t columns = place ? countColumns(*operand, kernel, target) : 0;
    if (columns <= 0)
      continue;
    GemmOp first = operand->gemms.front();
    bool isFirst = place == first.getOperation();
    FailureOr<Value> fragment =
        loadColumns(alloc, columns, place, first.getLoc(), target);
    if (failed(fragment))
      return failure();
    int64_t all = first.getK();
    for (GemmOp gemm : operand->gemms)
      takeFragment(gemm, *fragment);
    auto remark = remark::passed(alloc.getLoc(),
                                 remark::RemarkOpts::name("RegisterOperand")
                                     .category("tile-select-instructions"));
    remark << remark::reason(isFirst ? "several gemms read it"
                                     : "the loop does not change it")
           << remark::metric("gemms", operand->gemms.size());
    if (columns != all)
      remark << remark::metric("columns", columns);
  }
  return success();
}
