//===- MmaLayouts.h - The fragments of matrix instructions ------*- C++ -*-===//
//
// Part of the tile project, under the licence in the root of this repository.
//
//===----------------------------------------------------------------------===//
//
// Which lane holds which element of the operands of a matrix instruction, as
// data. A is M x K, B is K x N, C (and D) M x N; `reg` counts elements, not
// 32-bit registers, so that two halves of one register are reg 0 and reg 1.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LAYOUT_MMALAYOUTS_H
#define TILE_LAYOUT_MMALAYOUTS_H

#include "Tile/Layout/Layout.h"

namespace tile::layout {

struct MmaLayout {
  /// "mma.m16n8k16.b16": the instruction and the width of A and B, where the
  /// layout does not depend on more of the type.
  std::string_view name;
  int64_t m, n, k;
  /// Bits of an element of A and B, and of C.
  int inputBits, accumulatorBits;
  /// Lanes of the warp or wave.
  int lanes;
  /// Layouts in text form.
  std::string_view a, b, c;
  /// Manual and section.
  std::string_view source;
};

/// All instructions whose three operands are registers of one warp.
const std::vector<MmaLayout> &mmaLayouts();
/// Null when there is none of that name.
const MmaLayout *findMmaLayout(std::string_view name);
/// A layout in text form, or the name of an instruction and its operand, such
/// as "mma.m16n8k16.b16:a".
Result<Layout> parseLayoutOrOperand(std::string_view text);

/// The accumulator of wgmma.m64nNkK, N a multiple of 8 up to 256: four warps.
/// PTX ISA, "Register Fragments for wgmma.mma_async.m64nNk*", matrix D.
Result<Layout> wgmmaAccumulator(int64_t n);
/// The A operand of wgmma in registers: 64 rows of 32 bytes. Same sections,
/// matrix A.
Result<Layout> wgmmaInputA(int elementBits);

/// Where tcgen05.mma with M = 128 (one CTA) leaves its accumulator of 32-bit
/// elements: row i in lane i of tensor memory, column j in column j. The offset
/// is the address: lane * 65536 + column. PTX ISA, "Data Path Layout
/// Organization", layout D, and "Tensor Memory Addressing".
Result<Layout> tmemAccumulator(int64_t n);
/// What tcgen05.ld.32x32b.xN by four warps brings into registers: each warp
/// reads its 32 lanes, each thread one lane. PTX ISA, "Matrix fragments for
/// shape .32x32b".
Result<Layout> tmemLoad32x32b(int64_t n);

} // namespace tile::layout

#endif // TILE_LAYOUT_MMALAYOUTS_H
