//===- CheckAllocations.cpp - code that survives a lack of memory ---------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "Tile/Conversion/TileToCPU/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::tile {
#define GEN_PASS_DEF_CHECKALLOCATIONSPASS
#include "Tile/Conversion/TileToCPU/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;

// More than any machine has, and small enough that alignment and descriptors
// overflow nothing.
static constexpr int64_t kMostBytes = int64_t(1) << 62;

/// How many bytes a buffer takes, but for the extents that are not static; none
/// for one that no memory holds.
static std::optional<int64_t> getStaticBytes(MemRefType type) {
  int64_t bytes = llvm::divideCeil(
      type.getElementType().isIndex() ? 64 : type.getElementTypeBitWidth(), 8);
  for (int64_t extent : type.getShape())
    if (!ShapedType::isDynamic(extent) &&
        (llvm::MulOverflow(bytes, extent, bytes) || bytes > kMostBytes))
      return std::nullopt;
  return bytes;
}

static bool isNumber(Type type) { return type.isIntOrIndexOrFloat(); }

namespace {
/// The allocations of one function, and the word where the first one that got
/// nothing leaves its size.
class Function {
public:
  explicit Function(FunctionOpInterface function)
      : function(function), b(function.getContext()) {}

  void check() {
    if (!function.getFunctionBody().hasOneBlock())
      return;
    check(function.getFunctionBody().front());
    if (missing)
      report();
  }

private:
  void check(Block &block);
  void checkNested(Operation &op);
  bool isCheckable(memref::AllocOp alloc);
  SmallVector<memref::AllocOp> getGroup(memref::AllocOp first);
  Value limitExtents(memref::AllocOp alloc);
  Value countBytes(memref::AllocOp alloc);
  Value getPresence(memref::AllocOp alloc);
  scf::IfOp moveRest(Operation *last, Value there);
  void note(scf::IfOp branch, ArrayRef<memref::AllocOp> group, Value fits);
  void free(scf::IfOp branch, ArrayRef<memref::AllocOp> group);
  void report();
  void tell(Value bytes);

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc(), value);
  }
  Location loc() { return current ? current->getLoc() : function->getLoc(); }

  FunctionOpInterface function;
  OpBuilder b;
  Operation *current = nullptr;
  Value missing;
};
} // namespace

/// Whether code behind an allocation can be left out: what the end of its block
/// uses of it are numbers, for which 0 stands.
bool Function::isCheckable(memref::AllocOp alloc) {
  if (!alloc.getType().getElementType().isIntOrIndexOrFloat() ||
      !getStaticBytes(alloc.getType()))
    return false;
  Block *block = alloc->getBlock();
  return llvm::all_of(block->getTerminator()->getOperands(), [&](Value value) {
    Operation *def = value.getDefiningOp();
    return isNumber(value.getType()) || !def || def->getBlock() != block ||
           def->isBeforeInBlock(alloc);
  });
}

/// Allocations with nothing but pure ops between them, which one test serves.
SmallVector<memref::AllocOp> Function::getGroup(memref::AllocOp first) {
  SmallVector<memref::AllocOp> group;
  for (Operation *op = first; op; op = op->getNextNode()) {
    if (auto alloc = dyn_cast<memref::AllocOp>(op); alloc && isCheckable(alloc))
      group.push_back(alloc);
    else if (!isPure(op))
      break;
  }
  return group;
}

