// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TileRuntime/Metadata.h"
#include "gtest/gtest.h"

#include <cstring>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace {

const char matmul[] = R"({
  "version": 1, "kernel": "matmul", "target": "cuda", "chip": "sm_90a",
  "x_producer": {"name": "a test", "list": [1, -2, true, false, null]},
  "arguments": [
    {"name": "A", "kind": "memref", "dtype": "bf16", "shape": ["M", "K"],
     "strides": ["lda", 1], "align": 16, "access": "read"},
    {"name": "B", "kind": "memref", "dtype": "bf16", "shape": ["K 2 *", null],
     "align": 16, "access": "read"},
    {"name": "alpha", "kind": "scalar", "dtype": "f32"}
  ],
  "symbols": [
    {"name": "M", "argument": 0, "dim": 0, "min": 1},
    {"name": "K", "argument": 0, "dim": 1, "multiple": 64, "max": 65536},
    {"name": "lda", "argument": 0, "stride": 0, "multiple": 8},
    {"name": "sms", "device": "multiprocessors"},
    {"name": "tiles", "value": "M 128 ceildiv"}
  ],
  "tensor_maps": [
    {"argument": 0, "type": "bf16", "sizes": ["K", "M"],
     "strides": ["lda 2 *"], "box": [64, 128], "swizzle": "128B",
     "l2_promotion": 256}
  ],
  "parameters": [
    {"kind": "tensor_map", "map": 0},
    {"kind": "pointer", "argument": 1, "offset": "K 4 *"},
    {"kind": "size", "argument": 0, "dim": 1, "type": "i32"},
    {"kind": "stride", "argument": 0, "dim": 0, "type": "i64"},
    {"kind": "value", "value": "tiles", "type": "i32"},
    {"kind": "scalar", "argument": 2},
    {"kind": "workspace", "offset": 128}
  ],
  "grid": ["tiles sms min"], "block": [384], "cluster": [2],
  "shared": 230000, "max_registers": 168,
  "workspace": {"bytes": "tiles 4 * 128 +", "zeroed": true},
  "cooperative": true, "pdl": true
})";

struct Parsed {
  TileRtMetadata *metadata;
  TileRtError error;
  explicit Parsed(const std::string &text) : error() {
    // A copy of exactly that size, so that reads beyond it are seen.
    char *copy = new char[text.size()];
    memcpy(copy, text.data(), text.size());
    metadata = tile_rt_metadata_parse(copy, text.size(), &error);
    delete[] copy;
  }
  ~Parsed() { tile_rt_metadata_free(metadata); }
  Parsed(const Parsed &) = delete;
  TileRtMetadata *operator->() const { return metadata; }
};

int64_t evaluate(const TileRtExpr &expr, std::vector<int64_t> symbols) {
  TileRtError error;
  int64_t value = -1;
  EXPECT_TRUE(tile_rt_expr_evaluate(&expr, symbols.data(), "x", &value, &error))
      << error.message;
  return value;
}

