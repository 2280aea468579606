//===- TopK.cpp - the largest elements of rows ----------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "Tile/Conversion/Common.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::cpu;

namespace {

/// Inserts the elements of one row, one after the other, into the list that the
/// targets are. An element goes behind those that equal it, so that the order
/// is stable.
class RowInserter {
public:
  RowInserter(OpBuilder &b, TopKOp op, ValueRange row)
      : b(b), op(op), loc(op.getLoc()), row(row) {}

  void emit() {
    if (op.getCombine())
      // Those before element i are sorted already.
      forEach(op.getCount(), [&](Value i) {
        insert(load(op.getValues(), i), load(op.getIndices(), i), i);
      });
    Value base = op.getBase() ? op.getBase() : index(0);
    forEach(op.getRowLength(), [&](Value j) {
      Value position = arith::IndexCastOp::create(
          b, loc, b.getI32Type(), arith::AddIOp::create(b, loc, base, j));
      Value listed = index(op.getCount());
      if (!op.getCombine())
        listed = arith::MinSIOp::create(b, loc, listed, j);
      insert(load(op.getSource(), j), position, listed);
    });
  }

private:
  Value index(int64_t value) { return constantIndex(b, loc, value); }

  SmallVector<Value> at(Value position) {
    SmallVector<Value> indices(row);
    indices.push_back(position);
    return indices;
  }
  Value load(Value buffer, Value position) {
    return memref::LoadOp::create(b, loc, buffer, at(position));
  }
  void store(Value value, Value buffer, Value position) {
    memref::StoreOp::create(b, loc, value, buffer, at(position));
  }

  void forEach(int64_t count, function_ref<void(Value)> body) {
    scf::ForOp::create(b, loc, index(0), index(count), index(1), ValueRange(),
                       [&](OpBuilder &inner, Location, Value i, ValueRange) {
                         continueAt(b, inner, [&] {
                           body(i);
                           scf::YieldOp::create(b, loc);
                         });
                       });
  }

  /// As a number that compares: f32, and -inf for NaN.
  Value getKey(Value value) {
    Value key = castElement(b, loc, value, b.getF32Type());
    Value isNaN =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, key, key);
    Value lowest = arith::ConstantOp::create(
        b, loc,
        b.getFloatAttr(b.getF32Type(),
                       -std::numeric_limits<double>::infinity()));
    return arith::SelectOp::create(b, loc, isNaN, lowest, key);
  }

  /// Of the `listed` elements of the list, those below `value` make way.
  void insert(Value value, Value position, Value listed) {
    Value key = getKey(value);
    Value last = index(op.getCount() - 1);
    Value end = arith::MinSIOp::create(b, loc, listed, last);
    Value isShort =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, listed, last);
    // Of a list that is not full the last element is not looked at.
    auto isTaken = scf::IfOp::create(
        b, loc, isShort,
        [&](OpBuilder &inner, Location) {
          Value yes = arith::ConstantIntOp::create(inner, loc, 1, 1);
          scf::YieldOp::create(inner, loc, yes);
        },
        [&](OpBuilder &inner, Location) {
          continueAt(b, inner,
                     [&] { scf::YieldOp::create(b, loc, isBelow(last, key)); });
        });
    scf::IfOp::create(b, loc, isTaken.getResult(0),
                      [&](OpBuilder &inner, Location) {
                        continueAt(b, inner, [&] {
                          shift(key, position, end);
                          scf::YieldOp::create(b, loc);
                        });
                      });
  }

  Value isBelow(Value at, Value key) {
    Value other = castElement(b, loc, load(op.getValues(), at), b.getF32Type());
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, other, key);
  }

  void shift(Value key, Value position, Value end) {
    Value one = index(1);
    auto loop = scf::WhileOp::create(
        b, loc, TypeRange{b.getIndexType()}, ValueRange{end},
        [&](OpBuilder &inner, Location, ValueRange args) {
          continueAt(b, inner, [&] {
            Value hasLeft = arith::CmpIOp::create(
                b, loc, arith::CmpIPredicate::sgt, args[0], index(0));
            auto goes = scf::IfOp::create(
                b, loc, hasLeft,
                [&](OpBuilder &inner, Location) {
                  continueAt(b, inner, [&] {
                    Value left = arith::SubIOp::create(b, loc, args[0], one);
                    scf::YieldOp::create(b, loc, isBelow(left, key));
                  });
                },
                [&](OpBuilder &inner, Location) {
                  Value no = arith::ConstantIntOp::create(inner, loc, 0, 1);
                  scf::YieldOp::create(inner, loc, no);
                });
            scf::ConditionOp::create(b, loc, goes.getResult(0), args);
          });
        },
        [&](OpBuilder &inner, Location, ValueRange args) {
          continueAt(b, inner, [&] {
            Value left = arith::SubIOp::create(b, loc, args[0], one);
            store(load(op.getValues(), left), op.getValues(), args[0]);
            store(load(op.getIndices(), left), op.getIndices(), args[0]);
            scf::YieldOp::create(b, loc, left);
          });
        });
    Type element = cast<MemRefType>(op.getValues().getType()).getElementType();
    store(castElement(b, loc, key, element), op.getValues(), loop.getResult(0));
    store(position, op.getIndices(), loop.getResult(0));
  }

  OpBuilder &b;
  TopKOp op;
  Location loc;
  ValueRange row;
};

struct LowerTopK : OpRewritePattern<TopKOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TopKOp op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<MemRefType>(op.getSource().getType());
    buildLoops(rewriter, op.getLoc(), type.getShape().drop_back(),
               [&](OpBuilder &inner, Location, ValueRange row) {
                 continueAt(rewriter, inner,
                            [&] { RowInserter(rewriter, op, row).emit(); });
               });
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void cpu::populateTopKPatterns(RewritePatternSet &patterns,
                               const LoweringOptions &) {
  patterns.add<LowerTopK>(patterns.getContext());
}
