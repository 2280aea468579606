// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the compiler says about a kernel: its arguments and what must hold of
// them, and how it is launched. docs/LaunchMetadata.md describes the text.

#ifndef TILERUNTIME_METADATA_H
#define TILERUNTIME_METADATA_H

#include "TileRuntime/DType.h"
#include "TileRuntime/Error.h"
#include "TileRuntime/Tensor.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  TILE_RT_MAX_METADATA_BYTES = 1 << 20,
  TILE_RT_MAX_ARGUMENTS = 512,
  TILE_RT_MAX_SYMBOLS = 1024,
  TILE_RT_MAX_PARAMETERS = 4096,
  TILE_RT_MAX_TENSOR_MAPS = 32,
  TILE_RT_MAX_VERSIONS = 4, ///< in addition to the general form
  TILE_RT_MAX_CONDITIONS = 256,
  TILE_RT_MAP_RANK = 5,     ///< the largest of a tensor map
  TILE_RT_EXPR_DEPTH = 16,  ///< operands on the stack of an expression
  TILE_RT_EXPR_LENGTH = 1024, ///< operands and operators
};

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

typedef enum TileRtOp {
  TILE_RT_OP_CONSTANT,
  TILE_RT_OP_SYMBOL,
  TILE_RT_OP_ADD,
  TILE_RT_OP_SUB,
  TILE_RT_OP_MUL,
  TILE_RT_OP_CEILDIV,
  TILE_RT_OP_FLOORDIV,
  TILE_RT_OP_MOD, ///< of the sign of the divisor, as floordiv rounds down
  TILE_RT_OP_MIN,
  TILE_RT_OP_MAX
} TileRtOp;

typedef struct TileRtExprItem {
  TileRtOp op;
  int64_t value; ///< the constant, or the index of the symbol
} TileRtExprItem;

/// A postfix expression of symbols. Without items it stands for "any value".
typedef struct TileRtExpr {
  int32_t count;
  const TileRtExprItem *items;
  const char *text; ///< as written
} TileRtExpr;

/// Whether the expression is one constant.
bool tile_rt_expr_is_constant(const TileRtExpr *expr);

/// Evaluates an expression that has items. Fails when a number leaves 64 bits
/// and when a divisor is less than 1; the error starts with `what`.
bool tile_rt_expr_evaluate(const TileRtExpr *expr, const int64_t *symbols,
                           const char *what, int64_t *value,
                           TileRtError *error);

//===----------------------------------------------------------------------===//
// Arguments and symbols
//===----------------------------------------------------------------------===//

typedef enum TileRtAccess {
  TILE_RT_ACCESS_NONE = 0,
  TILE_RT_ACCESS_READ = 1,
  TILE_RT_ACCESS_WRITE = 2,
  TILE_RT_ACCESS_READ_WRITE = 3
} TileRtAccess;

typedef struct TileRtArgumentInfo {
  const char *name; ///< never null, may be empty
  bool scalar;
  TileRtDType dtype;
  // Of a tensor:
  int32_t rank;
  const TileRtExpr *shape;   ///< rank of them
  const TileRtExpr *strides; ///< in elements; null: dense and row-major
  int64_t align;             ///< of the first element, in bytes
  TileRtAccess access;
  // Of a scalar:
  bool bindsSymbol; ///< whether a symbol has its value
} TileRtArgumentInfo;

typedef enum TileRtSymbolKind {
  TILE_RT_SYMBOL_SIZE,           ///< of dimension `dim` of argument `argument`
  TILE_RT_SYMBOL_STRIDE,         ///< likewise, in elements
  TILE_RT_SYMBOL_SCALAR,         ///< the value of an integer argument
  TILE_RT_SYMBOL_VALUE,          ///< an expression of earlier symbols
  TILE_RT_SYMBOL_MULTIPROCESSORS ///< of the device
} TileRtSymbolKind;

typedef struct TileRtSymbolInfo {
  const char *name;
  TileRtSymbolKind kind;
  int32_t argument;
  int32_t dim;
  TileRtExpr value;
  int64_t multiple; ///< what the value must be a multiple of; 1 for anything
  int64_t min, max;
} TileRtSymbolInfo;

//===----------------------------------------------------------------------===//
// Parameters and tensor maps
//===----------------------------------------------------------------------===//

typedef enum TileRtParameterKind {
  TILE_RT_PARAMETER_POINTER, ///< to an argument, plus a byte offset
  TILE_RT_PARAMETER_SIZE,    ///< of a dimension of an argument
  TILE_RT_PARAMETER_STRIDE,  ///< likewise, in elements
  TILE_RT_PARAMETER_VALUE,   ///< of an expression
  TILE_RT_PARAMETER_SCALAR,  ///< an argument as it is
  TILE_RT_PARAMETER_TENSOR_MAP,
  TILE_RT_PARAMETER_WORKSPACE ///< its address, plus a byte offset
} TileRtParameterKind;

typedef struct TileRtParameterInfo {
  TileRtParameterKind kind;
  int32_t argument; ///< or the tensor map
  int32_t dim;
  TileRtExpr value;  ///< or the byte offset
  TileRtDType dtype; ///< of numbers: i32 or i64, of a scalar its own
} TileRtParameterInfo;

