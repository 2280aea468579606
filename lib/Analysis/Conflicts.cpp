//===- Conflicts.cpp - two accesses of one element ------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Analysis/Conflicts.h"

using namespace mlir;
using namespace mlir::tile;

AccessSystem tile::makeConflict(Region *scope, const PlacedAccess &a,
                                const PlacedAccess &b,
                                SmallVectorImpl<AffineExpr> &element) {
  AccessSystem system(a.op->getContext(), scope);
  ElementAddress addresses[2];
  for (unsigned instance : {0u, 1u}) {
    const PlacedAccess &placed = instance == 0 ? a : b;
    const BufferRegion &region = placed.access.region;
    system.addDomain(placed.op, instance);
    SmallVector<AffineExpr> coordinates = system.addElement(region, instance);
    // Writes outside of a global buffer are dropped; those outside of a tile are errors of their own.
    system.addInBounds(region.buffer, coordinates);
    // Some part of a dimension that only the run time knows.
    if (ShapedType::isDynamicShape(region.sizes))
      system.setInexact();
    addresses[instance] =
        system.getAddress(region.buffer, coordinates, instance);
    if (instance == 0)
      element.assign(coordinates);
  }
  if (!addresses[0].coordinates.empty())
    element.assign(addresses[0].coordinates);
  system.addSameElement(addresses[0], addresses[1]);
  return system;
}
