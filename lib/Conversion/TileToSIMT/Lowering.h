//===- Lowering.h - what the parts of the GPU lowering share ----*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel is rewritten in place, op by op, from code for a block of threads to
// code for one thread. Buffers stop being memrefs: global and shared ones are
// pointers of their address space, fragments and local ones are arrays of
// registers (an alloca whose indices are all constant; LLVM's SROA makes them
// values, which was measured to give the same code as SSA fragments).
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETOSIMT_LOWERING_H
#define TILE_LIB_CONVERSION_TILETOSIMT_LOWERING_H

#include "ThreadMap.h"

#include "Tile/Conversion/Cast.h"
#include "Tile/Dialect/Tile/IR/Tile.h"
#include "Tile/Dialect/Tile/IR/TileAttrs.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/SaveAndRestore.h"

namespace mlir::tile::simt {

/// Where the elements of a buffer are, for one thread.
struct Buffer {
  MemorySpace space = MemorySpace::Global;
  Type element;
  SmallVector<int64_t> shape;
  Value base; // !llvm.ptr of the address space of `space`
  /// Global buffers: extents and strides, in elements, as index values.
  SmallVector<OpFoldResult> sizes, strides;
  /// Shared buffers and fragments.
  ::tile::layout::Layout layout;
  /// Global buffers: what lies outside reads as this; null: 0.
  Value safeValue;

  bool isRegister() const {
    return space == MemorySpace::Fragment || space == MemorySpace::Local;
  }
};

/// A ring's barriers and the cursor of the role that is being lowered.
struct Ring {
  Value full, empty; // !llvm.ptr<3> of `stages` mbarriers each
  int64_t stages = 1;
  Value slot, phase; // allocas of i32
};

class LaunchBuilder;

class KernelLowering {
public:
  KernelLowering(KernelOp kernel, gpu::GPUFuncOp function,
                 const ::tile::target::Target &target, Value arena,
                 int64_t arenaBytes, LaunchBuilder &launch);

  OpBuilder &builder() { return b; }
  const ::tile::target::Target &getTarget() const { return target; }
  const ::tile::target::GPUSpec &getGPU() const { return *target.getGPU(); }
  gpu::GPUFuncOp getFunction() { return function; }
  LaunchBuilder &getLaunch() { return launch; }
  /// The threads that run the code at the builder.
  ThreadGroup &threads() { return group; }

  /// Lowers the ops of a block, in order, nested ones included.
  LogicalResult lower(Block &block);
  LogicalResult lower(Operation *op);
  /// Erases what was lowered and still had users then.
  void eraseDeferred();

  //===--------------------------------------------------------------------===//
  // Buffers
  //===--------------------------------------------------------------------===//

  void setBuffer(Value memref, Buffer buffer);
  void setSafeValue(Value memref, Value value);
  /// Null, with an error at `op`, if nothing is known of the memref.
  const Buffer *getBuffer(Operation *op, Value memref);
  /// Registers of a type, at the top of the function.
  Value createRegisters(Location loc, Type element, int64_t count);
  Value loadRegister(Location loc, const Buffer &buffer, int64_t reg);
  void storeRegister(Location loc, Value value, const Buffer &buffer,
                     int64_t reg);
  /// Memory of the thread for `count` elements, for the time of one op: what
  /// loops over registers, which have no numbers at run time.
  Buffer getStaging(Location loc, Type element, int64_t count);
  /// The address of an element of staging.
  Value getStaged(Location loc, const Buffer &staging, Value index);
  /// Several of them as a vector; one access where they are neighbours.
  Value loadRegisters(Location loc, const Buffer &buffer,
                      ArrayRef<int64_t> registers);
  void storeRegisters(Location loc, Value vector, const Buffer &buffer,
                      ArrayRef<int64_t> registers);

  /// Of a buffer in memory: how many elements lie before one, an index for
  /// global and an i32 for shared buffers. Coordinates are i32 or index.
  Value getOffset(Location loc, const Buffer &buffer, ValueRange coordinates);
  /// The address at an offset; of elements of 4 bits, that of their byte.
  Value getAddress(Location loc, const Buffer &buffer, Value offset);
  /// Loads and stores elements, from 2 on as a vector, whose offset is a
  /// multiple of `count`. A single element of 4 bits cannot be stored.
  Value load(Location loc, const Buffer &buffer, Value offset,
             int64_t count = 1);
  void store(Location loc, Value value, const Buffer &buffer, Value offset,
             int64_t count = 1);

