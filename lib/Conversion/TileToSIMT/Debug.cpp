//===- Debug.cpp - printing and assertions by threads ---------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Models.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::simt;
using ::tile::layout::Axis;

/// Text as a format that prints it.
static std::string escape(StringRef text) {
  std::string result;
  for (char c : text)
    result += c == '%' ? "%%" : std::string(1, c);
  return result;
}

/// A line as the runtime prints it on the CPU: `message[0, 1] = value`.
static void printLine(KernelLowering &l, PrintOp op, ValueRange indices,
                      Value value) {
  OpBuilder &b = l.builder();
  Location loc = op.getLoc();
  std::string format = escape(op.getMessage());
  SmallVector<Value> arguments;
  for (Value index : indices) {
    format += arguments.empty() ? "[%d" : ", %d";
    arguments.push_back(l.toI32(loc, index));
  }
  format += indices.empty() ? " = " : "] = ";
  bool isFloat = isa<FloatType>(value.getType());
  format += isFloat ? "%.9g\n" : "%lld\n";
  if (value.getType().isIndex())
    value = arith::IndexCastOp::create(b, loc, b.getI64Type(), value);
  arguments.push_back(castElement(
      b, loc, value, isFloat ? Type(b.getF64Type()) : b.getI64Type()));
  gpu::PrintfOp::create(b, loc, b.getStringAttr(format), arguments);
}

namespace {
struct PrintModel
    : SIMTLoweringOpInterface::ExternalModel<PrintModel, PrintOp> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    auto print = cast<PrintOp>(op);
    Location loc = op->getLoc();
    if (!l.getSIMT().canPrint())
      return op->emitOpError()
             << "cannot be lowered to threads of " << l.getTarget().name
             << ", which print nothing; run the kernel on the CPU";
    const auto &scope = l.getState<ParallelScope>();
    auto once = [&](function_ref<void()> body) {
      if (scope.isInLoop)
        l.inIf(loc, scope.writeGuard, body);
      else
        l.inFirstThread(loc, body);
    };
    Value value = print.getValue();
    if (!isa<MemRefType>(value.getType())) {
      once([&] { printLine(l, print, {}, value); });
      return success();
    }
    const Buffer *buffer = l.getBuffer(op, value);
    if (!buffer)
      return failure();
    if (buffer->space == MemorySpace::Fragment)
      return printFragment(print, *buffer, scope.isInLoop, l);
    bool isMemory = buffer->space != MemorySpace::Local;
    // Who prints sees what others wrote, and is done before they go on.
    if (isMemory && !scope.isInLoop)
      l.barrier(loc);
    once([&] { printElements(print, *buffer, l); });
    if (isMemory && !scope.isInLoop)
      l.barrier(loc);
    return success();
  }

private:
  /// Each thread its own elements.
  static LogicalResult printFragment(PrintOp op, const Buffer &buffer,
                                     bool isInLoop, KernelLowering &l) {
    if (isInLoop)
      return op.emitOpError("expected a number in 'tile.parallel', got a "
                            "fragment, of which each thread has a part");
    OpBuilder &b = l.builder();
    Location loc = op.getLoc();
    ThreadMap map(buffer.layout, l.threads());
    map.materialize(b, loc);
    for (int64_t reg = 0; reg < map.numRegisters(); ++reg) {
      auto part = map.getRegisterPart(reg);
      if (!part)
        continue;
      l.inIf(loc, map.getExistence(b, loc, *part), [&] {
        l.inIf(loc, map.getFirstCopy(), [&] {
          printLine(l, op, map.getCoordinates(b, loc, *part),
                    l.loadRegister(loc, buffer, reg));
        });
      });
    }
    return success();
  }

  /// All elements, one after the other.
  static void printElements(PrintOp op, const Buffer &buffer,
                            KernelLowering &l) {
    OpBuilder &b = l.builder();
    Location loc = op.getLoc();
    OpBuilder::InsertionGuard guard(b);
    SmallVector<Value> indices;
    Value zero = constantIndex(b, loc, 0), one = constantIndex(b, loc, 1);
    Value number = zero;
    for (int64_t extent : buffer.shape) {
      Value end = constantIndex(b, loc, extent);
      auto loop = scf::ForOp::create(b, loc, zero, end, one);
      b.setInsertionPointToStart(loop.getBody());
      indices.push_back(loop.getInductionVar());
      number = b.createOrFold<arith::MulIOp>(loc, number, end);
      number = b.createOrFold<arith::AddIOp>(loc, number, indices.back());
    }
    if (buffer.space != MemorySpace::Local)
      return printLine(l, op, indices,
                       l.load(loc, buffer, l.getOffset(loc, buffer, indices)));
    number =
        b.createOrFold<arith::IndexCastOp>(loc, b.getI64Type(), number);
    Type storage = getStorageType(buffer.element);
    Value address =
        LLVM::GEPOp::create(b, loc, buffer.base.getType(), storage, buffer.base,
                            ArrayRef<LLVM::GEPArg>{number});
    Value element = LLVM::LoadOp::create(b, loc, storage, address);
    printLine(l, op, indices, fromStorage(b, loc, element, buffer.element));
  }
};

struct DeviceAssertModel
    : SIMTLoweringOpInterface::ExternalModel<DeviceAssertModel,
                                             DeviceAssertOp> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    auto assertion = cast<DeviceAssertOp>(op);
    OpBuilder &b = l.builder();
    Location loc = op->getLoc();
    Value fails = arith::XOrIOp::create(
        b, loc, assertion.getCondition(),
        arith::ConstantIntOp::create(b, loc, 1, 1));
    const auto &scope = l.getState<ParallelScope>();
    l.inIf(loc, scope.isInLoop ? scope.writeGuard : Value(), [&] {
      l.inIf(loc, fails, [&] {
        l.getSIMT().abort(l, loc, assertion.getMessage());
      });
    });
    return success();
  }
};
} // namespace

void simt::attachDebugModels(MLIRContext *context) {
  PrintOp::attachInterface<PrintModel>(*context);
  DeviceAssertOp::attachInterface<DeviceAssertModel>(*context);
}