/// Makes the product of the extents one that can be counted: no elements stand
/// for too many. Returns whether it could be, null where it always can.
Value Function::limitExtents(memref::AllocOp alloc) {
  if (alloc.getDynamicSizes().empty())
    return {};
  b.setInsertionPoint(alloc);
  int64_t bytes = std::max<int64_t>(*getStaticBytes(alloc.getType()), 1);
  Value left = constant(kMostBytes / bytes), fits;
  for (Value extent : alloc.getDynamicSizes()) {
    Value one = arith::CmpIOp::create(b, loc(), arith::CmpIPredicate::ule,
                                      extent, left);
    fits = fits ? arith::AndIOp::create(b, loc(), fits, one).getResult() : one;
    left = arith::DivUIOp::create(
        b, loc(), left, arith::MaxUIOp::create(b, loc(), extent, constant(1)));
  }
  for (OpOperand &extent : alloc.getDynamicSizesMutable())
    extent.set(
        arith::SelectOp::create(b, loc(), fits, extent.get(), constant(0)));
  return fits;
}

Value Function::countBytes(memref::AllocOp alloc) {
  Value bytes = constant(*getStaticBytes(alloc.getType()));
  for (Value extent : alloc.getDynamicSizes())
    bytes = arith::MulIOp::create(b, loc(), bytes, extent);
  return arith::IndexCastOp::create(b, loc(), b.getI64Type(), bytes);
}

Value Function::getPresence(memref::AllocOp alloc) {
  Value address =
      memref::ExtractAlignedPointerAsIndexOp::create(b, loc(), alloc);
  return arith::CmpIOp::create(b, loc(), arith::CmpIPredicate::ne, address,
                               constant(0));
}

/// Moves what is behind `last` into a branch that is taken if `there`.
scf::IfOp Function::moveRest(Operation *last, Value there) {
  Block *block = last->getBlock();
  Operation *end = block->getTerminator();
  SmallVector<OpOperand *> used;
  SmallVector<Value> results;
  for (OpOperand &operand : end->getOpOperands())
    if (Operation *def = operand.get().getDefiningOp();
        def && def->getBlock() == block && last->isBeforeInBlock(def)) {
      used.push_back(&operand);
      results.push_back(operand.get());
    }
  b.setInsertionPoint(end);
  auto branch = scf::IfOp::create(b, loc(), ValueRange(results).getTypes(),
                                  there, /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  branch.thenBlock()->getOperations().splice(
      branch.thenBlock()->end(), block->getOperations(),
      std::next(Block::iterator(last)), Block::iterator(branch));
  b.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(b, loc(), results);
  b.setInsertionPointToEnd(branch.elseBlock());
  SmallVector<Value> zeros;
  for (Value result : results)
    zeros.push_back(
        arith::ConstantOp::create(b, loc(), b.getZeroAttr(result.getType())));
  scf::YieldOp::create(b, loc(), zeros);
  for (auto [operand, result] : llvm::zip(used, branch.getResults()))
    operand->set(result);
  return branch;
}

/// Leaves what the group wanted, -1 if nobody can count it.
void Function::note(scf::IfOp branch, ArrayRef<memref::AllocOp> group,
                    Value fits) {
  if (!missing) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&function.getFunctionBody().front());
    missing =
        memref::AllocaOp::create(b, loc(), MemRefType::get({}, b.getI64Type()));
    Value none = arith::ConstantIntOp::create(b, loc(), 0, 64);
    memref::StoreOp::create(b, loc(), none, missing);
  }
  b.setInsertionPointToStart(branch.elseBlock());
  Value bytes;
  for (memref::AllocOp alloc : group) {
    Value own = countBytes(alloc);
    bytes =
        bytes ? arith::AddIOp::create(b, loc(), bytes, own).getResult() : own;
  }
  if (fits)
    bytes = arith::SelectOp::create(
        b, loc(), fits, bytes, arith::ConstantIntOp::create(b, loc(), -1, 64));
  // Other threads may lack memory at the same time.
  memref::AtomicRMWOp::create(b, loc(), arith::AtomicRMWKind::assign, bytes,
                              missing, ValueRange());
}

