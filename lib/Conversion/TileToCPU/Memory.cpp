//===- Memory.cpp - movement of data and views ----------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Regions.h"

#include "Tile/Transforms/Windows.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::cpu;

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

Value cpu::getPaddingValue(OpBuilder &b, Operation *op, Value buffer) {
  if (auto kernel = op->getParentOfType<KernelOp>())
    for (auto hint : kernel.getBody().getOps<PaddingValueOp>()) {
      if (hint.getBuffer() != buffer)
        continue;
      // A constant may stand behind the op.
      Attribute constant;
      if (matchPattern(hint.getValue(), m_Constant(&constant)))
        return arith::ConstantOp::create(b, op->getLoc(),
                                         cast<TypedAttr>(constant));
      return hint.getValue();
    }
  return constantZero(b, op->getLoc(),
                      cast<MemRefType>(buffer.getType()).getElementType());
}

/// i1: some element of the target has no source. Null if that is known not to happen.
static Value needsFill(OpBuilder &b, Location loc, const LoopRegion &from,
                       const LoopRegion &to) {
  Value needs;
  auto add = [&](Value condition) {
    needs = needs ? arith::OrIOp::create(b, loc, needs, condition).getResult()
                  : condition;
  };
  auto differs = [&](Value source, Value target,
                     arith::CmpIPredicate predicate) {
    if (getConstantIntValue(source) && getConstantIntValue(source) ==
                                           getConstantIntValue(target))
      return;
    add(arith::CmpIOp::create(b, loc, predicate, source, target));
  };
  for (unsigned i = 0, e = from.loopDims.size(); i < e; ++i) {
    differs(from.lower[i], to.lower[i], arith::CmpIPredicate::sgt);
    differs(from.upper[i], to.upper[i], arith::CmpIPredicate::slt);
  }
  if (from.inside) {
    Value one = arith::ConstantIntOp::create(b, loc, 1, 1);
    add(arith::XOrIOp::create(b, loc, from.inside, one));
  }
  return needs;
}

/// Whether both sides have contiguous rows of one type that are long enough for calls of memcpy; shorter ones are as fast
/// inline. The C library writes long rows without reading them first, which ordinary stores cannot.
static bool hasLongRows(CopyOp op, const LoopRegion &from, const LoopRegion &to,
                        const CPUTargetInfo &cpuInfo) {
  auto source = cast<MemRefType>(op.getSource().getType());
  auto target = cast<MemRefType>(op.getTarget().getType());
  if (source.getElementType() != target.getElementType() ||
      source.getElementTypeBitWidth() % 8 != 0 || from.loopDims.empty())
    return false;
  for (auto [type, region] : {std::pair(source, &from), {target, &to}})
    if (!type.isLastDimUnitStride() ||
        region->loopDims.back() != type.getRank() - 1)
      return false;
  int64_t length = op.getSourceRegion().sizes.back();
  return length * (source.getElementTypeBitWidth() / 8) >= cpuInfo.rowBytes;
}

static Value castTo(OpBuilder &b, Location loc, Value value, Type type) {
  return UnrealizedConversionCastOp::create(b, loc, type, value).getResult(0);
}

/// A memref type without a tile space. These are dropped later; what is expressed in LLVM must not know them already.
static MemRefType getPlainType(Type type) {
  auto memref = cast<MemRefType>(type);
  return MemRefType::get(memref.getShape(), memref.getElementType(),
                         memref.getLayout());
}

/// The type that a buffer has in memory.
static MemRefType getStoredType(MemRefType type) {
  return isHalfByte(type) ? getPackedType(type) : type;
}

/// The descriptor of a buffer as a value of the LLVM dialect.
static Value getDescriptor(OpBuilder &b, Location loc,
                           const LLVMTypeConverter &converter, Value buffer) {
  MemRefType plain = getPlainType(buffer.getType());
  return castTo(b, loc, castTo(b, loc, buffer, plain),
                converter.convertType(getStoredType(plain)));
}

