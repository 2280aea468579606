//===- Distribute.h - Tiles over threads and banks --------------*- C++ -*-===//
//
// Part of the tile project, under the licence in the root of this repository.
//
//===----------------------------------------------------------------------===//
//
// The layouts that a compiler gives to the tiles of a kernel: spread over the
// threads of a block where nothing else is asked for, as copies of the fragment
// of a matrix instruction, and in shared memory such that its rows can be read
// by matrix and tensor instructions without bank conflicts.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LAYOUT_DISTRIBUTE_H
#define TILE_LAYOUT_DISTRIBUTE_H

#include "Tile/Layout/Layout.h"

namespace tile::layout {

/// The threads that share a tile.
struct Threads {
  int64_t lanes; // of a warp, a power of two
  int64_t warps;

  int64_t count() const { return lanes * warps; }
};

//===----------------------------------------------------------------------===//
// Spreading
//===----------------------------------------------------------------------===//

/// How many parts each dimension is dealt in.
struct Spread {
  int64_t vector = 1;         // neighbours of the last dimension in a thread
  std::vector<int64_t> lanes; // powers of two with a product up to the lanes
  std::vector<int64_t> warps; // with a product that divides the warps
};

/// Dimension by dimension: `vector` registers, then lanes, then warps, and as
/// many registers as are needed beyond. Any extent is legal; the leading digit
/// is cut short where the numbers do not divide. Lanes and warps that are left
/// hold copies if `replicate` is set, and nothing otherwise.
///
///     spread({16, 256}, {4, {1, 32}, {4, 1}}, {32, 4}, true)
///       =  [16: 4 reg*8, 4 warp][256: 2 reg*4, 32 lane, 4 reg]
Result<Layout> spread(const std::vector<int64_t> &shape, const Spread &parts,
                      Threads threads, bool replicate);

/// How threads divide a tile that they move from memory to memory: neighbours
/// have neighbouring runs of `run` elements of the last dimension, which `run`
/// divides. Numbers that do not divide an extent leave threads idle.
///
///     partition({1, 8192}, 8, {32, 4})  =  [1][8192: 8 reg*8, 4 warp, 32 lane, 8 reg]
Layout partition(const std::vector<int64_t> &shape, int64_t run,
                 Threads threads);

/// The widest power of two up to `limit` that divides the last extent and
/// leaves work for every thread.
int64_t vectorWidth(const std::vector<int64_t> &shape, Threads threads,
                    int64_t limit);

/// Neighbouring lanes at neighbouring vectors of the last dimension, warps
/// along the outermost dimensions; along `within`, if it is one, only when
/// there is nothing else, so that a reduction over it stays inside of warps.
Spread coalesced(const std::vector<int64_t> &shape, int64_t vector,
                 Threads threads, int within = -1);

/// How threads take a tile in memory into registers to scan it along `dim`, if
/// it is not too large for that.
std::optional<Layout> spreadForScan(const std::vector<int64_t> &shape, int dim,
                                    Threads threads);

/// What a scan along `dim` passes between warps: in a table, each warp has
/// `columns` totals of each block of elements that its threads hold, 1 if its
/// lanes scan together, else one a lane. No cells if no warp needs another.
struct ScanTotals {
  int64_t columns = 1, cells = 0;
};
ScanTotals scanTotals(const Layout &layout, int dim, Threads threads);

/// For a product of matrices by multiply-adds: every lane a small rectangle,
/// the lanes of a warp 4 x 8.
Spread outerProduct(const std::vector<int64_t> &shape, int64_t vector,
                    Threads threads, int64_t warpsM, int64_t warpsN);

/// Spreads dimension `dim`, of which `layout` holds copies (a digit of stride
/// 0), over the lanes and warps that hold them: the inverse of reduceDim.
/// `vector` neighbours stay in a thread.
Result<Layout> unreduceDim(const Layout &layout, int dim, int64_t extent,
                           int64_t vector);

//===----------------------------------------------------------------------===//
// Matrix instructions
//===----------------------------------------------------------------------===//

enum class MatrixOperand { A, B, C };

/// The warps that share a product: warp m + warpsM * n has the n-th part of the
/// columns and the m-th part of the rows of C.
struct WarpGrid {
  int64_t warpsM, warpsN;
};

/// The operand A (M x K), B (K x N) or C (M x N) of `shape` as copies of the
/// fragment of one instruction. Each warp has neighbouring fragments; A is
/// replicated along N, B along M, and everything over the warps beyond the
/// grid. A fragment of several warps takes them along M.
///
///     fragment [16: 2 reg*2, 8 lane*4][8: 4 lane, 2 reg], C of 64 x 32, 2 x 2
///       =  [64: 2 warp, 2 reg*8, 2 reg*2, 8 lane*4]
///          [32: 2 warp*2, 2 reg*4, 4 lane, 2 reg]
Result<Layout> tileFragment(const Layout &fragment, MatrixOperand operand,
                            const std::vector<int64_t> &shape, WarpGrid grid,
                            int64_t warps);

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// The form that ldmatrix, wgmma and TMA agree on: the last dimension is cut
/// into columns of 128 bytes (64 or 32 where that does not divide it), one
/// column after the other; the rows of a column follow each other, and their
/// units of 16 bytes are permuted by the swizzle of that width. Row-major where
/// the rows are no multiple of 32 bytes or the elements smaller than a byte.
///
///     swizzledTile({64, 256}, 16)
///       =  [64: 64 offset*64][256: 4 offset*4096, 64 offset] swizzle(3, 3, 3)
///
/// The permutation changes after each row of banks: with memories that serve
/// more than 128 bytes at once it repeats later.
Result<Layout> swizzledTile(const std::vector<int64_t> &shape,
                            int64_t elementBits, int64_t bankRowBytes = 128);

/// A matrix that is written by rows and read by columns, both in vectors of
/// `vectorBytes`: the vectors of a row are permuted by the number of the group
/// of rows that makes a vector of a column. Row-major where an extent is no
/// power of two or too small.
///
///     transposableTile({64, 64}, 16, 16)
///       =  [64: 64 offset*64][64: 64 offset] swizzle(3, 3, 6)
Result<Layout> transposableTile(const std::vector<int64_t> &shape,
                                int64_t elementBits, int64_t vectorBytes);

/// The bytes of the columns of swizzledTile, or 0 where it is row-major.
int64_t swizzleSpan(int64_t lastExtent, int64_t elementBits);

/// `count` tiles, one after the other, in front of which stands a dimension.
Result<Layout> stack(const Layout &tile, int64_t count);

} // namespace tile::layout

#endif // TILE_LAYOUT_DISTRIBUTE_H
