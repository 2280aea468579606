//===- MmaLayouts.cpp - The fragments of matrix instructions --------------===//
//
// Part of the tile project, under the licence in the root of this repository.
//
//===----------------------------------------------------------------------===//

#include "Tile/Layout/MmaLayouts.h"

using namespace tile::layout;

static constexpr MmaLayout kMmaLayouts[] = {
    {"mma.m16n8k8.b16", 16, 8, 8, 16, 32, 32,
     "[16: 2 reg*2, 8 lane*4][8: 4 lane, 2 reg]",
     "[8: 4 lane, 2 reg][8: 8 lane*4]",
     "[16: 2 reg*2, 8 lane*4][8: 4 lane, 2 reg]",
     "PTX ISA, Matrix Fragments for mma.m16n8k8 (.f16, .bf16)"},
    {"mma.m16n8k16.b16", 16, 8, 16, 16, 32, 32,
     "[16: 2 reg*2, 8 lane*4][16: 2 reg*4, 4 lane, 2 reg]",
     "[16: 2 reg*2, 4 lane, 2 reg][8: 8 lane*4]",
     "[16: 2 reg*2, 8 lane*4][8: 4 lane, 2 reg]",
     "PTX ISA, Matrix Fragments for mma.m16n8k16 with floating point type "
     "(.f16, .bf16)"},
    {"mma.m16n8k4.tf32", 16, 8, 4, 32, 32, 32,
     "[16: 2 reg, 8 lane*4][4: 4 lane]", "[4: 4 lane][8: 8 lane*4]",
     "[16: 2 reg*2, 8 lane*4][8: 4 lane, 2 reg]",
     "PTX ISA, Matrix Fragments for mma.m16n8k4 (.tf32)"},
    {"mma.m16n8k8.tf32", 16, 8, 8, 32, 32, 32,
     "[16: 2 reg, 8 lane*4][8: 2 reg*2, 4 lane]",
     "[8: 2 reg, 4 lane][8: 8 lane*4]",
     "[16: 2 reg*2, 8 lane*4][8: 4 lane, 2 reg]",
     "PTX ISA, Matrix Fragments for mma.m16n8k8 (.tf32)"},
    {"mma.m16n8k16.b8", 16, 8, 16, 8, 32, 32,
     "[16: 2 reg*4, 8 lane*4][16: 4 lane, 4 reg]",
     "[16: 4 lane, 4 reg][8: 8 lane*4]",
     "[16: 2 reg*2, 8 lane*4][8: 4 lane, 2 reg]",
     "PTX ISA, Matrix Fragments for mma.m16n8k16 with integer type (.u8, "
     ".s8; also .e4m3, .e5m2)"},
    {"mma.m16n8k32.b8", 16, 8, 32, 8, 32, 32,
     "[16: 2 reg*4, 8 lane*4][32: 2 reg*8, 4 lane, 4 reg]",
     "[32: 2 reg*4, 4 lane, 4 reg][8: 8 lane*4]",
     "[16: 2 reg*2, 8 lane*4][8: 4 lane, 2 reg]",
     "PTX ISA, Matrix Fragments for mma.m16n8k32 (.u8, .s8, .e4m3, .e5m2)"},
    {"mma.m16n8k32.b4", 16, 8, 32, 4, 32, 32,
     "[16: 2 reg*8, 8 lane*4][32: 4 lane, 8 reg]",
     "[32: 4 lane, 8 reg][8: 8 lane*4]",
     "[16: 2 reg*2, 8 lane*4][8: 4 lane, 2 reg]",
     "PTX ISA, Matrix Fragments for mma.m16n8k32 (.u4, .s4)"},
    {"mma.m16n8k64.b4", 16, 8, 64, 4, 32, 32,
     "[16: 2 reg*8, 8 lane*4][64: 2 reg*16, 4 lane, 8 reg]",
     "[64: 2 reg*8, 4 lane, 8 reg][8: 8 lane*4]",
     "[16: 2 reg*2, 8 lane*4][8: 4 lane, 2 reg]",
     "PTX ISA, Matrix Fragments for mma.m16n8k64 (.u4, .s4)"},
    {"mma.m8n8k4.f64", 8, 8, 4, 64, 64, 32, "[8: 8 lane*4][4: 4 lane]",
     "[4: 4 lane][8: 8 lane*4]", "[8: 8 lane*4][8: 4 lane, 2 reg]",
     "PTX ISA, Matrix Fragments for mma.m8n8k4 with .f64 floating point "
     "type"},
    {"mma.m16n8k4.f64", 16, 8, 4, 64, 64, 32,
     "[16: 2 reg, 8 lane*4][4: 4 lane]", "[4: 4 lane][8: 8 lane*4]",
     "[16: 2 reg*2, 8 lane*4][8: 4 lane, 2 reg]",
     "PTX ISA, Matrix Fragments for mma.m16n8k4 with .f64 floating point "
     "type"},
    {"mma.m16n8k8.f64", 16, 8, 8, 64, 64, 32,
     "[16: 2 reg, 8 lane*4][8: 2 reg*2, 4 lane]",
     "[8: 2 reg, 4 lane][8: 8 lane*4]",
     "[16: 2 reg*2, 8 lane*4][8: 4 lane, 2 reg]",
     "PTX ISA, Matrix Fragments for mma.m16n8k8 with .f64 floating point "
     "type"},
    {"mma.m16n8k16.f64", 16, 8, 16, 64, 64, 32,
     "[16: 2 reg, 8 lane*4][16: 4 reg*2, 4 lane]",
     "[16: 4 reg, 4 lane][8: 8 lane*4]",
     "[16: 2 reg*2, 8 lane*4][8: 4 lane, 2 reg]",
     "PTX ISA, Matrix Fragments for mma.m16n8k16 with .f64 floating point "
     "type"},
    {"mfma.16x16x16.b16", 16, 16, 16, 16, 32, 64,
     "[16: 16 lane][16: 4 lane*16, 4 reg]",
     "[16: 4 lane*16, 4 reg][16: 16 lane]",
     "[16: 4 lane*16, 4 reg][16: 16 lane]",
     "AMD Instinct MI300 ISA, 7 Matrix Arithmetic Instructions; AMD matrix "
     "instruction calculator, v_mfma_f32_16x16x16_f16, _bf16"},
    {"mfma.32x32x8.b16", 32, 32, 8, 16, 32, 64,
     "[32: 32 lane][8: 2 lane*32, 4 reg]", "[8: 2 lane*32, 4 reg][32: 32 lane]",
     "[32: 4 reg*4, 2 lane*32, 4 reg][32: 32 lane]",
     "AMD Instinct MI300 ISA, 7 Matrix Arithmetic Instructions; AMD matrix "
     "instruction calculator, v_mfma_f32_32x32x8_f16, _bf16"},
    {"mfma.16x16x16.b8", 16, 16, 16, 8, 32, 64,
     "[16: 16 lane][16: 4 lane*16, 4 reg]",
     "[16: 4 lane*16, 4 reg][16: 16 lane]",
     "[16: 4 lane*16, 4 reg][16: 16 lane]",
     "AMD Instinct MI200 ISA, 7 Matrix Arithmetic Instructions; AMD matrix "
     "instruction calculator, v_mfma_i32_16x16x16i8 (gfx90a)"},
    {"mfma.32x32x8.b8", 32, 32, 8, 8, 32, 64,
     "[32: 32 lane][8: 2 lane*32, 4 reg]", "[8: 2 lane*32, 4 reg][32: 32 lane]",
     "[32: 4 reg*4, 2 lane*32, 4 reg][32: 32 lane]",
     "AMD Instinct MI200 ISA, 7 Matrix Arithmetic Instructions; AMD matrix "
     "instruction calculator, v_mfma_i32_32x32x8i8 (gfx90a)"},
    {"mfma.16x16x32.b16", 16, 16, 32, 16, 32, 64,
     "[16: 16 lane][32: 4 lane*16, 8 reg]",
     "[32: 4 lane*16, 8 reg][16: 16 lane]",
     "[16: 4 lane*16, 4 reg][16: 16 lane]",
     "AMD Instinct CDNA4 ISA, 7 Matrix Arithmetic Instructions, "
     "v_mfma_f32_16x16x32_f16, _bf16 (gfx950)"},
    {"mfma.32x32x16.b16", 32, 32, 16, 16, 32, 64,
     "[32: 32 lane][16: 2 lane*32, 8 reg]",
     "[16: 2 lane*32, 8 reg][32: 32 lane]",
     "[32: 4 reg*4, 2 lane*32, 4 reg][32: 32 lane]",
     "AMD Instinct CDNA4 ISA, 7 Matrix Arithmetic Instructions, "
     "v_mfma_f32_32x32x16_f16, _bf16 (gfx950)"},
    {"mfma.16x16x4.f32", 16, 16, 4, 32, 32, 64, "[16: 16 lane][4: 4 lane*16]",
     "[4: 4 lane*16][16: 16 lane]", "[16: 4 lane*16, 4 reg][16: 16 lane]",
     "AMD Instinct MI300 ISA, 7 Matrix Arithmetic Instructions; AMD matrix "
     "instruction calculator, v_mfma_f32_16x16x4_f32"},
    {"mfma.32x32x2.f32", 32, 32, 2, 32, 32, 64, "[32: 32 lane][2: 2 lane*32]",
     "[2: 2 lane*32][32: 32 lane]",
     "[32: 4 reg*4, 2 lane*32, 4 reg][32: 32 lane]",
     "AMD Instinct MI300 ISA, 7 Matrix Arithmetic Instructions; AMD matrix "
     "instruction calculator, v_mfma_f32_32x32x2_f32"},
    {"mfma.16x16x8.xf32", 16, 16, 8, 32, 32, 64,
     "[16: 16 lane][8: 4 lane*16, 2 reg]", "[8: 4 lane*16, 2 reg][16: 16 lane]",
     "[16: 4 lane*16, 4 reg][16: 16 lane]",
     "AMD Instinct MI300 ISA, 7 Matrix Arithmetic Instructions; AMD matrix "
     "instruction calculator, v_mfma_f32_16x16x8_xf32 (gfx942)"},
    {"mfma.32x32x4.xf32", 32, 32, 4, 32, 32, 64,
     "[32: 32 lane][4: 2 lane*32, 2 reg]", "[4: 2 lane*32, 2 reg][32: 32 lane]",
     "[32: 4 reg*4, 2 lane*32, 4 reg][32: 32 lane]",
     "AMD Instinct MI300 ISA, 7 Matrix Arithmetic Instructions; AMD matrix "
     "instruction calculator, v_mfma_f32_32x32x4_xf32 (gfx942)"},
    {"mfma.16x16x32.b8", 16, 16, 32, 8, 32, 64,
     "[16: 16 lane][32: 4 lane*16, 8 reg]",
     "[32: 4 lane*16, 8 reg][16: 16 lane]",
     "[16: 4 lane*16, 4 reg][16: 16 lane]",
     "AMD Instinct MI300 ISA, 7 Matrix Arithmetic Instructions; AMD matrix "
     "instruction calculator, v_mfma_i32_16x16x32_i8, "
     "v_mfma_f32_16x16x32_fp8_fp8 (gfx942)"},
    {"mfma.32x32x16.b8", 32, 32, 16, 8, 32, 64,
     "[32: 32 lane][16: 2 lane*32, 8 reg]",
     "[16: 2 lane*32, 8 reg][32: 32 lane]",
     "[32: 4 reg*4, 2 lane*32, 4 reg][32: 32 lane]",
     "AMD Instinct MI300 ISA, 7 Matrix Arithmetic Instructions; AMD matrix "
     "instruction calculator, v_mfma_i32_32x32x16_i8, "
     "v_mfma_f32_32x32x16_fp8_fp8 (gfx942)"},
    {"mfma.16x16x64.b8", 16, 16, 64, 8, 32, 64,
     "[16: 16 lane][64: 4 lane*16, 16 reg]",
     "[64: 4 lane*16, 16 reg][16: 16 lane]",
     "[16: 4 lane*16, 4 reg][16: 16 lane]",
     "AMD Instinct CDNA4 ISA, 7 Matrix Arithmetic Instructions, "
     "v_mfma_i32_16x16x64_i8 (gfx950)"},
    {"mfma.32x32x32.b8", 32, 32, 32, 8, 32, 64,
     "[32: 32 lane][32: 2 lane*32, 16 reg]",
     "[32: 2 lane*32, 16 reg][32: 32 lane]",
     "[32: 4 reg*4, 2 lane*32, 4 reg][32: 32 lane]",
     "AMD Instinct CDNA4 ISA, 7 Matrix Arithmetic Instructions, "
     "v_mfma_i32_32x32x32_i8 (gfx950)"},
    {"mfma.16x16x128.f8", 16, 16, 128, 8, 32, 64,
     "[16: 16 lane][128: 2 reg*16, 4 lane*16, 16 reg]",
     "[128: 2 reg*16, 4 lane*16, 16 reg][16: 16 lane]",
     "[16: 4 lane*16, 4 reg][16: 16 lane]",
     "AMD Instinct CDNA4 ISA, 7 Matrix Arithmetic Instructions, "
     "v_mfma_f32_16x16x128_f8f6f4 with 8-bit A and B (gfx950)"},
    {"mfma.32x32x64.f8", 32, 32, 64, 8, 32, 64,
     "[32: 32 lane][64: 2 reg*16, 2 lane*32, 16 reg]",
     "[64: 2 reg*16, 2 lane*32, 16 reg][32: 32 lane]",
     "[32: 4 reg*4, 2 lane*32, 4 reg][32: 32 lane]",
     "AMD Instinct CDNA4 ISA, 7 Matrix Arithmetic Instructions, "
     "v_mfma_f32_32x32x64_f8f6f4 with 8-bit A and B (gfx950)"},
    {"mfma.16x16x4.f64", 16, 16, 4, 64, 64, 64, "[16: 16 lane][4: 4 lane*16]",
     "[4: 4 lane*16][16: 16 lane]", "[16: 4 reg, 4 lane*16][16: 16 lane]",
     "AMD Instinct MI300 ISA, 7 Matrix Arithmetic Instructions; AMD matrix "
     "instruction calculator, v_mfma_f64_16x16x4_f64"},
    {"wmma.gfx11.16x16x16.b16", 16, 16, 16, 16, 32, 32,
     "[16: 16 lane][16: 16 reg] rep(2 lane*16)",
     "[16: 16 reg][16: 16 lane] rep(2 lane*16)",
     "[16: 8 reg, 2 lane*16][16: 16 lane]",
     "AMD RDNA3 ISA, 7.9 Wave Matrix Multiply Accumulate; AMD matrix "
     "instruction calculator, v_wmma_f32_16x16x16_f16, wave32"},
    {"wmma.gfx11.16x16x16.b8", 16, 16, 16, 8, 32, 32,
     "[16: 16 lane][16: 16 reg] rep(2 lane*16)",
     "[16: 16 reg][16: 16 lane] rep(2 lane*16)",
     "[16: 8 reg, 2 lane*16][16: 16 lane]",
     "AMD RDNA3 ISA, 7.9 Wave Matrix Multiply Accumulate; AMD matrix "
     "instruction calculator, v_wmma_i32_16x16x16_iu8, wave32"},
    {"wmma.gfx12.16x16x16.b16", 16, 16, 16, 16, 32, 32,
     "[16: 16 lane][16: 2 reg*4, 2 lane*16, 4 reg]",
     "[16: 2 reg*4, 2 lane*16, 4 reg][16: 16 lane]",
     "[16: 2 lane*16, 8 reg][16: 16 lane]",
     "AMD RDNA4 ISA, 7.9 Wave Matrix Multiply Accumulate; AMD matrix "
     "instruction calculator, v_wmma_f32_16x16x16_f16, wave32"},
    {"wmma.gfx12.16x16x16.b8", 16, 16, 16, 8, 32, 32,
     "[16: 16 lane][16: 2 lane*16, 8 reg]",
     "[16: 2 lane*16, 8 reg][16: 16 lane]",
     "[16: 2 lane*16, 8 reg][16: 16 lane]",
     "AMD RDNA4 ISA, 7.9 Wave Matrix Multiply Accumulate; AMD matrix "
     "instruction calculator, v_wmma_i32_16x16x16_iu8, wave32"},
};