/// The address of an element.
static Value getAddress(OpBuilder &b, Location loc, Value buffer,
                        ValueRange indices) {
  MemRefType plain = getPlainType(buffer.getType());
  LLVMTypeConverter converter(b.getContext());
  Value descriptor = getDescriptor(b, loc, converter, buffer);
  SmallVector<Value> integers;
  for (Value index : indices)
    integers.push_back(
        arith::IndexCastOp::create(b, loc, b.getI64Type(), index));
  return LLVM::getStridedElementPtr(b, loc, converter, plain, descriptor,
                                    integers);
}

namespace {

/// Copies a region row by row, in bytes.
class RowCopier {
public:
  RowCopier(OpBuilder &b, Location loc, const LoopRegion &from,
            const LoopRegion &to, const CPUTargetInfo &cpuInfo)
      : b(b), loc(loc), from(from), to(to), cpuInfo(cpuInfo) {}

  void emit(ValueRange lower, ValueRange upper) {
    Value zero = constantIndex(b, loc, 0);
    Value length = arith::SubIOp::create(b, loc, upper.back(), lower.back());
    length = arith::MaxSIOp::create(b, loc, length, zero);
    Value bytes = toI64(arith::MulIOp::create(
        b, loc, length, constantIndex(b, loc, getWidth(from.buffer))));
    auto rows = [&](function_ref<void(Value, Value)> copy) {
      buildLoops(b, loc, lower.drop_back(), upper.drop_back(),
                 [&](OpBuilder &inner, Location, ValueRange ivs) {
                   continueAt(b, inner, [&] {
                     SmallVector<Value> first(ivs);
                     first.push_back(lower.back());
                     copy(getAddress(b, loc, to.buffer,
                                     to.getIndices(b, loc, first)),
                          getAddress(b, loc, from.buffer,
                                     from.getIndices(b, loc, first)));
                   });
                 });
    };
    auto plain = [&](Value target, Value source) {
      copyBytes(target, source, bytes);
    };
    if (getMemorySpace(to.buffer) != MemorySpace::Global)
      return rows(plain);
    scf::IfOp branch = scf::IfOp::create(b, loc, isLarge(to.buffer),
                                         /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    rows([&](Value target, Value source) { stream(target, source, bytes); });
    b.setInsertionPointToStart(branch.elseBlock());
    rows(plain);
  }

private:
  static int64_t getWidth(Value buffer) {
    return cast<MemRefType>(buffer.getType()).getElementTypeBitWidth() / 8;
  }
  Value toI64(Value v) {
    return arith::IndexCastOp::create(b, loc, b.getI64Type(), v);
  }
  Value constant(int64_t v) {
    return arith::ConstantIntOp::create(b, loc, v, 64);
  }
  Value advance(Value pointer, Value bytes) {
    return LLVM::GEPOp::create(b, loc, pointer.getType(), b.getI8Type(),
                               pointer, ArrayRef<LLVM::GEPArg>{bytes});
  }
  void copyBytes(Value target, Value source, Value bytes) {
    LLVM::MemcpyOp::create(b, loc, target, source, bytes, /*isVolatile=*/false);
  }

  /// Whether a buffer is too large to be found in a cache when it is read next.
  Value isLarge(Value buffer) {
    Value bytes = constantIndex(b, loc, getWidth(buffer));
    for (int64_t dim = 0; dim < cast<MemRefType>(buffer.getType()).getRank();
         ++dim)
      bytes = arith::MulIOp::create(
          b, loc, bytes, memref::DimOp::create(b, loc, buffer, dim));
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, bytes,
                                 constantIndex(b, loc, cpuInfo.streamBytes));
  }

