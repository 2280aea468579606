//===- VectorIndices.h - the parts of buffers that a loop accesses -*- C++
//-*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETOASCEND_VECTORINDICES_H
#define TILE_LIB_CONVERSION_TILETOASCEND_VECTORINDICES_H

#include "Vectorizer.h"

namespace mlir::tile::ascend {

/// Where in a matrix an access is, as linear functions of the iteration
/// variables.
struct TilePlace {
  std::optional<Linear> row, column;
};

/// Whether there is one iteration.
bool isSingle(Vectorizer &v);
/// Which of the last two iteration variables values depend on.
VectorShape getDependence(Vectorizer &v, ValueRange values);
/// The amount that one step of the rows or columns of the loop adds to an
/// index.
int64_t getStep(Vectorizer &v, const std::optional<Linear> &index, bool ofRow);
/// Row and column in the matrix of a tile, where they are linear.
std::optional<TilePlace> getPlace(Vectorizer &v, Value buffer,
                                  ValueRange indices);
/// The part of a tile that the iterations access, and its shape, if it is rows
/// and columns side by side.
FailureOr<std::optional<VectorOperand>> getTilePart(Vectorizer &v, Value buffer,
                                                    ValueRange indices);
/// The region of GM that the iterations access, and its shape, if each
/// dimension is one variable, in the order of the loops.
std::optional<std::pair<GlobalRegion, VectorShape>>
getGlobalPart(Vectorizer &v, Value buffer, ValueRange indices);

} // namespace mlir::tile::ascend

#endif // TILE_LIB_CONVERSION_TILETOASCEND_VECTORINDICES_H