TEST(Metadata, ReadsAKernel) {
  Parsed m(matmul);
  ASSERT_TRUE(m.metadata) << m.error.message;
  EXPECT_STREQ(m->kernel, "matmul");
  EXPECT_STREQ(m->target, "cuda");
  EXPECT_STREQ(m->chip, "sm_90a");
  ASSERT_EQ(m->argumentCount, 3);
  const TileRtArgumentInfo &a = m->arguments[0], &b = m->arguments[1];
  EXPECT_STREQ(a.name, "A");
  EXPECT_EQ(a.dtype, TILE_RT_BF16);
  EXPECT_EQ(a.rank, 2);
  EXPECT_EQ(a.align, 16);
  EXPECT_EQ(a.access, TILE_RT_ACCESS_READ);
  ASSERT_TRUE(a.strides);
  EXPECT_TRUE(tile_rt_expr_is_constant(&a.strides[1]));
  EXPECT_FALSE(tile_rt_expr_is_constant(&a.strides[0]));
  EXPECT_FALSE(b.strides);
  EXPECT_EQ(b.shape[1].count, 0);
  EXPECT_STREQ(b.shape[0].text, "K 2 *");
  EXPECT_TRUE(m->arguments[2].scalar);
  EXPECT_FALSE(m->arguments[2].bindsSymbol);
  std::vector<int64_t> symbols{300, 128, 136, 132, 3};
  EXPECT_EQ(evaluate(b.shape[0], symbols), 256);
  ASSERT_EQ(m->symbolCount, 5);
  EXPECT_EQ(m->symbols[0].min, 1);
  EXPECT_EQ(m->symbols[1].multiple, 64);
  EXPECT_EQ(m->symbols[1].max, 65536);
  EXPECT_EQ(m->symbols[2].kind, TILE_RT_SYMBOL_STRIDE);
  EXPECT_EQ(m->symbols[3].kind, TILE_RT_SYMBOL_MULTIPROCESSORS);
  EXPECT_EQ(evaluate(m->symbols[4].value, symbols), 3);
  EXPECT_EQ(evaluate(m->grid[0], symbols), 3);
  EXPECT_EQ(evaluate(m->grid[2], symbols), 1);
  EXPECT_EQ(m->block[0], 384u);
  EXPECT_EQ(m->block[1], 1u);
  EXPECT_EQ(m->cluster[0], 2u);
  EXPECT_EQ(evaluate(m->shared, symbols), 230000);
  EXPECT_EQ(m->maxRegisters, 168);
  EXPECT_EQ(evaluate(m->workspace, symbols), 140);
  EXPECT_TRUE(m->workspaceZeroed && m->cooperative && m->pdl);
  ASSERT_EQ(m->parameterCount, 7);
  EXPECT_EQ(m->parameters[3].dtype, TILE_RT_I64);
  EXPECT_EQ(m->parameters[5].dtype, TILE_RT_F32);
  EXPECT_EQ(evaluate(m->parameters[1].value, symbols), 512);
  ASSERT_EQ(m->mapCount, 1);
  const TileRtMapInfo &map = m->maps[0];
  EXPECT_EQ(map.type, TILE_RT_MAP_BF16);
  EXPECT_EQ(map.rank, 2);
  EXPECT_EQ(map.box[1], 128u);
  EXPECT_EQ(map.elementStrides[1], 1u);
  EXPECT_EQ(map.swizzle, TILE_RT_SWIZZLE_128B);
  EXPECT_EQ(map.l2Promotion, 256);
  EXPECT_EQ(evaluate(map.strides[0], symbols), 272);
}