  /// Writes past the caches, which neither reads the old lines nor displaces others. Such stores need aligned vectors; what is
  /// before the first and after the last one is copied plainly. The end of a parallel loop, a locked instruction, orders them.
  void stream(Value target, Value source, Value bytes) {
    int64_t width = cpuInfo.vectorBytes;
    Value address =
        LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), target);
    Value head = arith::AndIOp::create(
        b, loc, arith::SubIOp::create(b, loc, constant(0), address),
        constant(width - 1));
    head = arith::MinUIOp::create(b, loc, head, bytes);
    copyBytes(target, source, head);
    Value body = arith::AndIOp::create(
        b, loc, arith::SubIOp::create(b, loc, bytes, head), constant(-width));
    Value end = arith::AddIOp::create(b, loc, head, body);
    auto vector = VectorType::get(width, b.getI8Type());
    scf::ForOp::create(
        b, loc, head, end, constant(width), ValueRange(),
        [&](OpBuilder &inner, Location, Value offset, ValueRange) {
          continueAt(b, inner, [&] {
            Value v = LLVM::LoadOp::create(b, loc, vector,
                                           advance(source, offset), 1);
            LLVM::StoreOp::create(b, loc, v, advance(target, offset), width,
                                  /*isVolatile=*/false,
                                  /*isNonTemporal=*/true);
            scf::YieldOp::create(b, loc);
          });
        });
    copyBytes(advance(target, end), advance(source, end),
              arith::SubIOp::create(b, loc, bytes, end));
  }

  OpBuilder &b;
  Location loc;
  const LoopRegion &from, &to;
  const CPUTargetInfo &cpuInfo;
};

} // namespace

/// Fills elements of the target that have no source with padding.
static void fillRest(OpBuilder &b, CopyOp op, const LoopRegion &from,
                     const LoopRegion &to) {
  Location loc = op.getLoc();
  Value needs = needsFill(b, loc, from, to);
  if (!needs)
    return;
  Type element = cast<MemRefType>(op.getTarget().getType()).getElementType();
  CastRules rules{op.getIsUnsigned(), op.getSaturate()};
  inIf(b, loc, needs, [&](OpBuilder &b) {
    Value safe = castElement(b, loc, getPaddingValue(b, op, op.getSource()),
                             element, rules);
    buildLoops(b, loc, to.lower, to.upper,
               [&](OpBuilder &b, Location loc, ValueRange ivs) {
                 memref::StoreOp::create(b, loc, safe, to.buffer,
                                         to.getIndices(b, loc, ivs));
               });
  });
}

void cpu::copyInside(OpBuilder &b, CopyOp op, const LoopRegion &from,
                     const LoopRegion &to, const CPUTargetInfo &cpuInfo) {
  Location loc = op.getLoc();
  Type element = cast<MemRefType>(op.getTarget().getType()).getElementType();
  CastRules rules{op.getIsUnsigned(), op.getSaturate()};
  inIf(b, loc, from.inside, [&](OpBuilder &b) {
    SmallVector<Value> lower, upper;
    for (unsigned i = 0, e = from.loopDims.size(); i < e; ++i) {
      lower.push_back(
          arith::MaxSIOp::create(b, loc, from.lower[i], to.lower[i]));
      upper.push_back(
          arith::MinSIOp::create(b, loc, from.upper[i], to.upper[i]));
    }
    if (hasLongRows(op, from, to, cpuInfo))
      return RowCopier(b, loc, from, to, cpuInfo).emit(lower, upper);
    buildLoops(b, loc, lower, upper,
               [&](OpBuilder &b, Location loc, ValueRange ivs) {
                 Value value = memref::LoadOp::create(
                     b, loc, from.buffer, from.getIndices(b, loc, ivs));
                 value = castElement(b, loc, value, element, rules);
                 memref::StoreOp::create(b, loc, value, to.buffer,
                                         to.getIndices(b, loc, ivs));
               });
  });
}

void cpu::copyRegion(OpBuilder &b, CopyOp op, const LoopRegion &from,
                     const LoopRegion &to, const CPUTargetInfo &cpuInfo) {
  fillRest(b, op, from, to);
  copyInside(b, op, from, to, cpuInfo);
}

namespace {

struct LowerCopy : OpRewritePattern<CopyOp> {
  LowerCopy(MLIRContext *context, const CPUTargetInfo &cpuInfo)
      : OpRewritePattern(context), cpuInfo(cpuInfo) {}

