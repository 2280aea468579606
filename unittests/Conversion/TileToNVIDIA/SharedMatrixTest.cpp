//===- SharedMatrixTest.cpp - tiles in the form of engines ----------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedMatrix.h"

#include "TestLayouts.h"

using namespace tile::layout;
using namespace tile::layout::test;
using mlir::tile::nvidia::matchSharedMatrix;
using mlir::tile::nvidia::SharedMatrix;

namespace {

/// What engines do: units of 16 bytes are XORed with the row of 128 bytes.
int64_t swizzleBytes(int64_t address, int64_t span) {
  int64_t units = span / 16;
  return span == 0 ? address : address ^ ((address / 128 % units) * 16);
}

/// The form must say of each element what the layout says.
SharedMatrix expectForm(const char *text, int64_t bytes) {
  Layout layout = parsed(text);
  Result<SharedMatrix> matrix = matchSharedMatrix(layout, bytes);
  EXPECT_TRUE(matrix) << text << ": " << matrix.reason();
  if (!matrix)
    return {};
  EXPECT_EQ(matrix->rows * matrix->columns, layout.numElements());
  forEachCoord(layout.shape(), [&](const Coord &coord) {
    int64_t row = coord.size() > 1 ? coord[coord.size() - 2] : 0;
    int64_t offset = matrix->getByteOffset(row, coord.back());
    EXPECT_EQ(swizzleBytes(offset, matrix->swizzleBytes),
              layout.at(coord)[Axis::Offset] * bytes)
        << text << " at " << coordStr(coord);
    return !testing::Test::HasFailure();
  });
  return *matrix;
}

void expectRefused(const char *text, int64_t bytes, const char *why) {
  Result<SharedMatrix> matrix = matchSharedMatrix(parsed(text), bytes);
  ASSERT_FALSE(matrix) << text;
  EXPECT_NE(matrix.reason().find(why), std::string::npos) << matrix.reason();
}

TEST(SharedMatrix, BlocksOfSwizzledRows) {
  SharedMatrix m = expectForm("[128: 128 offset*64][128: 2 offset*8192, "
                              "64 offset] swizzle(3, 3, 3)",
                              2);
  EXPECT_EQ(m.rows, 128);
  EXPECT_EQ(m.columns, 128);
  EXPECT_EQ(m.blockColumns, 64);
  EXPECT_EQ(m.blockStride, 8192);
  EXPECT_EQ(m.swizzleBytes, 128);
  EXPECT_EQ(m.numBlocks(), 2);
}

TEST(SharedMatrix, AllSpansAndWidths) {
  EXPECT_EQ(expectForm("[64: 64 offset*32][32: 32 offset] swizzle(2, 3, 3)", 2)
                .swizzleBytes,
            64);
  EXPECT_EQ(expectForm("[64: 64 offset*16][16: 16 offset] swizzle(1, 3, 3)", 2)
                .swizzleBytes,
            32);
  EXPECT_EQ(expectForm("[64: 64 offset*128][128: 128 offset] swizzle(3, 4, 3)",
                       1)
                .swizzleBytes,
            128);
  EXPECT_EQ(expectForm("[32: 32 offset*32][96: 3 offset*1024, 32 offset] "
                       "swizzle(3, 2, 3)",
                       4)
                .numBlocks(),
            3);
}

TEST(SharedMatrix, PlainTilesVectorsAndUnitDimensions) {
  EXPECT_EQ(expectForm("[48: 48 offset*40][40: 40 offset]", 4).swizzleBytes, 0);
  EXPECT_EQ(expectForm("[100: 100 offset]", 4).rows, 1);
  EXPECT_EQ(expectForm("[1][1][8: 8 offset*64][64: 64 offset] swizzle(3, 3, 3)",
                       2)
                .rows,
            8);
}

TEST(SharedMatrix, OtherFormsAreRefused) {
  expectRefused("[]", 4, "of one dimension or more");
  expectRefused("[2: 2 offset*64][8: 8 offset*8][8: 8 offset]", 4,
                "of two dimensions");
  expectRefused("[8: 8 offset][8: 8 offset*8]", 4, "with consecutive columns");
  expectRefused("[8: 8 offset*12][8: 8 offset]", 4,
                "with rows one after the other");
  expectRefused("[8: 2 offset*64, 4 offset*8][8: 8 offset]", 4,
                "with rows one after the other");
  expectRefused("[64: 64 offset*64][64: 64 offset] swizzle(3, 2, 3)", 2,
                "with a swizzle of 16-byte units");
  expectRefused("[64: 64 offset*64][64: 64 offset] swizzle(2, 3, 3)", 2,
                "as wide as the span of the swizzle");
  expectRefused("[64: 64 offset*64][100: 2 offset*4096, 64 offset]", 2,
                "all of one width");
  expectRefused("[64: 64 offset*32][32: 32 offset] swizzle(3, 3, 3)", 0,
                "of elements of whole bytes");
}

} // namespace
