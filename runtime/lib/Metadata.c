// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the text that docs/LaunchMetadata.md describes.

#include "Expr.h"
#include "Json.h"

#include <stdlib.h>
#include <string.h>

typedef struct Reader {
  Arena *arena;
  const char *text;
  TileRtMetadata *metadata;
  TileRtArgumentInfo *arguments;
  TileRtSymbolInfo *symbols;
  TileRtError *error;
} Reader;

#define find tile_rt_json_find
#define FAIL(reader, value, ...)                                               \
  tile_rt_json_fail((reader)->text, (value)->at, (reader)->error, __VA_ARGS__)

//===----------------------------------------------------------------------===//
// Members
//===----------------------------------------------------------------------===//

static bool expectKind(Reader *r, const JsonValue *value, JsonKind kind) {
  return value->kind == kind ||
         FAIL(r, value, "expected %s, got %s", tile_rt_json_kind_name(kind),
              tile_rt_json_kind_name(value->kind));
}

static JsonValue *require(Reader *r, JsonValue *object, const char *key,
                          JsonKind kind) {
  JsonValue *member = find(object, key);
  if (!member)
    FAIL(r, object, "expected a member \"%s\"", key);
  return member && expectKind(r, member, kind) ? member : NULL;
}

/// A misspelt key must not pass for an absent one. Producers may add members of
/// their own whose keys start with "x_".
static bool finish(Reader *r, const JsonValue *object) {
  for (const JsonValue *m = object->first; m; m = m->next)
    if (!m->used && strncmp(m->key, "x_", 2) != 0)
      return tile_rt_json_fail(r->text, m->keyAt, r->error,
                               "unknown member \"%s\"", m->key);
  return true;
}

static bool readInteger(Reader *r, const JsonValue *value, int64_t min,
                        int64_t max, int64_t *out) {
  if (!expectKind(r, value, JSON_INTEGER))
    return false;
  if (value->integer < min || value->integer > max)
    return FAIL(r, value, "expected an integer of %lld to %lld, got %lld",
                (long long)min, (long long)max, (long long)value->integer);
  *out = value->integer;
  return true;
}

/// Leaves `out` as it is when there is no such member.
static bool optionalInteger(Reader *r, JsonValue *object, const char *key,
                            int64_t min, int64_t max, int64_t *out) {
  JsonValue *member = find(object, key);
  return !member || readInteger(r, member, min, max, out);
}

static bool optionalBool(Reader *r, JsonValue *object, const char *key,
                         bool *out) {
  JsonValue *member = find(object, key);
  if (!member)
    return true;
  *out = member->integer;
  return expectKind(r, member, JSON_BOOL);
}

static bool readString(Reader *r, JsonValue *object, const char *key,
                       const char **out) {
  JsonValue *member = require(r, object, key, JSON_STRING);
  if (member)
    *out = member->string;
  return member;
}

static bool optionalString(Reader *r, JsonValue *object, const char *key,
                           const char **out) {
  *out = "";
  return !find(object, key) || readString(r, object, key, out);
}

/// The index of a word in a list of them; `missing` without such a member.
static bool readWord(Reader *r, JsonValue *object, const char *key,
                     const char *const *words, int count, int missing,
                     int *out) {
  JsonValue *member = find(object, key);
  *out = missing;
  if (!member && missing >= 0)
    return true;
  if (!require(r, object, key, JSON_STRING))
    return false;
  for (*out = 0; *out < count; ++*out)
    if (strcmp(member->string, words[*out]) == 0)
      return true;
  char list[256] = "";
  for (int i = 0; i < count; ++i) {
    strncat(list, i ? ", " : "", sizeof(list) - strlen(list) - 1);
    strncat(list, words[i], sizeof(list) - strlen(list) - 1);
  }
  return FAIL(r, member, "expected one of %s, got \"%s\"", list,
              member->string);
}