  LogicalResult matchAndRewrite(CopyOp op,
                                PatternRewriter &rewriter) const override {
    LoopRegion from = makeLoopRegion(rewriter, op, op.getSourceRegion());
    LoopRegion to = makeLoopRegion(rewriter, op, op.getTargetRegion());
    inIf(rewriter, op.getLoc(), to.inside, [&](OpBuilder &b) {
      copyRegion(b, op, from, to, cpuInfo);
    });
    rewriter.eraseOp(op);
    return success();
  }
  CPUTargetInfo cpuInfo;
};

struct LowerFill : OpRewritePattern<FillOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(FillOp op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<MemRefType>(op.getBuffer().getType());
    buildLoops(rewriter, op.getLoc(), type.getShape(),
               [&](OpBuilder &b, Location loc, ValueRange ivs) {
                 memref::StoreOp::create(b, loc, op.getValue(), op.getBuffer(),
                                         ivs);
               });
    rewriter.eraseOp(op);
    return success();
  }
};

struct LowerTranspose : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<MemRefType>(op.getSource().getType());
    buildLoops(rewriter, op.getLoc(), type.getShape(),
               [&](OpBuilder &b, Location loc, ValueRange ivs) {
                 Value v = memref::LoadOp::create(b, loc, op.getSource(), ivs);
                 memref::StoreOp::create(b, loc, v, op.getTarget(),
                                         ValueRange{ivs[1], ivs[0]});
               });
    rewriter.eraseOp(op);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// A view is the same address with other extents. Element types of another width cannot be expressed with memref ops on a
/// buffer that is not of bytes, so the descriptor is written out.
template <typename OpTy> struct LowerView : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    LLVMTypeConverter converter(op.getContext());
    MemRefType viewType = getPlainType(op.getView().getType());
    MemRefType stored = getStoredType(viewType);
    MemRefDescriptor from(
        getDescriptor(rewriter, loc, converter, op.getSource()));
    auto to = MemRefDescriptor::poison(rewriter, loc,
                                       converter.convertType(stored));
    to.setAllocatedPtr(rewriter, loc, from.allocatedPtr(rewriter, loc));
    to.setAlignedPtr(rewriter, loc, from.alignedPtr(rewriter, loc));
    to.setConstantOffset(rewriter, loc, 0);
    int64_t stride = 1;
    for (int64_t dim = stored.getRank() - 1; dim >= 0; --dim) {
      int64_t extent = stored.getDimSize(dim);
      to.setConstantSize(rewriter, loc, dim, extent);
      to.setConstantStride(rewriter, loc, dim, stride);
      stride *= extent;
    }
    Value view = castTo(rewriter, loc, Value(to), viewType);
    rewriter.replaceOpWithNewOp<UnrealizedConversionCastOp>(
        op, op.getView().getType(), view);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// im2col
//===----------------------------------------------------------------------===//

struct LowerIm2Col : OpRewritePattern<Im2ColOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(Im2ColOp op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<MemRefType>(op.getTarget().getType());
    Location loc = op.getLoc();
    SmallVector<Value> first;
    for (unsigned i : {0u, 1u})
      first.push_back(affine::AffineApplyOp::create(
          rewriter, loc, op.getImageMap().getSubMap({i}),
          op.getImageIndices()));
    buildLoops(rewriter, loc, type.getShape(),
               [&](OpBuilder &b, Location loc, ValueRange ivs) {
                 Value p = arith::AddIOp::create(b, loc, first[0], ivs[0]);
                 Value q = arith::AddIOp::create(b, loc, first[1], ivs[1]);
                 memref::StoreOp::create(b, loc, readWindow(b, loc, op, p, q),
                                         op.getTarget(), ivs);
               });
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void cpu::populateMemoryPatterns(RewritePatternSet &patterns,
                                 const LoweringOptions &options) {
  patterns.add<LowerCopy>(patterns.getContext(), options.cpuInfo);
  patterns.add<LowerFill, LowerTranspose, LowerView<ViewOp>,
               LowerView<ReshapeOp>, LowerIm2Col>(patterns.getContext());
}
