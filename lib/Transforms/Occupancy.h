//===- Occupancy.h - how many blocks share a processor ----------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TRANSFORMS_OCCUPANCY_H
#define TILE_TRANSFORMS_OCCUPANCY_H

#include "Tile/Dialect/Tile/IR/Indexed.h"
#include "Tile/Dialect/Tile/IR/Tile.h"
#include "Tile/Target/Target.h"

namespace mlir::tile {

// Addresses, loop variables and temporary values beside the fragments.
inline constexpr int64_t kOtherRegisters = 64;

// Registers of a thread beside its fragments that rows of an operand or gemms
// in flight have to leave, at the least, as measured.
inline constexpr int64_t kLeastBeside = 28;

// Buffers of shared memory below this size share their bytes with no other: a
// barrier costs more than they are worth.
inline constexpr int64_t kTooSmallToShare = 1024;

// So many blocks of a processor hide each other's waits and ends.
inline constexpr int64_t kManyBlocks = 2;

/// Registers of a thread that all fragments take together.
int64_t countFragmentRegisters(KernelOp kernel);

/// Whether threads add the elements up as they compute them: a loop writes the
/// tile, and it is reduced.
bool isOnlyReduced(Value tile);

/// Whether the program says the sizes of all buffers, so that no register holds
/// them.
bool hasKnownSizes(GatherOp gather);

/// The fewest registers of a producer's thread. If it gathers, addresses of the
/// rows that it has under way take some, and sizes known at the launch more.
int64_t getLeastProducerRegisters(const ::tile::target::GPUSpec &gpu,
                                  Region &producer);

/// Registers of each of so many threads, in whole warpgroups, beside a producer
/// that keeps as few as it can.
int64_t getConsumerBudget(const ::tile::target::GPUSpec &gpu, int64_t threads,
                          Region &producer);

/// The same for the threads of a kernel, or what a launch gives each.
int64_t getConsumerRegisters(KernelOp kernel,
                             const ::tile::target::Target &target);

/// An estimate, before stages and offsets are planned, of how many blocks of
/// the kernel are on a processor at a time, or the number that is given.
int64_t estimateResidentBlocks(KernelOp kernel,
                               const ::tile::target::Target &target);

/// Bounds the registers of a thread by as many blocks as shared memory and
/// threads allow, where nothing but fragments needs many: kernels without
/// products, scans, selections, and loops of an element. A number that is given
/// stays.
void boundRegisters(KernelOp kernel, const ::tile::target::Target &target,
                    int64_t sharedBytes);

/// Whether two stages of what pipelined loops fill fit into a block only if the
/// tiles behind these loops lie where the stages were, which a producer that
/// goes on to the next tile of the grid does not allow.
bool needsPlaceOfStages(KernelOp kernel, const ::tile::target::Target &target);

/// The shared memory that a block needs with one stage of each pipeline, and
/// without one of its tiles.
int64_t getLeastSharedBytes(KernelOp kernel,
                            const ::tile::target::Target &target,
                            AllocOp without = {});

} // namespace mlir::tile

#endif // TILE_TRANSFORMS_OCCUPANCY_H