/// Allocates one element per value of an array; null on failure.
static void *allocate(Reader *r, const JsonValue *array, int32_t max,
                      size_t size) {
  if (array->count > max) {
    FAIL(r, array, "expected at most %d elements, got %d", max, array->count);
    return NULL;
  }
  void *memory =
      tile_rt_arena_alloc(r->arena, (size_t)(array->count + 1) * size);
  if (!memory)
    FAIL(r, array, "expected memory, got none");
  return memory;
}

static bool expectCount(Reader *r, const JsonValue *array, int32_t count) {
  return expectKind(r, array, JSON_ARRAY) &&
         (array->count == count ||
          FAIL(r, array, "expected %d elements, got %d", count, array->count));
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

static bool readExpr(Reader *r, const JsonValue *value, TileRtExpr *out) {
  TileRtExprItem items[TILE_RT_EXPR_LENGTH]; // the first ones are written
  TileRtError error;
  out->count = 1;
  out->text = "";
  if (value->kind == JSON_STRING) {
    out->text = value->string;
    if (!tile_rt_expr_parse(value->string, r->symbols, r->metadata->symbolCount,
                            items, &out->count, &error))
      return FAIL(r, value, "%s", error.message);
  } else if (value->kind == JSON_INTEGER) {
    items[0] = (TileRtExprItem){.value = value->integer};
  } else {
    return FAIL(r, value, "expected an integer or an expression, got %s",
                tile_rt_json_kind_name(value->kind));
  }
  size_t bytes = (size_t)out->count * sizeof(*items);
  TileRtExprItem *copy = tile_rt_arena_alloc(r->arena, bytes);
  if (!copy)
    return FAIL(r, value, "expected memory, got none");
  memcpy(copy, items, bytes);
  out->items = copy;
  return true;
}

/// Without such a member the expression is the constant 0.
static bool optionalExpr(Reader *r, JsonValue *object, const char *key,
                         TileRtExpr *out) {
  const JsonValue zero = {.kind = JSON_INTEGER};
  JsonValue *member = find(object, key);
  return readExpr(r, member ? member : &zero, out);
}

/// An array of expressions; null admits any value where `any` is set.
static bool readExprs(Reader *r, const JsonValue *array, bool any,
                      TileRtExpr *out) {
  for (const JsonValue *v = array->first; v; v = v->next, ++out)
    if (!(any && v->kind == JSON_NULL) && !readExpr(r, v, out))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

static bool readDType(Reader *r, JsonValue *object, TileRtDType *out) {
  JsonValue *member = require(r, object, "dtype", JSON_STRING);
  if (!member)
    return false;
  *out = tile_rt_dtype_from_name(member->string);
  return *out != TILE_RT_NONE ||
         FAIL(r, member, "expected an element type, got \"%s\"",
              member->string);
}

/// All of an argument but what uses symbols, since these are bound to them.
static bool readArgument(Reader *r, JsonValue *value, TileRtArgumentInfo *out) {
  static const char *const kinds[] = {"memref", "scalar"};
  static const char *const accesses[] = {"none", "read", "write", "read_write"};
  int kind = 0, access = 0;
  if (!expectKind(r, value, JSON_OBJECT) ||
      !optionalString(r, value, "name", &out->name) ||
      !readWord(r, value, "kind", kinds, 2, -1, &kind) ||
      !readDType(r, value, &out->dtype))
    return false;
  out->scalar = kind == 1;
  if (out->scalar)
    return tile_rt_dtype_bits(out->dtype) >= 8 ||
           FAIL(r, value, "expected a scalar of whole bytes, got %s",
                tile_rt_dtype_name(out->dtype));
  JsonValue *shape = require(r, value, "shape", JSON_ARRAY);
  if (!shape)
    return false;
  if (shape->count > TILE_RT_MAX_RANK)
    return FAIL(r, shape, "expected a rank of at most %d, got %d",
                TILE_RT_MAX_RANK, shape->count);
  out->rank = shape->count;
  out->align = 1;
  if (!optionalInteger(r, value, "align", 1, 1 << 20, &out->align) ||
      !readWord(r, value, "access", accesses, 4, TILE_RT_ACCESS_READ_WRITE,
                &access))
    return false;
  out->access = (TileRtAccess)access;
  return (out->align & (out->align - 1)) == 0 ||
         FAIL(r, find(value, "align"), "expected a power of two, got %lld",
              (long long)out->align);
}

static bool readShape(Reader *r, JsonValue *value, TileRtArgumentInfo *out) {
  if (out->scalar)
    return finish(r, value);
  JsonValue *shape = find(value, "shape"), *strides = find(value, "strides");
  TileRtExpr *exprs = allocate(r, shape, TILE_RT_MAX_RANK, sizeof(*exprs));
  out->shape = exprs;
  if (!exprs || !readExprs(r, shape, true, exprs))
    return false;
  if (strides) {
    if (!expectCount(r, strides, out->rank))
      return false;
    exprs = allocate(r, strides, TILE_RT_MAX_RANK, sizeof(*exprs));
    out->strides = exprs;
    if (!exprs || !readExprs(r, strides, true, exprs))
      return false;
  }
  return finish(r, value);
}

/// An index of an argument, a tensor or a scalar.
static bool readIndex(Reader *r, JsonValue *object, const char *key,
                      bool scalar, int32_t *out) {
  JsonValue *member = require(r, object, key, JSON_INTEGER);
  int64_t index = 0;
  if (!member ||
      !readInteger(r, member, 0, r->metadata->argumentCount - 1, &index))
    return false;
  *out = (int32_t)index;
  if (r->arguments[index].scalar == scalar)
    return true;
  return FAIL(r, member, "expected a %s, got argument %lld, a %s",
              scalar ? "scalar" : "memref", (long long)index,
              scalar ? "memref" : "scalar");
}

/// A dimension of the argument.
static bool readDim(Reader *r, const JsonValue *value, int32_t argument,
                    int32_t *out) {
  int64_t dim = 0;
  int32_t rank = r->arguments[argument].rank;
  if (!readInteger(r, value, 0, rank - 1, &dim))
    return false;
  *out = (int32_t)dim;
  return true;
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

static bool readSymbolOfArgument(Reader *r, JsonValue *value,
                                 TileRtSymbolInfo *out) {
  JsonValue *dim = find(value, "dim"), *stride = find(value, "stride");
  if (dim && stride)
    return FAIL(r, value, "expected one of dim and stride, got both");
  if (!readIndex(r, value, "argument", !dim && !stride, &out->argument))
    return false;
  if (dim || stride) {
    out->kind = dim ? TILE_RT_SYMBOL_SIZE : TILE_RT_SYMBOL_STRIDE;
    return readDim(r, dim ? dim : stride, out->argument, &out->dim);
  }
  out->kind = TILE_RT_SYMBOL_SCALAR;
  TileRtArgumentInfo *argument = &r->arguments[out->argument];
  argument->bindsSymbol = true;
  return !tile_rt_dtype_is_float(argument->dtype) ||
         FAIL(r, value, "expected an integer argument, got %s",
              tile_rt_dtype_name(argument->dtype));
}

static bool readSymbol(Reader *r, JsonValue *value, TileRtSymbolInfo *out) {
  static const char *const properties[] = {"multiprocessors"};
  if (!expectKind(r, value, JSON_OBJECT) ||
      !readString(r, value, "name", &out->name))
    return false;
  if (!tile_rt_expr_is_name(out->name))
    return FAIL(r, find(value, "name"), "expected a name, got \"%s\"",
                out->name);
  for (const TileRtSymbolInfo *other = r->symbols; other != out; ++other)
    if (strcmp(other->name, out->name) == 0)
      return FAIL(r, value, "expected a symbol once, got \"%s\" again",
                  out->name);
  JsonValue *expr = find(value, "value"), *device = find(value, "device");
  int ignored;
  bool good;
  if (expr) {
    out->kind = TILE_RT_SYMBOL_VALUE;
    good = readExpr(r, expr, &out->value);
  } else if (device) {
    out->kind = TILE_RT_SYMBOL_MULTIPROCESSORS;
    good = readWord(r, value, "device", properties, 1, -1, &ignored);
  } else {
    good = readSymbolOfArgument(r, value, out);
  }
  out->multiple = 1;
  out->min = INT64_MIN;
  out->max = INT64_MAX;
  return good &&
         optionalInteger(r, value, "multiple", 1, INT64_MAX, &out->multiple) &&
         optionalInteger(r, value, "min", INT64_MIN, INT64_MAX, &out->min) &&
         optionalInteger(r, value, "max", INT64_MIN, INT64_MAX, &out->max) &&
         finish(r, value);
}

static bool readSymbols(Reader *r, JsonValue *root) {
  JsonValue *array = find(root, "symbols");
  if (!array || !expectKind(r, array, JSON_ARRAY))
    return !array;
  r->symbols = allocate(r, array, TILE_RT_MAX_SYMBOLS, sizeof(*r->symbols));
  if (!r->symbols)
    return false;
  r->metadata->symbols = r->symbols;
  // Only what is counted may be named, so a symbol cannot depend on itself.
  for (JsonValue *v = array->first; v; v = v->next) {
    if (!readSymbol(r, v, &r->symbols[r->metadata->symbolCount]))
      return false;
    ++r->metadata->symbolCount;
  }
  return true;
}

static bool readArguments(Reader *r, JsonValue *root) {
  JsonValue *array = require(r, root, "arguments", JSON_ARRAY);
  if (!array)
    return false;
  r->arguments =
      allocate(r, array, TILE_RT_MAX_ARGUMENTS, sizeof(*r->arguments));
  if (!r->arguments)
    return false;
  r->metadata->arguments = r->arguments;
  r->metadata->argumentCount = array->count;
  TileRtArgumentInfo *argument = r->arguments;
  for (JsonValue *v = array->first; v; v = v->next)
    if (!readArgument(r, v, argument++))
      return false;
  if (!readSymbols(r, root))
    return false;
  argument = r->arguments;
  for (JsonValue *v = array->first; v; v = v->next)
    if (!readShape(r, v, argument++))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

/// Reads `count` integers of [min, max]; without such a member `missing` is
/// what they are, unless it is below `min`.
static bool readIntegers(Reader *r, JsonValue *object, const char *key,
                         int32_t count, int64_t min, int64_t max,
                         int64_t missing, int64_t *out) {
  JsonValue *array = find(object, key);
  for (int32_t i = 0; i < count; ++i)
    out[i] = missing;
  if (!array && missing >= min)
    return true;
  if (!require(r, object, key, JSON_ARRAY) || !expectCount(r, array, count))
    return false;
  for (const JsonValue *v = array->first; v; v = v->next)
    if (!readInteger(r, v, min, max, out++))
      return false;
  return true;
}

static bool readBox(Reader *r, JsonValue *value, TileRtMapInfo *out) {
  int64_t numbers[2 * TILE_RT_MAP_RANK] = {0};
  int64_t *second = numbers + TILE_RT_MAP_RANK;
  if (!out->im2col) {
    if (!readIntegers(r, value, "box", out->rank, 1, 256, 0, numbers))
      return false;
    for (int32_t i = 0; i < out->rank; ++i)
      out->box[i] = (uint32_t)numbers[i];
    return true;
  }
  if (out->rank < 3)
    return FAIL(r, value, "expected a rank of at least 3 for im2col, got %d",
                out->rank);
  // The corners have fewer bits the more of them there are.
  int32_t corners = out->rank - 2;
  int64_t limit = corners == 1 ? 1 << 15 : corners == 2 ? 1 << 7 : 1 << 4;
  int64_t none = -limit - 1, channels = 0, pixels = 0;
  if (!readIntegers(r, value, "lower", corners, -limit, limit - 1, none,
                    numbers) ||
      !readIntegers(r, value, "upper", corners, -limit, limit - 1, none,
                    second) ||
      !require(r, value, "channels", JSON_INTEGER) ||
      !optionalInteger(r, value, "channels", 1, 256, &channels) ||
      !require(r, value, "pixels", JSON_INTEGER) ||
      !optionalInteger(r, value, "pixels", 1, 1024, &pixels))
    return false;
  for (int32_t i = 0; i < corners; ++i) {
    out->lower[i] = (int32_t)numbers[i];
    out->upper[i] = (int32_t)second[i];
  }
  out->channels = (uint32_t)channels;
  out->pixels = (uint32_t)pixels;
  return true;
}

static bool readMapModes(Reader *r, JsonValue *value, TileRtMapInfo *out) {
  static const char *const types[TILE_RT_MAP_TYPE_COUNT] = {
      "u8", "u16", "u32", "i32", "u64", "i64", "f16", "f32", "f64", "bf16",
      "f32_ftz", "tf32", "tf32_ftz", "u4_align8", "u4_align16", "u6_align16"};
  static const char *const swizzles[TILE_RT_SWIZZLE_COUNT] = {
      "none", "32B", "64B", "128B", "128B_atom_32B", "128B_atom_32B_flip_8B",
      "128B_atom_64B"};
  static const char *const interleaves[] = {"none", "16B", "32B"};
  static const char *const fills[] = {"zero", "nan"};
  static const char *const modes[] = {"tiled", "im2col"};
  int type, swizzle, interleave, fill, mode;
  int64_t l2 = 0;
  if (!readWord(r, value, "mode", modes, 2, 0, &mode) ||
      !readWord(r, value, "type", types, TILE_RT_MAP_TYPE_COUNT, -1, &type) ||
      !readWord(r, value, "swizzle", swizzles, TILE_RT_SWIZZLE_COUNT, 0,
                &swizzle) ||
      !readWord(r, value, "interleave", interleaves, 3, 0, &interleave) ||
      !readWord(r, value, "fill", fills, 2, 0, &fill) ||
      !optionalInteger(r, value, "l2_promotion", 0, 256, &l2))
    return false;
  if (l2 != 0 && l2 != 64 && l2 != 128 && l2 != 256)
    return FAIL(r, find(value, "l2_promotion"),
                "expected 0, 64, 128 or 256, got %lld", (long long)l2);
  out->im2col = mode == 1;
  out->type = (TileRtMapType)type;
  out->swizzle = (TileRtSwizzle)swizzle;
  out->interleave = (TileRtInterleave)interleave;
  out->fillNaN = fill == 1;
  out->l2Promotion = (int32_t)l2;
  return true;
}

/// What lies in the workspace begins there.
static bool readBegin(Reader *r, JsonValue *value, const char *key,
                      TileRtExpr *out) {
  return (r->metadata->workspace.count ||
          FAIL(r, value, "expected a member \"workspace\" of the kernel")) &&
         optionalExpr(r, value, key, out);
}

static bool readMap(Reader *r, JsonValue *value, TileRtMapInfo *out) {
  int64_t steps[TILE_RT_MAP_RANK];
  if (!expectKind(r, value, JSON_OBJECT) || !readMapModes(r, value, out))
    return false;
  out->argument = -1;
  if (find(value, "workspace")
          ? !readBegin(r, value, "workspace", &out->offset)
          : !readIndex(r, value, "argument", false, &out->argument) ||
                !optionalExpr(r, value, "offset", &out->offset))
    return false;
  JsonValue *sizes = require(r, value, "sizes", JSON_ARRAY);
  if (!sizes)
    return false;
  if (sizes->count < 1 || sizes->count > TILE_RT_MAP_RANK)
    return FAIL(r, sizes, "expected a rank of 1 to %d, got %d",
                TILE_RT_MAP_RANK, sizes->count);
  out->rank = sizes->count;
  JsonValue *strides = require(r, value, "strides", JSON_ARRAY);
  if (!strides || !expectCount(r, strides, out->rank - 1) ||
      !readExprs(r, sizes, false, out->sizes) ||
      !readExprs(r, strides, false, out->strides) || !readBox(r, value, out) ||
      !readIntegers(r, value, "element_strides", out->rank, 1, 8, 1, steps))
    return false;
  for (int32_t i = 0; i < out->rank; ++i)
    out->elementStrides[i] = (uint32_t)steps[i];
  return finish(r, value);
}

static bool readMaps(Reader *r, JsonValue *root) {
  JsonValue *array = find(root, "tensor_maps");
  if (!array || !expectKind(r, array, JSON_ARRAY))
    return !array;
  TileRtMapInfo *map =
      allocate(r, array, TILE_RT_MAX_TENSOR_MAPS, sizeof(*map));
  if (!map)
    return false;
  r->metadata->maps = map;
  r->metadata->mapCount = array->count;
  for (JsonValue *v = array->first; v; v = v->next)
    if (!readMap(r, v, map++))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

/// i32 or i64, how a number is passed.
static bool readNumberType(Reader *r, JsonValue *value, TileRtDType *out) {
  static const char *const types[] = {"i32", "i64"};
  int type;
  if (!readWord(r, value, "type", types, 2, -1, &type))
    return false;
  *out = type ? TILE_RT_I64 : TILE_RT_I32;
  return true;
}

static bool readMapIndex(Reader *r, JsonValue *value, int32_t *out) {
  JsonValue *member = require(r, value, "map", JSON_INTEGER);
  int64_t index = 0;
  if (!member || !readInteger(r, member, 0, r->metadata->mapCount - 1, &index))
    return false;
  *out = (int32_t)index;
  return true;
}

static bool readParameter(Reader *r, JsonValue *value,
                          TileRtParameterInfo *out) {
  static const char *const kinds[] = {
      "pointer", "size", "stride", "value", "scalar", "tensor_map", "workspace"};
  int kind;
  if (!expectKind(r, value, JSON_OBJECT) ||
      !readWord(r, value, "kind", kinds, 7, -1, &kind))
    return false;
  out->kind = (TileRtParameterKind)kind;
  out->dtype = TILE_RT_I64;
  bool good = true;
  JsonValue *member;
  switch (out->kind) {
  case TILE_RT_PARAMETER_POINTER:
    good = readIndex(r, value, "argument", false, &out->argument) &&
           optionalExpr(r, value, "offset", &out->value);
    break;
  case TILE_RT_PARAMETER_SIZE:
  case TILE_RT_PARAMETER_STRIDE:
    good = readIndex(r, value, "argument", false, &out->argument) &&
           (member = require(r, value, "dim", JSON_INTEGER)) &&
           readDim(r, member, out->argument, &out->dim) &&
           readNumberType(r, value, &out->dtype);
    break;
  case TILE_RT_PARAMETER_VALUE:
    member = find(value, "value");
    good = (member || FAIL(r, value, "expected a member \"value\"")) &&
           readExpr(r, member, &out->value) &&
           readNumberType(r, value, &out->dtype);
    break;
  case TILE_RT_PARAMETER_SCALAR:
    good = readIndex(r, value, "argument", true, &out->argument);
    if (good)
      out->dtype = r->arguments[out->argument].dtype;
    break;
  case TILE_RT_PARAMETER_TENSOR_MAP:
    good = readMapIndex(r, value, &out->argument);
    break;
  case TILE_RT_PARAMETER_WORKSPACE:
    good = readBegin(r, value, "offset", &out->value);
    break;
  }
  return good && finish(r, value);
}

static bool readParameters(Reader *r, JsonValue *root) {
  JsonValue *array = require(r, root, "parameters", JSON_ARRAY);
  if (!array)
    return false;
  TileRtParameterInfo *parameter =
      allocate(r, array, TILE_RT_MAX_PARAMETERS, sizeof(*parameter));
  if (!parameter)
    return false;
  r->metadata->parameters = parameter;
  r->metadata->parameterCount = array->count;
  for (JsonValue *v = array->first; v; v = v->next)
    if (!readParameter(r, v, parameter++))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// One to three numbers; the rest are 1.
static bool readExtents(Reader *r, JsonValue *root, const char *key,
                        int64_t max, uint32_t *out) {
  JsonValue *array = require(r, root, key, JSON_ARRAY);
  if (!array)
    return false;
  if (array->count < 1 || array->count > 3)
    return FAIL(r, array, "expected 1 to 3 elements, got %d", array->count);
  for (const JsonValue *v = array->first; v; v = v->next, ++out) {
    int64_t number = 0;
    if (!readInteger(r, v, 1, max, &number))
      return false;
    *out = (uint32_t)number;
  }
  return true;
}

static bool readGrid(Reader *r, JsonValue *root) {
  const JsonValue one = {.kind = JSON_INTEGER, .integer = 1};
  TileRtMetadata *m = r->metadata;
  JsonValue *array = require(r, root, "grid", JSON_ARRAY);
  if (!array)
    return false;
  if (array->count < 1 || array->count > 3)
    return FAIL(r, array, "expected 1 to 3 elements, got %d", array->count);
  const JsonValue *v = array->first;
  for (int i = 0; i < 3; ++i, v = v ? v->next : NULL) {
    if (!readExpr(r, v ? v : &one, &m->grid[i]))
      return false;
    m->block[i] = m->cluster[i] = 1;
  }
  return readExtents(r, root, "block", 1024, m->block) &&
         (!find(root, "cluster") ||
          readExtents(r, root, "cluster", 16, m->cluster));
}

static bool readWorkspace(Reader *r, JsonValue *root) {
  JsonValue *value = find(root, "workspace");
  if (!value)
    return true;
  return expectKind(r, value, JSON_OBJECT) &&
         (find(value, "bytes") ||
          FAIL(r, value, "expected a member \"bytes\"")) &&
         optionalExpr(r, value, "bytes", &r->metadata->workspace) &&
         optionalBool(r, value, "zeroed", &r->metadata->workspaceZeroed) &&
         finish(r, value);
}

/// What a kernel and each of its versions have.
static bool readLaunch(Reader *r, JsonValue *root) {
  TileRtMetadata *m = r->metadata;
  int64_t registers = 0;
  if (!readGrid(r, root) || !optionalExpr(r, root, "shared", &m->shared) ||
      !optionalInteger(r, root, "max_registers", 0, 255, &registers) ||
      !readWorkspace(r, root) || !readMaps(r, root) ||
      !readParameters(r, root) ||
      !optionalBool(r, root, "cooperative", &m->cooperative) ||
      !optionalBool(r, root, "pdl", &m->pdl))
    return false;
  m->maxRegisters = (int32_t)registers;
  return true;
}

//===----------------------------------------------------------------------===//
// Versions
//===----------------------------------------------------------------------===//

static bool readCondition(Reader *r, JsonValue *value,
                          TileRtConditionInfo *out) {
  if (!expectKind(r, value, JSON_OBJECT))
    return false;
  JsonValue *dim = find(value, "dim"), *stride = find(value, "stride");
  JsonValue *align = find(value, "align");
  if ((dim != NULL) + (stride != NULL) + (align != NULL) != 1)
    return FAIL(r, value, "expected one of dim, stride and align");
  out->min = INT64_MIN;
  out->multiple = 1;
  if (!readIndex(r, value, "argument", false, &out->argument))
    return false;
  if (align) {
    out->kind = TILE_RT_CONDITION_ADDRESS;
    return readInteger(r, align, 1, 1 << 20, &out->multiple) &&
           finish(r, value);
  }
  out->kind = dim ? TILE_RT_CONDITION_SIZE : TILE_RT_CONDITION_STRIDE;
  return readDim(r, dim ? dim : stride, out->argument, &out->dim) &&
         optionalInteger(r, value, "min", INT64_MIN, INT64_MAX, &out->min) &&
         optionalInteger(r, value, "multiple", 1, INT64_MAX, &out->multiple) &&
         finish(r, value);
}

static bool readVersion(Reader *r, JsonValue *value, TileRtMetadata *out) {
  Reader inner = *r;
  inner.metadata = out;
  inner.symbols = NULL;
  const TileRtMetadata *general = r->metadata;
  out->target = general->target;
  out->chip = general->chip;
  out->core = general->core;
  out->arguments = general->arguments;
  out->argumentCount = general->argumentCount;
  JsonValue *array;
  if (!expectKind(r, value, JSON_OBJECT) ||
      !readString(r, value, "kernel", &out->kernel) ||
      !(array = require(r, value, "conditions", JSON_ARRAY)))
    return false;
  if (!array->count)
    return FAIL(r, array, "expected at least one condition, got none");
  TileRtConditionInfo *condition =
      allocate(r, array, TILE_RT_MAX_CONDITIONS, sizeof(*condition));
  if (!condition)
    return false;
  out->conditions = condition;
  out->conditionCount = array->count;
  for (JsonValue *v = array->first; v; v = v->next)
    if (!readCondition(r, v, condition++))
      return false;
  return readSymbols(&inner, value) && readLaunch(&inner, value) &&
         finish(r, value);
}

static bool readVersions(Reader *r, JsonValue *root) {
  JsonValue *array = find(root, "versions");
  if (!array || !expectKind(r, array, JSON_ARRAY))
    return !array;
  TileRtMetadata *version =
      allocate(r, array, TILE_RT_MAX_VERSIONS, sizeof(*version));
  if (!version)
    return false;
  r->metadata->versions = version;
  r->metadata->versionCount = array->count;
  for (JsonValue *v = array->first; v; v = v->next)
    if (!readVersion(r, v, version++))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Metadata
//===----------------------------------------------------------------------===//

static bool readCopies(Reader *r, JsonValue *root) {
  TileRtCopiesInfo *copies = &r->metadata->copies;
  JsonValue *value = find(root, "copies");
  copies->any = value;
  return !value || (expectKind(r, value, JSON_OBJECT) &&
                    readIndex(r, value, "source", false, &copies->source) &&
                    readIndex(r, value, "target", false, &copies->target) &&
                    readIndex(r, value, "flags", false, &copies->flags) &&
                    finish(r, value));
}

static bool readKernel(Reader *r, JsonValue *root) {
  TileRtMetadata *m = r->metadata;
  static const char *const cores[] = {"mix", "vector", "cube"};
  int64_t version = 0;
  int core = 0;
  JsonValue *member;
  if (!expectKind(r, root, JSON_OBJECT) ||
      !(member = require(r, root, "version", JSON_INTEGER)) ||
      !readInteger(r, member, 1, 1, &version) ||
      !readString(r, root, "kernel", &m->kernel) ||
      !readString(r, root, "target", &m->target) ||
      !optionalString(r, root, "chip", &m->chip) ||
      !readWord(r, root, "core", cores, 3, TILE_RT_CORE_MIX, &core) ||
      !readArguments(r, root) || !readLaunch(r, root) ||
      !readCopies(r, root))
    return false;
  m->core = (TileRtCore)core;
  return readVersions(r, root) && finish(r, root);
}

void tile_rt_metadata_free(TileRtMetadata *metadata) {
  Arena arena = {metadata ? metadata->memory : NULL};
  tile_rt_arena_free(&arena);
}

TileRtMetadata *tile_rt_metadata_parse(const char *text, size_t size,
                                       TileRtError *error) {
  if (size > TILE_RT_MAX_METADATA_BYTES) {
    tile_rt_fail(error, "metadata: expected at most %d bytes, got %zu",
                 TILE_RT_MAX_METADATA_BYTES, size);
    return NULL;
  }
  Arena arena = {NULL};
  TileRtMetadata *metadata = tile_rt_arena_alloc(&arena, sizeof(*metadata));
  Reader reader = {
      .arena = &arena, .text = text, .metadata = metadata, .error = error};
  if (!metadata) {
    tile_rt_fail(error, "metadata: expected memory, got none");
    return NULL;
  }
  JsonValue *root = tile_rt_json_parse(&arena, text, size, error);
  if (!root || !readKernel(&reader, root)) {
    tile_rt_arena_free(&arena);
    return NULL;
  }
  // The arena may have grown since its first chunk.
  metadata->memory = arena.chunks;
  return metadata;
}