  /// The address of planned shared memory.
  Value getArena(Location loc, int64_t offset);
  /// Room of its own in shared memory, where nothing was planned.
  int64_t extendArena(int64_t bytes, int64_t alignment);
  /// Shared memory for the time of one op: the same bytes serve the next op, so
  /// that the user begins with a barrier. An address and its bytes.
  Value getScratch(Location loc, int64_t bytes);
  int64_t getSharedBytes() const { return arenaBytes + scratchBytes; }

  //===--------------------------------------------------------------------===//
  // Values
  //===--------------------------------------------------------------------===//

  Value i32(Location loc, int64_t value);
  Value toI32(Location loc, Value value);
  Value toIndex(Location loc, Value value);
  /// A loop that runs `body` for each of `count` registers, a few at a time.
  void forEachRegister(Location loc, int64_t count,
                       function_ref<void(Value)> body);
  /// Runs `body` under a condition; a null condition is true.
  void inIf(Location loc, Value condition, function_ref<void()> body);
  /// Orders what threads wrote to shared memory before what asynchronous
  /// engines read.
  void fenceAsync(Location loc);
  /// Threads of the group meet; what they wrote to shared memory is seen.
  void barrier(Location loc);
  /// Tensor copies out of shared memory, all but the last `pending`, have read.
  void waitForStores(Location loc, int64_t pending);
  bool hasTensorStores = false;

  /// While the body of a tile.parallel is lowered for one register: what the
  /// coordinates would be in thread 0, and who may write to memory.
  DenseMap<Value, int64_t> registerParts;
  Value writeGuard;
  /// The value of an expression over coordinates in thread 0.
  std::optional<int64_t> evaluate(Value value) const;

  DenseMap<Value, Ring> rings;
  /// Memrefs of the host function and their numbers.
  DenseMap<Value, unsigned> arguments;
  SmallVector<Value> grid, blockIds; // index
  /// The grid is as large as the chip and a tile.persistent walks the tiles.
  bool isPersistentGrid = false;
  /// Dimensions of global regions that were proven to be in bounds, source and
  /// target of each copy.
  DenseMap<Operation *, std::pair<SmallVector<bool>, SmallVector<bool>>> inside;
  /// Threads beyond those that the kernel asks for.
  int64_t extraThreads = 0;

private:
  KernelOp kernel;
  gpu::GPUFuncOp function;
  const ::tile::target::Target &target;
  OpBuilder b;
  ThreadGroup group;
  DenseMap<Value, Buffer> buffers;
  SmallVector<Operation *> deferred;
  Value arena;
  LLVM::AllocaOp staging;
  LaunchBuilder &launch;
  int64_t arenaBytes, scratchBytes = 0;
};

/// The region with its offsets written out: zeros where it is a whole buffer.
BufferRegion withOffsets(BufferRegion region);

/// An affine map as arithmetic on index values.
SmallVector<Value> expandMap(OpBuilder &b, Location loc, AffineMap map,
                             ValueRange operands);

/// How an element type lies in registers and memory of LLVM: floats that it
/// does not know are integers.
Type getStorageType(Type element);
/// The value of an element type, from storage and back.
Value fromStorage(OpBuilder &b, Location loc, Value value, Type element);
Value toStorage(OpBuilder &b, Location loc, Value value);

/// A partition of a tile among threads in which neighbours hold neighbouring
/// runs of `run` elements.
::tile::layout::Layout getCoalescedLayout(ArrayRef<int64_t> shape, int64_t run,
                                          const ThreadGroup &threads);

void attachControlModels(MLIRContext *context);
void attachMemoryModels(MLIRContext *context);
void attachCopyModels(MLIRContext *context);
void attachReduceModels(MLIRContext *context);
void attachTopKModels(MLIRContext *context);
void attachGemmModels(MLIRContext *context);
void attachAsyncModels(MLIRContext *context);
void attachAtomicModels(MLIRContext *context);

} // namespace mlir::tile::simt

#include "Tile/Conversion/TileToSIMT/SIMTLoweringInterface.h.inc"

#endif // TILE_LIB_CONVERSION_TILETOSIMT_LOWERING_H
