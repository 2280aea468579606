//===- Access.h - How registers meet memory ---------------------*- C++ -*-===//
//
// Part of the tile project, under the licence in the root of this repository.
//
//===----------------------------------------------------------------------===//
//
// A copy between registers and memory is a pair of layouts of one tile: where
// the threads hold it and at which offsets it lies. What the hardware makes of
// the pair is decided here: how wide the vectors may be, which banks collide,
// whether a matrix instruction or a tensor copy (TMA) fits.
//
// Numbers of a particular chip come in as parameters.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LAYOUT_ACCESS_H
#define TILE_LAYOUT_ACCESS_H

#include "Tile/Layout/Layout.h"

namespace tile::layout {

//===----------------------------------------------------------------------===//
// Who accesses what
//===----------------------------------------------------------------------===//

/// For every register of every thread the memory offset of its element, or -1.
struct AccessTable {
  int64_t warps = 0; // warps, blocks and devices counted together
  int64_t lanes = 0;
  int64_t regs = 0;
  std::vector<int64_t> offsets;

  int64_t at(int64_t warp, int64_t lane, int64_t reg) const {
    return offsets[(warp * lanes + lane) * regs + reg];
  }
};

/// Fails when a register holds two elements, or a layout is of the wrong kind.
Result<AccessTable> accessTable(const Layout &registers, const Layout &memory);

/// The widest power of two v up to `limit` such that registers v*i .. v*i + v-1
/// of every thread hold elements at v consecutive offsets, the first of which
/// is a multiple of v. 1 when nothing better holds.
Result<int64_t> maxVectorWidth(const Layout &registers, const Layout &memory,
                               int64_t limit);

/// Elements narrower than a word of which neighbouring lanes share words: each
/// lane reads words side by side and takes its own elements out of them.
struct SharedWords {
  /// The registers, were each of these lanes to have all of `width` elements.
  Layout layout;
  int64_t width = 0, run = 0, lanes = 0, laneStride = 0;
  /// The elements of a word.
  int64_t getWord() const { return run * lanes; }
};

/// Where registers are read so, in vectors of up to `most` elements and two
/// words at least.
std::optional<SharedWords> findSharedWords(const Layout &registers,
                                           int64_t word, int64_t most);

//===----------------------------------------------------------------------===//
// Banks
//===----------------------------------------------------------------------===//

/// A banked memory: word w lies in bank w % banks; one phase of an access
/// serves phaseBytes, that is phaseBytes / (bytes per lane) neighbouring lanes,
/// and takes one wavefront for each distinct word of its busiest bank.
struct BankModel {
  int64_t banks;
  int64_t bankBytes;
  int64_t phaseBytes;
};

struct BankReport {
  int64_t phases = 0;     // wavefronts if nothing collided
  int64_t wavefronts = 0; // wavefronts taken
  int64_t worst = 0;      // wavefronts of the worst phase

  int64_t conflicts() const { return wavefronts - phases; }
};

/// One access of one warp: a byte address for each lane, or -1 if it is idle,
/// and the bytes that each accesses.
Result<BankReport> countBankConflicts(const std::vector<int64_t> &addresses,
                                      int64_t bytes, const BankModel &model);

/// All accesses of a copy made with vectors of `width` registers, which must be
/// possible (see maxVectorWidth) and have whole bytes.
Result<BankReport> countBankConflicts(const Layout &registers,
                                      const Layout &memory, int64_t elementBits,
                                      int64_t width, const BankModel &model);

/// For each element (row-major index) whether some lane's access to it shares a
/// bank with another word in the same phase.
Result<std::vector<bool>>
conflictingElements(const Layout &registers, const Layout &memory,
                    int64_t elementBits, int64_t width, const BankModel &model);

//===----------------------------------------------------------------------===//
// Matrix loads and stores (ldmatrix, stmatrix)
//===----------------------------------------------------------------------===//

/// An ldmatrix or stmatrix moves 8 x 8 matrices of 16-bit elements. Row r of a
/// matrix is 16 contiguous, aligned bytes at any address; lane 4r + w holds its
/// 32-bit word w. With .trans (16-bit elements only) lane 4c + w holds rows 2w
/// and 2w + 1 of column c. Elements of 8 or 32 bits travel as parts or pairs of
/// the 16-bit ones.
struct MatrixAccess {
  int count;  // matrices an instruction: 4, 2 or 1
  bool trans; // the .trans form
  /// Coordinates (warp, matrix, row) to the offset of the row; one matrix for
  /// each 32-bit register of a thread, in the order of the registers.
  Layout rows;
};

/// How to move a tile with matrix instructions of at most `maxCount` matrices.
/// ldmatrix and stmatrix read the pair of layouts the same way; for a store the
/// memory layout must also be injective.
Result<MatrixAccess> matchMatrixAccess(const Layout &registers,
                                       const Layout &memory,
                                       int64_t elementBits, int maxCount = 4);

//===----------------------------------------------------------------------===//
// Tensor copies (TMA)
//===----------------------------------------------------------------------===//

enum class TmaSwizzle { None, B32, B64, B128 };

/// The bytes of a row that a mode permutes; 0 for None.
int64_t swizzleBytes(TmaSwizzle mode);
/// What a mode does to element offsets. Fails on elements wider than 16 bytes
/// or not of a power of two bits.
Result<Swizzle> swizzleOf(TmaSwizzle mode, int64_t elementBits);
/// The mode that is this swizzle, if any.
Result<TmaSwizzle> tmaSwizzleOf(const Swizzle &swizzle, int64_t elementBits);

/// Limits of a tensor copy; the defaults are those of the CUDA driver's
/// cuTensorMapEncodeTiled.
struct TmaLimits {
  int64_t maxRank = 5;
  int64_t maxBoxExtent = 256;
  int64_t innerBytesMultiple = 16;
  int64_t plainAlignment = 128;
};

/// A tile in shared memory as boxes that the copy engine fills densely, last
/// dimension fastest.
struct TmaBox {
  std::vector<int64_t> box;
  TmaSwizzle swizzle;
  int64_t alignment; // of the tile in shared memory, in bytes
  /// Coordinates of a box (shape / box) to the offset where it starts.
  Layout boxes;
};

Result<TmaBox> matchTmaBox(const Layout &memory, int64_t elementBits,
                           const TmaLimits &limits = {});

} // namespace tile::layout

#endif // TILE_LAYOUT_ACCESS_H