const std::vector<MmaLayout> &tile::layout::mmaLayouts() {
  static const std::vector<MmaLayout> layouts(std::begin(kMmaLayouts),
                                              std::end(kMmaLayouts));
  return layouts;
}

const MmaLayout *tile::layout::findMmaLayout(std::string_view name) {
  for (const MmaLayout &mma : mmaLayouts()) {
    if (mma.name == name)
      return &mma;
  }
  return nullptr;
}

Result<Layout> tile::layout::parseLayoutOrOperand(std::string_view text) {
  size_t colon = text.rfind(':');
  const MmaLayout *mma = findMmaLayout(text.substr(0, colon));
  if (!mma || colon == std::string_view::npos)
    return Layout::parse(text);
  std::string_view operand = text.substr(colon + 1);
  if (operand == "a")
    return Layout::parse(mma->a);
  if (operand == "b")
    return Layout::parse(mma->b);
  if (operand == "c")
    return Layout::parse(mma->c);
  return fail("expected operand a, b or c, got '", operand, "'");
}

Result<Layout> tile::layout::wgmmaAccumulator(int64_t n) {
  if (n < 8 || n > 256 || n % 8 != 0)
    return fail("expected N a multiple of 8 from 8 to 256, got ", n);
  return Layout::get(
      {{64, {{4, Axis::Warp, 1}, {2, Axis::Reg, 2}, {8, Axis::Lane, 4}}},
       {n, {{n / 8, Axis::Reg, 4}, {4, Axis::Lane, 1}, {2, Axis::Reg, 1}}}});
}

