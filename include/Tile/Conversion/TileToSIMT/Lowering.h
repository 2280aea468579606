//===- Lowering.h - state of the SIMT lowering ------------------*- C++ -*-===//
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

#ifndef TILE_CONVERSION_TILETOSIMT_LOWERING_H
#define TILE_CONVERSION_TILETOSIMT_LOWERING_H

#include "Tile/Conversion/Cast.h"
#include "Tile/Conversion/TileToSIMT/SIMTTarget.h"
#include "Tile/Conversion/TileToSIMT/ThreadMap.h"
#include "Tile/Dialect/Tile/IR/Buffers.h"
#include "Tile/Dialect/Tile/IR/Tile.h"
#include "Tile/Dialect/Tile/IR/TileAttrs.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

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
  Value paddingValue;
  /// Arguments of the host function: their number; and of them and their views,
  /// the argument whose memory it is.
  std::optional<unsigned> argument, owner;
  /// Likewise: the bytes of which their address is a multiple.
  int64_t alignment = 1;
  /// Global buffers: whether some block of the kernel may write to it.
  bool mayBeWritten = true;

  bool isRegister() const {
    return space == MemorySpace::Fragment || space == MemorySpace::Local;
  }
};

/// The blocks of the launch.
struct Grid {
  SmallVector<Value> extents, ids; // index
  /// As many blocks as run at a time; a tile.persistent walks the tiles.
  bool isPersistent = false;
};

class LaunchBuilder;

/// What atomic updates are made of.
inline constexpr int64_t kAtomicBytes = 4;

class KernelLowering {
public:
  KernelLowering(KernelOp kernel, gpu::GPUFuncOp function,
                 const ::tile::target::Target &target, const SIMTTarget &simt,
                 Value arena, int64_t arenaBytes, LaunchBuilder &launch);

  OpBuilder &builder() { return b; }
  const ::tile::target::Target &getTarget() const { return target; }
  const ::tile::target::GPUSpec &getGPU() const { return *target.getGPU(); }
  /// The instructions of the vendor.
  const SIMTTarget &getSIMT() const { return simt; }
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
  void setPaddingValue(Value memref, Value value);
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
  /// multiple of `count`. A single element of 4 bits leaves the other half of
  /// its byte to whoever writes that at the same time: two atomic updates of the
  /// word around it.
  Value load(Location loc, const Buffer &buffer, Value offset,
             int64_t count = 1);
  void store(Location loc, Value value, const Buffer &buffer, Value offset,
             int64_t count = 1);

  /// The address of planned shared memory.
  Value getArena(Location loc, int64_t offset);
  /// Room of its own in shared memory, where nothing was planned.
  int64_t extendArena(Location loc, int64_t bytes, int64_t alignment);
  /// Shared memory for the time of one op: the same bytes serve the next op, so
  /// that the user begins with a barrier. An address and its bytes.
  Value getScratch(Location loc, int64_t bytes);
  /// In whole words: halves of bytes are updated in words.
  int64_t getSharedBytes() const {
    return llvm::alignTo(arenaBytes + scratchBytes, kAtomicBytes);
  }
  /// Where single elements of 4 bits are stored, loads of single ones become
  /// atomic: the other half of their byte changes meanwhile.
  void orderHalfLoads();
  /// The arguments of which single elements of 4 bits are stored.
  const llvm::SmallSetVector<unsigned, 2> &getHalfStores() const {
    return halfStores;
  }

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
  /// Threads of the group synchronise; what they wrote to shared memory is
  /// seen by all of them.
  void barrier(Location loc);
  /// Runs code in the first thread of the group alone.
  void inFirstThread(Location loc, function_ref<void()> body);

  //===--------------------------------------------------------------------===//
  // The kernel
  //===--------------------------------------------------------------------===//

  /// What the models of some ops, or the hooks of a vendor, keep for the time
  /// of one kernel: an object for each type, made when first asked for.
  template <typename T>
  T &getState() {
    std::shared_ptr<void> &state = states[TypeID::get<T>()];
    if (!state)
      state = std::make_shared<T>();
    return *static_cast<T *>(state.get());
  }

  const Grid &getGrid() const { return grid; }
  void setGrid(Grid given) { grid = std::move(given); }
  /// Launches threads beyond those that the kernel asks for.
  void addThreads(int64_t count) { extraThreads += count; }
  int64_t getNumThreads() const { return group.size() + extraThreads; }

private:
  void storeHalf(Location loc, Value value, const Buffer &buffer,
                 Value offset);

  KernelOp kernel;
  gpu::GPUFuncOp function;
  const ::tile::target::Target &target;
  const SIMTTarget &simt;
  OpBuilder b;
  ThreadGroup group;
  DenseMap<Value, Buffer> buffers;
  SmallVector<Operation *> deferred;
  Value arena;
  LLVM::AllocaOp staging;
  llvm::SmallSetVector<unsigned, 2> halfStores;
  /// Single elements of 4 bits in one memory space.
  struct Halves {
    bool areStored = false;
    SmallVector<LLVM::LoadOp> loads;
  };
  llvm::SmallDenseMap<unsigned, Halves> halves;
  LaunchBuilder &launch;
  int64_t arenaBytes, scratchBytes = 0, extraThreads = 0;
  Grid grid;
  DenseMap<TypeID, std::shared_ptr<void>> states;
};

/// The region with its offsets written out: zeros where it is a whole buffer.
BufferRegion withOffsets(BufferRegion region);

/// An affine map as arithmetic on index values.
SmallVector<Value> expandMap(OpBuilder &b, Location loc, AffineMap map,
                             ValueRange operands);

/// An asm statement that must not be moved or duplicated, with results.
SmallVector<Value> emitAsm(OpBuilder &b, Location loc, const Twine &text,
                           TypeRange results, StringRef constraints,
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

} // namespace mlir::tile::simt

#include "Tile/Conversion/TileToSIMT/SIMTLoweringInterface.h.inc"

#endif // TILE_CONVERSION_TILETOSIMT_LOWERING_H