TEST(Metadata, Expressions) {
  auto value = [](const char *text) {
    std::string json = R"({"version": 1, "kernel": "k", "target": "cpu",
      "arguments": [], "parameters": [], "block": [1], "grid": [")" +
                       std::string(text) + "\"]}";
    Parsed m(json);
    int64_t out = 0;
    TileRtError error;
    if (!m.metadata)
      return std::string(m.error.message);
    if (!tile_rt_expr_evaluate(&m->grid[0], nullptr, "grid", &out, &error))
      return std::string(error.message);
    return std::to_string(out);
  };
  EXPECT_EQ(value("7 2 ceildiv"), "4");
  EXPECT_EQ(value("-7 2 ceildiv"), "-3");
  EXPECT_EQ(value("-7 2 floordiv"), "-4");
  EXPECT_EQ(value("-7 2 mod"), "1");
  EXPECT_EQ(value("7 2 mod"), "1");
  EXPECT_EQ(value("3 4 min 5 max 6 * 1 - 2 +"), "31");
  EXPECT_EQ(value("-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(value("-9223372036854775808 3 mod"), "1");
  EXPECT_EQ(value("9223372036854775807 1 +"),
            "grid: expected a result of 64 bits in \"9223372036854775807 1 "
            "+\", got 9223372036854775807 and 1");
  EXPECT_EQ(value("1 0 mod"), "grid: expected a divisor of at least 1 in \"1 0 "
                              "mod\", got 1 and 0");
  auto fails = [&](const char *text, const char *expected) {
    EXPECT_NE(value(text).find(expected), std::string::npos) << value(text);
  };
  fails("9223372036854775808",
        "line 2, column 65: expected a symbol declared before, an integer or "
        "an operator, got \"9223372036854775808\"");
  fails("", "expected one value of \"\", got 0");
  fails("1 2", "expected one value of \"1 2\", got 2");
  fails("1 +", "expected two operands before '+' in \"1 +\"");
  fails("1 q +", "got \"q\"");
  std::string deep, lengthy = "1";
  for (int i = 0; i < 17; ++i)
    deep += "1 ";
  for (int i = 0; i < 512; ++i)
    lengthy += " 1 +";
  fails(deep.c_str(), "expected at most 16 open operands");
  fails(lengthy.c_str(), "expected at most 1024 words");
}

/// Replaces one piece of the example; the error of the result.
std::string broken(const std::string &from, const std::string &to) {
  std::string text = matmul;
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  Parsed m(text);
  return m.metadata ? "it was read" : m.error.message;
}

TEST(Metadata, ErrorsNameLineAndColumn) {
  const struct {
    const char *from, *to, *error;
  } cases[] = {
      {"\"version\": 1", "\"version\": 2",
       "metadata: line 2, column 14: expected an integer of 1 to 1, got 2"},
      {"\"version\": 1, ", "",
       "metadata: line 1, column 1: expected a member \"version\""},
      {"\"chip\"", "\"chop\"",
       "metadata: line 2, column 55: unknown member "
       "\"chop\""},
      {"\"align\": 16", "\"align\": 24", "expected a power of two, got 24"},
      {"\"bf16\"", "\"b16\"", "expected an element type, got \"b16\""},
      {"\"kind\": \"memref\"", "\"kind\": \"buffer\"",
       "expected one of memref, scalar, got \"buffer\""},
      {"\"read\"", "7", "expected a string, got an integer"},
      {"[\"lda\", 1]", "[\"lda\"]", "expected 2 elements, got 1"},
      {"\"dim\": 0, \"min\"", "\"dim\": 2, \"min\"",
       "expected an integer of 0 to 1, got 2"},
      {"\"argument\": 0, \"dim\": 0", "\"argument\": 2, \"dim\": 0",
       "expected a memref, got argument 2, a scalar"},
      {"\"argument\": 0, \"dim\": 0", "\"argument\": 0",
       "expected a scalar, got argument 0, a memref"},
      {"\"argument\": 0, \"dim\": 0", "\"argument\": 2",
       "expected an integer argument, got f32"},
      {"\"argument\": 0, \"dim\": 0",
       "\"argument\": 0, \"dim\": 0, \"stride\": 0",
       "expected one of dim and stride, got both"},
      {"\"name\": \"K\"", "\"name\": \"M\"",
       "expected a symbol once, got \"M\" again"},
      {"\"name\": \"K\"", "\"name\": \"min\"", "expected a name, got \"min\""},
      {"\"M 128 ceildiv\"", "\"tiles 1 +\"",
       "expected a symbol declared before, an integer or an operator, got "
       "\"tiles\""},
      {"\"map\": 0", "\"map\": 1", "expected an integer of 0 to 0, got 1"},
      {"[64, 128]", "[64, 512]", "expected an integer of 1 to 256, got 512"},
      {"\"box\": [64, 128], ", "", "expected a member \"box\""},
      {"\"l2_promotion\": 256", "\"l2_promotion\": 32",
       "expected 0, 64, 128 or 256, got 32"},
      {"[\"K\", \"M\"]", "[]", "expected a rank of 1 to 5, got 0"},
      {"\"type\": \"bf16\", \"sizes\"",
       "\"mode\": \"im2col\", \"type\": \"bf16\", \"sizes\"",
       "expected a rank of at least 3 for im2col, got 2"},
      {"\"shape\": [\"M\", \"K\"]", "\"shape\": [true, \"K\"]",
       "expected an integer or an expression, got a truth value"},
      {"[384]", "[]", "expected 1 to 3 elements, got 0"},
      {"[384]", "[2048]", "expected an integer of 1 to 1024, got 2048"},
      {"\"workspace\": {", "\"x_workspace\": {",
       "expected a member \"workspace\" of the kernel"},
      {"{\"argument\": 0, \"type\"", "{\"workspace\": \"?\", \"type\"",
       "expected a symbol declared before, an integer or an operator, got "
       "\"?\""},
      {"\"value\": \"tiles\", ", "", "expected a member \"value\""},
      {"\"dtype\": \"f32\"", "\"dtype\": \"i4\"",
       "expected a scalar of whole bytes, got i4"},
      {"\"bytes\"", "\"x_bytes\"", "expected a member \"bytes\""},
  };
  for (const auto &c : cases) {
    std::string error = broken(c.from, c.to);
    EXPECT_NE(error.find(c.error), std::string::npos)
        << error << "\nexpected: " << c.error;
  }
}

TEST(Metadata, ErrorsOfTheText) {
  const struct {
    std::string text;
    const char *error;
  } cases[] = {
      {"", "metadata: line 1, column 1: expected a value, got the end"},
      {"[]", "expected an object, got an array"},
      {"{\n \"a\" 1}", "metadata: line 2, column 6: expected ':', got '1'"},
      {"{\"a\": 1 \"b\": 2}", "expected ',' or '}', got '\"'"},
      {"[1 2]", "expected ',' or ']', got '2'"},
      {"[1,]", "expected a value, got ']'"},
      {"{\"a\": 1, }", "expected a key, got '}'"},
      {"{\"a\": 1, \"a\": 2}", "expected a key once, got \"a\" again"},
      {"[1] 2", "expected the end, got '2'"},
      {"[1.5]", "expected an integer, got '.'"},
      {"[-]", "expected a digit, got ']'"},
      {"[01]", "expected no digit after a leading zero, got '1'"},
      {"[9223372036854775808]", "expected an integer of 64 bits"},
      {"[\"abc", "expected '\"', got the end"},
      {"[\"\\q\"]", "expected an escape, got 'q'"},
      {"[\"\\u12g4\"]", "expected four hexadecimal digits, got 'g'"},
      {"[\"\\ud800x\"]", "expected the code of a character"},
      {"[\"\\u0000\"]", "expected the code of a character"},
      {"[\"\x01\"]", "expected a character of a string, got byte 0x01"},
      {std::string("[\0]", 3), "expected a value, got byte 0x00"},
      {std::string(40, '['), "expected values that nest at most 32 deep"},
      {std::string(1 << 19, '['), "expected values that nest at most 32 deep"},
      {std::string((1 << 20) + 1, ' '),
       "metadata: expected at most 1048576 bytes, got 1048577"},
  };
  for (const auto &c : cases) {
    Parsed m(c.text);
    EXPECT_FALSE(m.metadata);
    EXPECT_NE(std::string(m.error.message).find(c.error), std::string::npos)
        << m.error.message << "\nexpected: " << c.error;
  }
  std::string many = "{";
  for (int i = 0; i < 65; ++i)
    many += (i ? ", \"k" : "\"k") + std::to_string(i) + "\": 0";
  Parsed m(many + "}");
  EXPECT_TRUE(strstr(m.error.message, "expected at most 64 members"));
}

TEST(Metadata, ReadsTheManualsExample) {
  std::ifstream file(LAUNCH_METADATA_MD);
  std::stringstream manual;
  manual << file.rdbuf();
  std::string text = manual.str();
  const std::string fence = "```json\n";
  size_t begin = text.find(fence);
  ASSERT_NE(begin, std::string::npos);
  begin += fence.size();
  Parsed m(text.substr(begin, text.find("```", begin) - begin));
  ASSERT_TRUE(m.metadata) << m.error.message;
  EXPECT_STREQ(m->kernel, "gemm");
  EXPECT_EQ(m->mapCount, 3);
}

TEST(Metadata, StringsAreDecoded) {
  std::string text = matmul;
  text.replace(text.find("\"A\""), 3, R"("\u0041\"\\\n\u00e9\ud83d\ude00")");
  Parsed m(text);
  ASSERT_TRUE(m.metadata) << m.error.message;
  EXPECT_STREQ(m->arguments[0].name, "A\"\\\n\xc3\xa9\xf0\x9f\x98\x80");
}

TEST(Metadata, CopiesInPlaceOfAKernel) {
  auto with = [](const std::string &copies) {
    std::string text = matmul;
    text.insert(text.rfind('}'), ", \"copies\": " + copies);
    return text;
  };
  EXPECT_FALSE(Parsed(matmul)->copies.any);
  Parsed m(with("{\"source\": 1, \"target\": 0, \"flags\": 1}"));
  ASSERT_TRUE(m.metadata) << m.error.message;
  EXPECT_TRUE(m->copies.any);
  EXPECT_EQ(m->copies.source, 1);
  EXPECT_EQ(m->copies.target, 0);
  EXPECT_EQ(m->copies.flags, 1);
  for (const char *wrong :
       {"[]", "{}", "{\"source\": 0, \"target\": 1}",
        "{\"source\": 2, \"target\": 1, \"flags\": 0}",
        "{\"source\": 3, \"target\": 1, \"flags\": 0}",
        "{\"source\": 0, \"target\": 1, \"flags\": 0, \"more\": 0}"})
    EXPECT_FALSE(Parsed(with(wrong)).metadata) << wrong;
}

// Whatever the bytes are, the answer is a kernel or an error.
TEST(Metadata, SurvivesChangedBytes) {
  std::mt19937 random(20261121);
  const std::string alphabet = "{}[]\",:\\0123456789-+*abcuM \n\x80";
  int read = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text = matmul;
    for (int edits = 1 + int(random() % 4); edits-- && !text.empty();) {
      size_t at = random() % text.size();
      switch (random() % 4) {
      case 0:
        text[at] = alphabet[random() % alphabet.size()];
        break;
      case 1:
        text.erase(at, 1 + random() % 20);
        break;
      case 2:
        text.insert(at, text, random() % text.size(), random() % 30);
        break;
      default:
        text.resize(at + 1);
        break;
      }
    }
    Parsed m(text);
    if (m.metadata) {
      ++read;
      continue;
    }
    EXPECT_EQ(std::string(m.error.message).rfind("metadata: ", 0), 0u);
  }
  EXPECT_GT(read, 100);
}

} // namespace