Result<Layout> tile::layout::wgmmaInputA(int elementBits) {
  if (elementBits != 8 && elementBits != 16 && elementBits != 32)
    return fail("expected elements of 8, 16 or 32 bits, got ", elementBits);
  int64_t perWord = 32 / elementBits;
  return Layout::get(
      {{64, {{4, Axis::Warp, 1}, {2, Axis::Reg, perWord}, {8, Axis::Lane, 4}}},
       {8 * perWord,
        {{2, Axis::Reg, 2 * perWord},
         {4, Axis::Lane, 1},
         {perWord, Axis::Reg, 1}}}});
}

static constexpr int64_t kTmemLanes = 128, kTmemColumns = 512;

static Status checkColumns(int64_t n) {
  if (n < 1 || n > kTmemColumns)
    return fail("expected 1 to ", kTmemColumns, " columns, got ", n);
  return Success{};
}

Result<Layout> tile::layout::tmemAccumulator(int64_t n) {
  if (Status ok = checkColumns(n); !ok)
    return ok.failure();
  return Layout::get({{kTmemLanes, {{kTmemLanes, Axis::Offset, 65536}}},
                      {n, {{n, Axis::Offset, 1}}}});
}

Result<Layout> tile::layout::tmemLoad32x32b(int64_t n) {
  if (Status ok = checkColumns(n); !ok)
    return ok.failure();
  return Layout::get({{kTmemLanes, {{4, Axis::Warp, 1}, {32, Axis::Lane, 1}}},
                      {n, {{n, Axis::Reg, 1}}}});
}