/// Frees the group on both ways: deallocations at the end of the block stay
/// there, others are repeated where the rest is left out.
void Function::free(scf::IfOp branch, ArrayRef<memref::AllocOp> group) {
  bool atEnd = true;
  auto isOurs = [&](memref::DeallocOp dealloc) {
    auto alloc = dealloc.getMemref().getDefiningOp<memref::AllocOp>();
    return alloc && llvm::is_contained(group, alloc);
  };
  Operation *last = branch.thenBlock()->getTerminator();
  for (Operation *op = last->getPrevNode(), *next; op; op = next) {
    next = op->getPrevNode();
    auto dealloc = dyn_cast<memref::DeallocOp>(op);
    atEnd &= dealloc != nullptr;
    if (!dealloc || !isOurs(dealloc))
      continue;
    if (atEnd) {
      op->moveAfter(branch);
      continue;
    }
    b.setInsertionPoint(branch.elseBlock()->getTerminator());
    b.clone(*op);
  }
}

void Function::checkNested(Operation &op) {
  for (Region &region : op.getRegions())
    for (Block &block : region)
      check(block);
}

void Function::check(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    auto first = dyn_cast<memref::AllocOp>(op);
    if (!first || !isCheckable(first)) {
      checkNested(op);
      continue;
    }
    current = first;
    SmallVector<memref::AllocOp> group = getGroup(first);
    Value fits, there;
    auto both = [&](Value left, Value right) -> Value {
      return left && right ? arith::AndIOp::create(b, loc(), left, right)
             : left        ? left
                           : right;
    };
    for (memref::AllocOp alloc : group)
      fits = both(fits, limitExtents(alloc));
    b.setInsertionPointAfter(group.back());
    for (memref::AllocOp alloc : group)
      there = both(there, getPresence(alloc));
    there = both(there, fits);
    scf::IfOp branch = moveRest(there.getDefiningOp(), there);
    note(branch, group, fits);
    free(branch, group);
    return check(*branch.thenBlock());
  }
}

/// Tells the runtime, before the function returns.
void Function::report() {
  b.setInsertionPoint(function.getFunctionBody().front().getTerminator());
  current = nullptr;
  Value bytes = memref::LoadOp::create(b, loc(), missing);
  Value none = arith::ConstantIntOp::create(b, loc(), 0, 64);
  Value lacking =
      arith::CmpIOp::create(b, loc(), arith::CmpIPredicate::ne, bytes, none);
  auto branch = scf::IfOp::create(b, loc(), lacking);
  b.setInsertionPointToStart(branch.thenBlock());
  tell(bytes);
}

/// Calls the runtime, or ends the process of a program that links none.
void Function::tell(Value bytes) {
  static constexpr StringLiteral name = "tile_rt_note_missing_memory";
  auto module = function->getParentOfType<ModuleOp>();
  auto type = b.getFunctionType(b.getI64Type(), {});
  Value callee = func::ConstantOp::create(b, loc(), type, name);
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value address = UnrealizedConversionCastOp::create(b, loc(), pointer, callee)
                      .getResult(0);
  Value null = LLVM::ZeroOp::create(b, loc(), pointer);
  Value linked =
      LLVM::ICmpOp::create(b, loc(), LLVM::ICmpPredicate::ne, address, null);
  auto branch = scf::IfOp::create(b, loc(), linked, /*withElseRegion=*/true);
  b.setInsertionPointToStart(branch.thenBlock());
  tile::cpu::callRuntime(b, function, name, bytes);
  b.setInsertionPointToStart(branch.elseBlock());
  tile::cpu::callRuntime(b, function, "abort", {});
  module.lookupSymbol(name)->setAttr(
      "llvm.linkage",
      LLVM::LinkageAttr::get(b.getContext(), LLVM::Linkage::ExternWeak));
}

namespace {
struct CheckAllocations
    : tile::impl::CheckAllocationsPassBase<CheckAllocations> {
  void runOnOperation() override {
    SmallVector<FunctionOpInterface> functions(
        getOperation().getOps<FunctionOpInterface>());
    for (FunctionOpInterface function : functions)
      if (!function.isExternal())
        Function(function).check();
  }
};
} // namespace
