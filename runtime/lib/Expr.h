// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading of postfix expressions.

#ifndef TILERUNTIME_LIB_EXPR_H
#define TILERUNTIME_LIB_EXPR_H

#include "TileRuntime/Metadata.h"

/// Writes the items of a postfix text, at most TILE_RT_EXPR_LENGTH, that may
/// use the first `symbolCount` symbols. Errors have no prefix.
bool tile_rt_expr_parse(const char *text, const TileRtSymbolInfo *symbols,
                        int32_t symbolCount, TileRtExprItem *items,
                        int32_t *count, TileRtError *error);

/// Whether `name` may name a symbol.
bool tile_rt_expr_is_name(const char *name);

#endif // TILERUNTIME_LIB_EXPR_H
