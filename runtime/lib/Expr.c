// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Expr.h"

#include <string.h>

static const struct {
  const char *name;
  TileRtOp op;
} operators[] = {
    {"+", TILE_RT_OP_ADD},
    {"-", TILE_RT_OP_SUB},
    {"*", TILE_RT_OP_MUL},
    {"ceildiv", TILE_RT_OP_CEILDIV},
    {"floordiv", TILE_RT_OP_FLOORDIV},
    {"mod", TILE_RT_OP_MOD},
    {"min", TILE_RT_OP_MIN},
    {"max", TILE_RT_OP_MAX},
};

enum { kOperatorCount = sizeof(operators) / sizeof(*operators) };

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool isDigit(char c) { return c >= '0' && c <= '9'; }

static bool isWord(const char *text, size_t length, const char *word) {
  return strlen(word) == length && memcmp(text, word, length) == 0;
}

bool tile_rt_expr_is_name(const char *name) {
  if (!isLetter(*name))
    return false;
  for (const char *c = name; *c; ++c)
    if (!isLetter(*c) && !isDigit(*c) && *c != '.')
      return false;
  for (size_t i = 0; i < kOperatorCount; ++i)
    if (strcmp(name, operators[i].name) == 0)
      return false;
  return true;
}

static bool parseConstant(const char *text, size_t length, int64_t *value) {
  bool negative = *text == '-';
  size_t i = negative;
  if (i == length)
    return false;
  for (*value = 0; i < length; ++i) {
    int64_t digit = text[i] - '0';
    if (!isDigit(text[i]) || __builtin_mul_overflow(*value, 10, value) ||
        __builtin_sub_overflow(*value, digit, value))
      return false;
  }
  // Summed up below zero, since the smallest number has no positive.
  return negative || !__builtin_sub_overflow(0, *value, value);
}

static bool parseToken(const char *text, size_t length,
                       const TileRtSymbolInfo *symbols, int32_t symbolCount,
                       TileRtExprItem *item, TileRtError *error) {
  for (size_t i = 0; i < kOperatorCount; ++i)
    if (isWord(text, length, operators[i].name)) {
      item->op = operators[i].op;
      return true;
    }
  for (int32_t i = 0; i < symbolCount; ++i)
    if (isWord(text, length, symbols[i].name)) {
      item->op = TILE_RT_OP_SYMBOL;
      item->value = i;
      return true;
    }
  item->op = TILE_RT_OP_CONSTANT;
  if (parseConstant(text, length, &item->value))
    return true;
  int shown = length > 64 ? 64 : (int)length;
  return tile_rt_fail(error,
                      "expected a symbol declared before, an integer or an "
                      "operator, got \"%.*s\"",
                      shown, text);
}

bool tile_rt_expr_parse(const char *text, const TileRtSymbolInfo *symbols,
                        int32_t symbolCount, TileRtExprItem *items,
                        int32_t *count, TileRtError *error) {
  int32_t depth = 0;
  *count = 0;
  for (const char *at = text;;) {
    at += strspn(at, " ");
    if (!*at)
      break;
    size_t length = strcspn(at, " ");
    if (*count == TILE_RT_EXPR_LENGTH)
      return tile_rt_fail(error, "expected at most %d words in \"%s\"",
                          TILE_RT_EXPR_LENGTH, text);
    TileRtExprItem *item = &items[(*count)++];
    *item = (TileRtExprItem){0};
    if (!parseToken(at, length, symbols, symbolCount, item, error))
      return false;
    bool operand = item->op <= TILE_RT_OP_SYMBOL;
    depth += operand ? 1 : -1;
    if (depth < 1)
      return tile_rt_fail(error,
                          "expected two operands before '%.*s' in \"%s\"",
                          (int)length, at, text);
    if (depth > TILE_RT_EXPR_DEPTH)
      return tile_rt_fail(error, "expected at most %d open operands in \"%s\"",
                          TILE_RT_EXPR_DEPTH, text);
    at += length;
  }
  if (depth != 1)
    return tile_rt_fail(error, "expected one value of \"%s\", got %d", text,
                        depth);
  return true;
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

bool tile_rt_expr_is_constant(const TileRtExpr *expr) {
  return expr->count == 1 && expr->items[0].op == TILE_RT_OP_CONSTANT;
}

/// Divides by a positive number, rounding down.
static int64_t floorDiv(int64_t a, int64_t b) { return a / b - (a % b < 0); }

/// Returns false on overflow and on a divisor less than 1.
static bool apply(TileRtOp op, int64_t a, int64_t b, int64_t *out) {
  switch (op) {
  case TILE_RT_OP_ADD:
    return !__builtin_add_overflow(a, b, out);
  case TILE_RT_OP_SUB:
    return !__builtin_sub_overflow(a, b, out);
  case TILE_RT_OP_MUL:
    return !__builtin_mul_overflow(a, b, out);
  case TILE_RT_OP_MIN:
    *out = a < b ? a : b;
    return true;
  case TILE_RT_OP_MAX:
    *out = a > b ? a : b;
    return true;
  default:
    break;
  }
  if (b < 1)
    return false;
  if (op == TILE_RT_OP_CEILDIV)
    *out = a / b + (a % b > 0);
  else if (op == TILE_RT_OP_FLOORDIV)
    *out = floorDiv(a, b);
  else
    *out = a % b + (a % b < 0 ? b : 0);
  return true;
}

bool tile_rt_expr_evaluate(const TileRtExpr *expr, const int64_t *symbols,
                           const char *what, int64_t *value,
                           TileRtError *error) {
  int64_t stack[TILE_RT_EXPR_DEPTH + 1];
  int32_t depth = 0;
  for (int32_t i = 0; i < expr->count; ++i) {
    const TileRtExprItem *item = &expr->items[i];
    if (item->op == TILE_RT_OP_CONSTANT) {
      stack[depth++] = item->value;
      continue;
    }
    if (item->op == TILE_RT_OP_SYMBOL) {
      stack[depth++] = symbols[item->value];
      continue;
    }
    int64_t a = stack[depth - 2], b = stack[depth - 1];
    --depth;
    if (apply(item->op, a, b, &stack[depth - 1]))
      continue;
    bool divides = item->op >= TILE_RT_OP_CEILDIV && item->op <= TILE_RT_OP_MOD;
    return tile_rt_fail(
        error, "%s: expected %s in \"%s\", got %lld and %lld", what,
        divides ? "a divisor of at least 1" : "a result of 64 bits", expr->text,
        (long long)a, (long long)b);
  }
  *value = stack[0];
  return true;
}
