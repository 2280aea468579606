// Strings of inline assembly.
#include "Harness.h"

using namespace simt;

namespace {

TEST(Assembly, UnknownInstruction) {
  Program p([](void *const *) {});
  p.assembly("frobnicate.sync.b32 $0, $1;", {scalar(32)}, {scalar(32)});
  EXPECT_EQ(p.load(), "k.mlir:0:1: the SIMT model does not know the "
                      "instruction frobnicate.sync.b32");
}

TEST(Assembly, UnknownIntrinsic) {
  Program p([](void *const *) {});
  p.call("llvm.nvvm.frobnicate", {}, {});
  EXPECT_EQ(p.load(), "k.mlir:0:1: the SIMT model does not know the "
                      "instruction llvm.nvvm.frobnicate");
}

TEST(Assembly, BadText) {
  for (const char *text :
       {"mov.b32 $7, $1;", "mov.b32 $0, {$1;", "mov.b32 $0 $1;",
        "mov.b32 $0, nothing;", "bra NOWHERE;", "mov.b32 $0, [$1 + x];"}) {
    Program p([](void *const *) {});
    p.assembly(text, {scalar(32)}, {scalar(32)});
    EXPECT_REPORT(p.load(), "cannot read inline assembly") << text;
  }
}

uint32_t result;

uint32_t runOne(const char *text, uint32_t x, int16_t tied = -1) {
  static uint32_t given;
  given = x;
  Program p([](void *const *) { result = execute(0, given, 5); });
  TileSimtValue first = scalar(32);
  first.tied = tied;
  p.assembly(text, {scalar(32)}, {first, scalar(32)});
  EXPECT_EQ(p.run(1), "") << text;
  return result;
}

TEST(Assembly, Operands) {
  EXPECT_EQ(runOne("mov.b32 $0, $1;", 42), 42u);
  EXPECT_EQ(runOne("mov.b32 ${0:r}, ${2:r};", 42), 5u);
  EXPECT_EQ(runOne("mov.u32 $0, 0x1F;", 0), 31u);
  EXPECT_EQ(runOne("mov.s32 $0, -1;", 0), UINT32_MAX);
  EXPECT_EQ(runOne("mov.f32 $0, 0f3F800000;", 0), 0x3F800000u);
  EXPECT_EQ(runOne("mov.u32 $0, %laneid;", 9), 0u);
}

TEST(Assembly, RegistersAndScopes) {
  EXPECT_EQ(runOne("{ .reg .b32 a, b<3>; mov.b32 a, $1; mov.b32 b2, a; "
                   "mov.b32 $0, b2; }",
                   17),
            17u);
}

TEST(Assembly, TiedOperandsBeginAsTheResult) {
  EXPECT_EQ(runOne("", 23, /*tied=*/0), 23u);
}

TEST(Assembly, PredicatesAndBranches) {
  const char *text = "{\n .reg .pred p;\n mov.pred p, $1;\n @p bra YES;\n"
                     " mov.b32 $0, 1;\n bra END;\n YES: mov.b32 $0, 2;\n"
                     " END:\n }";
  EXPECT_EQ(runOne(text, 1), 2u);
  EXPECT_EQ(runOne(text, 0), 1u);
  const char *negated = "{ .reg .pred p; mov.pred p, $1; mov.b32 $0, 3; "
                        "@!p mov.b32 $0, 4; }";
  EXPECT_EQ(runOne(negated, 1), 3u);
  EXPECT_EQ(runOne(negated, 0), 4u);
}

} // namespace
