//===- Kernel.h - what kernels do, in numbers ------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the cost model knows of a kernel: its grid, buffers, copies, gemms and
// loops, with expressions where a number depends on parameters or sizes. Made
// once for a program (Describe.h), evaluated for many configurations
// (Estimate.h).
//
//===----------------------------------------------------------------------===//

#ifndef TILE_COSTMODEL_KERNEL_H
#define TILE_COSTMODEL_KERNEL_H

#include "Tile/CostModel/Expression.h"
#include "Tile/Target/Target.h"

#include <optional>

namespace tile::cost {

enum class Level : uint8_t { Global, Shared, Register };

struct Buffer {
  Level level;
  int64_t bits;            ///< of an element
  std::vector<Expr> shape;
  bool isAccumulator = false; ///< holds sums of matrix instructions
  bool isView = false;        ///< of another one, which takes the memory
};

/// One dimension of what a copy moves from or to global memory.
struct GlobalDim {
  Expr extent; ///< of the buffer
  Expr size;   ///< of the region
};

/// Operations of one iteration of scalar code.
struct ScalarWork {
  double arithmetic = 0, special = 0, conversions = 0;
  double sharedBytes = 0, globalBytes = 0;
};

struct Step {
  enum Kind : uint8_t { Copy, Gemm, Scalar, Reduce, Loop };

  Kind kind;
  /// Elements that are copied or reduced, iterations of scalar code, trips.
  Expr count = 0;

  int from = -1, to = -1;            ///< Copy; Reduce: from
  std::vector<GlobalDim> dims;       ///< Copy, of the global side
  uint8_t places = 0;                ///< Copy: what its region depends on
  Expr m = 0, n = 0, k = 0;          ///< Gemm
  int a = -1, b = -1, c = -1;        ///< Gemm: buffers
  std::optional<target::MmaTypes> types;
  std::optional<target::MmaFamily> family; ///< Gemm: that is asked for
  bool scalarGemm = false;           ///< Gemm: `fma` is asked for
  ScalarWork work;                   ///< Scalar, of one iteration
  Expr rows = 0;                     ///< Reduce: results
  Expr stages = 0;                   ///< Loop
  bool isPipelined = false;          ///< Loop
  std::vector<Step> body;            ///< Loop
};

struct Kernel {
  std::string function;
  int64_t index = 0; ///< of the kernels of the function
  std::vector<Expr> grid;
  Expr threads = 0;
  Expr group = 0; ///< of rasterisation; 0 where there is none
  Expr repeats = 0; ///< of loops of the host around it
  std::vector<Buffer> buffers;
  std::vector<Step> steps;
};

struct Parameter {
  std::string name;
  int64_t defaultValue;
  std::vector<int64_t> candidates;
};

struct Requirement {
  Expr condition;
  std::string message;
};

struct Program {
  ExprGraph exprs;
  std::vector<Parameter> parameters; ///< symbols of the graph, with '@'
  std::vector<Requirement> requirements;
  std::vector<Kernel> kernels;
};

} // namespace tile::cost

#endif // TILE_COSTMODEL_KERNEL_H