typedef enum TileRtMapType {
  TILE_RT_MAP_U8,
  TILE_RT_MAP_U16,
  TILE_RT_MAP_U32,
  TILE_RT_MAP_I32,
  TILE_RT_MAP_U64,
  TILE_RT_MAP_I64,
  TILE_RT_MAP_F16,
  TILE_RT_MAP_F32,
  TILE_RT_MAP_F64,
  TILE_RT_MAP_BF16,
  TILE_RT_MAP_F32_FTZ,
  TILE_RT_MAP_TF32,
  TILE_RT_MAP_TF32_FTZ,
  TILE_RT_MAP_U4_ALIGN8,
  TILE_RT_MAP_U4_ALIGN16,
  TILE_RT_MAP_U6_ALIGN16,
  TILE_RT_MAP_TYPE_COUNT
} TileRtMapType;

typedef enum TileRtSwizzle {
  TILE_RT_SWIZZLE_NONE,
  TILE_RT_SWIZZLE_32B,
  TILE_RT_SWIZZLE_64B,
  TILE_RT_SWIZZLE_128B,
  TILE_RT_SWIZZLE_128B_ATOM_32B,
  TILE_RT_SWIZZLE_128B_ATOM_32B_FLIP_8B,
  TILE_RT_SWIZZLE_128B_ATOM_64B,
  TILE_RT_SWIZZLE_COUNT
} TileRtSwizzle;

typedef enum TileRtInterleave {
  TILE_RT_INTERLEAVE_NONE,
  TILE_RT_INTERLEAVE_16B,
  TILE_RT_INTERLEAVE_32B
} TileRtInterleave;

/// A tensor map; dimension 0 is the fastest.
typedef struct TileRtMapInfo {
  int32_t argument; ///< -1: the tensor lies in the workspace
  bool im2col;
  TileRtMapType type;
  int32_t rank;
  TileRtExpr offset;                    ///< in bytes
  TileRtExpr sizes[TILE_RT_MAP_RANK];   ///< in elements
  TileRtExpr strides[TILE_RT_MAP_RANK]; ///< in bytes, of dimensions 1 ...
  uint32_t box[TILE_RT_MAP_RANK];       ///< tiled
  int32_t lower[TILE_RT_MAP_RANK];      ///< im2col, rank - 2 of them
  int32_t upper[TILE_RT_MAP_RANK];      ///< likewise
  uint32_t channels, pixels;            ///< im2col
  uint32_t elementStrides[TILE_RT_MAP_RANK];
  TileRtSwizzle swizzle;
  TileRtInterleave interleave;
  int32_t l2Promotion; ///< 0, 64, 128 or 256 bytes
  bool fillNaN;        ///< what lies outside reads as NaN, not as zero
} TileRtMapInfo;

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// The cores of an NPU that a kernel runs on.
typedef enum TileRtCore {
  TILE_RT_CORE_MIX,
  TILE_RT_CORE_VECTOR,
  TILE_RT_CORE_CUBE
} TileRtCore;

typedef enum TileRtConditionKind {
  TILE_RT_CONDITION_SIZE,   ///< of dimension `dim` of argument `argument`
  TILE_RT_CONDITION_STRIDE, ///< likewise, in elements
  TILE_RT_CONDITION_ADDRESS ///< of the first element, in bytes
} TileRtConditionKind;

/// What a version needs of a number of an argument.
typedef struct TileRtConditionInfo {
  TileRtConditionKind kind;
  int32_t argument;
  int32_t dim;
  int64_t min;
  int64_t multiple;
} TileRtConditionInfo;

/// Arguments that a device may copy in place of a kernel of several ranks: the
/// source goes to the place of the rank in the target of each other one, whose
/// flag for this rank is set to 1 behind it.
typedef struct TileRtCopiesInfo {
  bool any; ///< else the rest means nothing
  int32_t source, target, flags;
} TileRtCopiesInfo;

typedef struct TileRtMetadata {
  const char *kernel; ///< the symbol of the image
  const char *target; ///< the name of the kind of device: "cuda" ...
  const char *chip;   ///< "sm_90a" ...; may be empty
  TileRtCore core;
  int32_t argumentCount, symbolCount, parameterCount, mapCount;
  const TileRtArgumentInfo *arguments;
  const TileRtSymbolInfo *symbols;
  const TileRtParameterInfo *parameters;
  const TileRtMapInfo *maps;
  TileRtExpr grid[3];
  uint32_t block[3];
  uint32_t cluster[3];  ///< 1, 1, 1 without clusters
  TileRtExpr shared;    ///< dynamic shared memory in bytes
  int32_t maxRegisters; ///< a hint for images that are compiled on loading; 0
  TileRtExpr workspace; ///< bytes of scratch memory; no items when none
  bool workspaceZeroed;
  bool cooperative; ///< all blocks run at once
  bool pdl;         ///< may start before the previous kernel of the stream ends
  TileRtCopiesInfo copies;
  /// Other forms of the kernel. The first whose conditions hold is launched in
  /// its place. They have the same arguments, and no versions.
  const struct TileRtMetadata *versions;
  int32_t versionCount;
  const TileRtConditionInfo *conditions; ///< of a version
  int32_t conditionCount;
  void *memory;     ///< what tile_rt_metadata_free frees
} TileRtMetadata;

/// Parses a text of `size` bytes; free the result. The error names line and
/// column. Null on failure.
TileRtMetadata *tile_rt_metadata_parse(const char *text, size_t size,
                                       TileRtError *error);

void tile_rt_metadata_free(TileRtMetadata *metadata);

#ifdef __cplusplus
}
#endif

#endif // TILERUNTIME_METADATA_H
