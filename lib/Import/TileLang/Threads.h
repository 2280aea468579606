//===- Threads.h - statements by the number of a thread ---------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_IMPORT_TILELANG_THREADS_H
#define TILE_LIB_IMPORT_TILELANG_THREADS_H

#include "Importer.h"

namespace mlir::tile::tilelang {

/// The kinds of TIR's For.
constexpr int64_t kParallelLoop = 1, kVectorLoop = 2, kUnrolledLoop = 3,
                  kThreadBinding = 4;

/// Warps are those of NVIDIA's chips, for which TileLang's programs count.
constexpr int64_t kWarpSize = 32;

ThreadUse analyzeThreads(Node body);

/// Whether a variable or buffer of the set is below.
bool mentions(Node root, const llvm::DenseSet<unsigned> &ids);

/// Whether two expressions are written alike.
bool isSame(Node a, Node b);

/// Whether all threads of a block reach something below together.
bool isCollective(Node statement, const ThreadUse &use);

/// A statement of single threads. In loops and branches that all threads take
/// together, what waits for the shared memory of others is none.
bool isThreadCode(Node statement, const ThreadUse &use);

/// Splits a list into runs of code of threads, which end where one of their
/// statements needs what others have written to shared memory, and the rest.
void splitRuns(ArrayRef<Node> statements, const ThreadUse &use,
               function_ref<void(ArrayRef<Node>)> visitRun,
               function_ref<void(Node)> visitOther);

/// The value of integer arithmetic, if it is known of the variables.
std::optional<int64_t>
evaluateInteger(Node expression,
                function_ref<std::optional<int64_t>(Node)> getVar);

/// For how many threads of the block a condition holds, if it depends on
/// nothing else.
/// Variables in `lets` stand for expressions.
std::optional<int64_t>
countThreads(Node condition, const ThreadUse &use,
             const llvm::DenseMap<unsigned, Node> &lets =
                 llvm::DenseMap<unsigned, Node>());

/// Whether the threads of each warp agree on a condition.
bool isUniformInWarps(Node condition, const ThreadUse &use,
                      const llvm::DenseMap<unsigned, Node> &lets);

/// The same of groups of `size` along a dimension, from 0 on; a number of
/// iterations is a condition, too.
bool isUniformInGroups(Node condition, const ThreadUse &use,
                       const llvm::DenseMap<unsigned, Node> &lets, unsigned dim,
                       int64_t size);

/// A definition that differs between threads and that every use may repeat.
bool isThreadLet(Node bind, const ThreadUse &use);

/// The list of statements in the body of a kernel that has barriers over the
/// grid, if any.
Node findGridList(Node body);

/// The statements of such a list between two of these barriers, with the
/// definitions in front of them.
SmallVector<Node> getGridPart(ArrayRef<Node> list, unsigned part);

/// Whether something in a tile is used on both sides of such a barrier.
bool keepsTiles(ArrayRef<Node> list);

/// The statements of a sequence, and of those in it.
void flatten(Node statement, SmallVector<Node> &list);

} // namespace mlir::tile::tilelang

#endif // TILE_LIB_IMPORT_TILELANG_THREADS_H
