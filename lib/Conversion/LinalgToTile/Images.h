//===- Images.h - convolutions of images ------------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_LINALGTOTILE_IMAGES_H
#define TILE_LIB_CONVERSION_LINALGTOTILE_IMAGES_H

#include "Kernels.h"

namespace mlir::tile {

/// A dimension of an image between its number and its channels, which is read
/// at `output * stride + window * dilation - low`.
struct ImageAxis {
  unsigned output = 0;            ///< the loop over the result
  std::optional<unsigned> window; ///< the one that is summed over
  int64_t stride = 1, dilation = 1, low = 0;
  int64_t extent = 0, count = 0; ///< of the image, and of the result
};

/// The left operand of a convolution: images, some axes, and channels
/// innermost. What lies outside of them is 0.
struct Image {
  Value tensor;
  unsigned number = 0, channel = 0; ///< loops
  int64_t channels = 0;
  SmallVector<ImageAxis, 2> axes;

  /// The loops that are summed over, in the order of the dimensions.
  SmallVector<unsigned> getWindows() const;
  /// Whether pixels and features of the result are enough for tiles of a
  /// product.
  bool fillsTiles(const Contraction &c) const;
};
std::optional<Image> matchImage(const Contraction &c);

/// Writes a tensor that has, for each pixel of the result along the last axis,
/// the row of the window that it reads, and one with the filter in this order;
/// returns the convolution of these in place of the given one. Nothing where
/// channels are so many that they are read as vectors.
std::optional<Contraction> gatherWindowRows(const Contraction &c);

} // namespace mlir::tile

#endif // TILE_LIB_CONVERSION_LINALGTOTILE_IMAGES_H
