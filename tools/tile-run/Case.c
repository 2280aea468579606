// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#define _GNU_SOURCE 1
#include "Ranks.h"

#include "TileRuntime/Npy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const TileRunFunction *tile_run_find_function(const TileRunFile *file,
                                              const char *name) {
  int32_t count = tile_run_function_count(file);
  for (int32_t i = 0; i < count; ++i)
    if (strcmp(tile_run_function(file, i)->name, name) == 0)
      return tile_run_function(file, i);
  return NULL;
}

//===----------------------------------------------------------------------===//
// Checks of the function
//===----------------------------------------------------------------------===//

static bool checkCallable(const TileRunFunction *f, TileRtError *error) {
  if (f->problem)
    return tile_rt_fail(error, "@%s %s", f->name, f->problem);
  for (int32_t i = 0; i < f->parameterCount; ++i)
    if (f->parameters[i].problem)
      return tile_rt_fail(error, "argument %d of @%s has type %s: %s", i,
                          f->name, f->parameters[i].type,
                          f->parameters[i].problem);
  return true;
}

/// Whether a reference takes what the function takes, or if that has a world,
/// the tensors of all ranks.
static bool checkSameArguments(const TileRunFunction *f,
                               const TileRunFunction *r, TileRtError *error) {
  int32_t world = tile_run_find_world(f);
  int32_t count = f->parameterCount - (world >= 0);
  if (r->parameterCount != count)
    return tile_rt_fail(error, "@%s has %d arguments, but @%s has %d%s",
                        r->name, r->parameterCount, f->name, count,
                        world >= 0 ? " beside the world" : "");
  for (int32_t i = 0; i < count; ++i) {
    const TileRunParameter *a = &f->parameters[i + (world >= 0 && i >= world)];
    const TileRunParameter *b = &r->parameters[i];
    bool same = strcmp(a->type, b->type) == 0;
    if (world >= 0) {
      same = a->dtype == b->dtype && a->rank == b->rank &&
             a->scalar == b->scalar;
      for (int32_t d = 0; same && d < a->rank; ++d)
        same = a->shape[d] < 0 || b->shape[d] < 0 || a->shape[d] == b->shape[d];
    }
    if (!same)
      return tile_rt_fail(
          error,
          "argument %d of @%s has type %s, but that of @%s has type %s%s", i,
          r->name, b->type, f->name, a->type,
          world >= 0 && !a->scalar
              ? "; expected the dimensions of the world in front"
              : "");
  }
  return true;
}

/// Finds the reference and checks that it takes the same arguments.
static bool findReference(TileRunCase *c, const TileRunOptions *options,
                          TileRtError *error) {
  const TileRunFunction *f = c->function;
  const char *name = options->check ? options->check : f->reference;
  if (name && strcmp(name, "none") == 0)
    return true;
  bool elsewhere = strcmp(options->target, "cpu") != 0;
  if (elsewhere && (name ? strcmp(name, "cpu") == 0 : !f->onDeviceOnly)) {
    c->reference = f;
    return true;
  }
  if (!name)
    return true;
  c->reference = tile_run_find_function(c->file, name);
  if (!c->reference)
    return tile_rt_fail(error, "there is no function @%s to check @%s against",
                        name, f->name);
  const TileRunFunction *r = c->reference;
  if (!checkCallable(r, error))
    return false;
  return checkSameArguments(f, r, error);
}

static bool checkIndices(const TileRunIndexedList *list, const char *option,
                         const TileRunFunction *f, TileRtError *error) {
  for (int32_t i = 0; i < list->count; ++i)
    if (list->items[i].index >= f->parameterCount)
      return tile_rt_fail(error, "%s=%d: @%s has %d arguments", option,
                          list->items[i].index, f->name, f->parameterCount);
  return true;
}

//===----------------------------------------------------------------------===//
// Sizes and shapes
//===----------------------------------------------------------------------===//

/// What messages call an argument.
static const char *nameOf(int32_t index, const TileRunParameter *p,
                          char buffer[128]) {
  snprintf(buffer, 128, "argument %d (%.90s)", index, p->type);
  return buffer;
}

/// Parses tile.shape; for a scalar it is the one name of its value.
static bool parseSizes(const TileRunParameter *p, const char *who,
                       TileRunExtent extents[TILE_RT_MAX_RANK],
                       TileRtError *error) {
  int32_t rank;
  TileRtError inner;
  if (!tile_run_extents_parse(p->sizes, extents, &rank, &inner))
    return tile_rt_fail(error, "%s: tile.shape: %.700s", who, inner.message);
  int32_t expected = p->scalar ? 1 : p->rank;
  return rank == expected ||
         tile_rt_fail(error, "%s: expected %d extents in tile.shape, got '%s'",
                      who, expected, p->sizes);
}

bool tile_run_has_size(const TileRunFunction *function, const char *name) {
  for (int32_t i = 0; i < function->parameterCount; ++i) {
    const TileRunParameter *p = &function->parameters[i];
    TileRunExtent extents[TILE_RT_MAX_RANK];
    int32_t rank;
    if (!p->sizes || !tile_run_extents_parse(p->sizes, extents, &rank, NULL))
      continue;
    for (int32_t d = 0; d < rank; ++d)
      if (!extents[d].formula && strcmp(extents[d].name, name) == 0)
        return true;
  }
  return false;
}

/// Takes the extents of an argument over to the sizes. Negative ones are open,
/// and so are those of formulas, which wait for all sizes.
static bool bindShape(TileRunCase *c, int32_t index, const int64_t *shape,
                      TileRtError *error) {
  const TileRunParameter *p = &c->function->parameters[index];
  if (!p->sizes)
    return true;
  char who[128];
  nameOf(index, p, who);
  TileRunExtent extents[TILE_RT_MAX_RANK];
  if (!parseSizes(p, who, extents, error))
    return false;
  int32_t rank = p->scalar ? 1 : p->rank;
  for (int32_t d = 0; d < rank; ++d) {
    TileRtError inner;
    if (shape[d] < 0 || extents[d].formula)
      continue;
    if (extents[d].name[0] == 0 && extents[d].value != shape[d])
      return tile_rt_fail(error,
                          "%s: expected extent %lld in dimension %d, "
                          "got %lld",
                          who, (long long)extents[d].value, d,
                          (long long)shape[d]);
    if (extents[d].name[0] &&
        !tile_run_sizes_bind(&c->sizes, extents[d].name, shape[d], &inner))
      return tile_rt_fail(error, "%s: %.700s in dimension %d", who,
                          inner.message, d);
  }
  return true;
}

/// Reads the file that an argument, or what it is compared with, comes from.
static bool readTensor(const char *path, int32_t index,
                       const TileRunParameter *p, TileRtTensor *tensor,
                       TileRtError *error) {
  TileRtError inner;
  char who[128];
  nameOf(index, p, who);
  if (tile_rt_npy_read(path, p->dtype, tensor, &inner) &&
      tile_rt_tensor_expect(tensor, path, p->dtype, p->rank, p->shape, &inner))
    return true;
  return tile_rt_fail(error, "%s: %.800s", who, inner.message);
}

/// Applies --arg, --shape, tile.init and the static extents of one argument.
static bool bindArgument(TileRunCase *c, const TileRunOptions *options,
                         int32_t index, TileRtError *error) {
  const TileRunParameter *p = &c->function->parameters[index];
  TileRunArgument *argument = &c->arguments[index];
  char who[128];
  nameOf(index, p, who);
  const char *text = tile_run_indexed_find(&options->arguments, index);
  if (!text)
    text = p->init;
  if (text) {
    if (!tile_run_spec_parse(&argument->spec, text, who, error))
      return false;
  } else {
    argument->spec = tile_run_spec_default(p->dtype);
    if (p->result)
      argument->spec.fill.kind = TILE_RT_FILL_POISON;
  }
  int64_t scalar[1] = {-1};
  if (p->scalar && argument->spec.kind == TILE_RUN_NUMBER && text &&
      argument->spec.isInteger)
    scalar[0] = argument->spec.integer;
  if (!bindShape(c, index, p->scalar ? scalar : p->shape, error))
    return false;
  if (argument->spec.kind == TILE_RUN_FILE &&
      (!readTensor(argument->spec.path, index, p, &argument->given, error) ||
       (!p->scalar && !bindShape(c, index, argument->given.shape, error))))
    return false;
  text = tile_run_indexed_find(&options->shapes, index);
  if (!text)
    return true;
  TileRunExtent extents[TILE_RT_MAX_RANK];
  int32_t rank;
  TileRtError inner;
  int64_t shape[TILE_RT_MAX_RANK];
  if (!tile_run_extents_parse(text, extents, &rank, &inner))
    return tile_rt_fail(error, "--shape=%d: %.700s", index, inner.message);
  if (rank != p->rank || p->scalar)
    return tile_rt_fail(error,
                        "--shape=%d: expected %d extents for %s, got "
                        "'%s'",
                        index, p->rank, p->type, text);
  for (int32_t d = 0; d < rank; ++d) {
    shape[d] = extents[d].value;
    if (extents[d].name[0] || (p->shape[d] >= 0 && p->shape[d] != shape[d]))
      return tile_rt_fail(error,
                          "--shape=%d: expected numbers that fit %s, "
                          "got '%s'",
                          index, p->type, text);
  }
  memcpy(argument->shape, shape, sizeof(shape));
  return bindShape(c, index, shape, error);
}

/// The value of an extent, or -1 with the error set.
static int64_t resolveExtent(const TileRunCase *c, const TileRunExtent *extent,
                             const char *who, TileRtError *error) {
  if (extent->name[0] == 0)
    return extent->value;
  int64_t size = tile_run_sizes_find(&c->sizes, extent->name), value = -1;
  if (size < 0)
    tile_rt_fail(error, "%s: the size %s is not given; add %s=NUMBER", who,
                 extent->name, extent->name);
  else if (!tile_run_extent_apply(extent, size, &value)) {
    tile_rt_fail(error,
                 "%s: expected an extent from 0 to 2^63 - 1, which %s=%lld "
                 "does not give",
                 who, extent->name, (long long)size);
    value = -1;
  }
  return value;
}

/// Checks extents that were given against those of formulas.
static bool checkFormulas(const TileRunCase *c, int32_t index,
                          const TileRunExtent *extents, TileRtError *error) {
  const TileRunParameter *p = &c->function->parameters[index];
  char who[128];
  nameOf(index, p, who);
  for (int32_t d = 0; d < p->rank; ++d) {
    int64_t got = c->arguments[index].shape[d];
    int64_t expected =
        extents[d].formula ? resolveExtent(c, &extents[d], who, error) : got;
    if (expected < 0)
      return false;
    if (expected != got)
      return tile_rt_fail(error,
                          "%s: expected extent %lld in dimension %d of '%s' "
                          "with %s=%lld, got %lld",
                          who, (long long)expected, d, p->sizes,
                          extents[d].name,
                          (long long)tile_run_sizes_find(&c->sizes,
                                                         extents[d].name),
                          (long long)got);
  }
  return true;
}

/// Finds the shape of an argument, or the value of a scalar.
static bool resolveArgument(TileRunCase *c, const TileRunOptions *options,
                            int32_t index, TileRtError *error) {
  const TileRunParameter *p = &c->function->parameters[index];
  TileRunArgument *argument = &c->arguments[index];
  char who[128];
  nameOf(index, p, who);
  TileRunExtent extents[TILE_RT_MAX_RANK];
  if (p->sizes && !parseSizes(p, who, extents, error))
    return false;
  if (p->scalar) {
    bool told = tile_run_indexed_find(&options->arguments, index) || p->init;
    if (told)
      return true;
    if (!p->sizes)
      return tile_rt_fail(error, "%s: no value; add --arg=%d:NUMBER", who,
                          index);
    int64_t value = resolveExtent(c, extents, who, error);
    argument->spec = (TileRunSpec){.kind = TILE_RUN_NUMBER,
                                   .number = (double)value,
                                   .isInteger = true,
                                   .integer = value};
    return value >= 0;
  }
  bool shaped = tile_run_indexed_find(&options->shapes, index) != NULL;
  for (int32_t d = 0; d < p->rank; ++d) {
    if (p->shape[d] >= 0)
      argument->shape[d] = p->shape[d];
    else if (argument->given.data)
      argument->shape[d] = argument->given.shape[d];
    else if (p->sizes && !(shaped && extents[d].formula))
      argument->shape[d] = resolveExtent(c, &extents[d], who, error);
    else if (!shaped)
      return tile_rt_fail(error,
                          "%s: no shape; add --shape=%d:%s or a "
                          "tile.shape attribute",
                          who, index, p->rank == 1 ? "SIZE" : "SIZExSIZE");
    if (argument->shape[d] < 0)
      return false;
    int64_t multiple = p->sizes ? extents[d].multiple : 0;
    if (multiple &&
        (argument->shape[d] == 0 || argument->shape[d] % multiple != 0))
      return tile_rt_fail(error,
                          "%s: expected %s to be a positive multiple of %lld, "
                          "got %lld",
                          who, extents[d].name, (long long)multiple,
                          (long long)argument->shape[d]);
  }
  if (p->sizes && !checkFormulas(c, index, extents, error))
    return false;
  if (tile_rt_dtype_bits(p->dtype) < 8 &&
      (p->rank == 0 || argument->shape[p->rank - 1] % 2))
    return tile_rt_fail(error,
                        "%s: expected an even last extent of packed elements, "
                        "got %lld",
                        who,
                        p->rank ? (long long)argument->shape[p->rank - 1] : 1);
  return true;
}

//===----------------------------------------------------------------------===//
// Cases
//===----------------------------------------------------------------------===//

/// Refuses what would only fail after the machine has swapped for minutes.
static bool checkMemory(const TileRunCase *c, TileRtError *error) {
  double bytes = 0;
  for (int32_t i = 0; i < c->function->parameterCount; ++i) {
    const TileRunParameter *p = &c->function->parameters[i];
    double size = tile_rt_dtype_bits(p->dtype) / 8.0;
    for (int32_t d = 0; d < p->rank; ++d)
      size *= (double)c->arguments[i].shape[d];
    bytes += c->reference ? 2 * size : size;
  }
  double present =
      (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
  double unit = 1 << 30;
  return bytes <= present ||
         tile_rt_fail(error,
                      "the arguments take %.1f GiB, but the machine has %.1f "
                      "GiB",
                      bytes / unit, present / unit);
}

/// Compares the elements of one argument with those of a file.
static bool readExpected(TileRunCase *c, const TileRunOptions *options,
                         int32_t index, TileRtError *error) {
  const TileRunParameter *p = &c->function->parameters[index];
  const char *path = tile_run_indexed_find(&options->checkFiles, index);
  TileRtTensor *expected = &c->arguments[index].expected;
  char who[160];
  snprintf(who, sizeof(who), "--check=%d:%.120s", index, path ? path : "");
  return !path || (readTensor(path, index, p, expected, error) &&
                   tile_rt_tensor_expect(expected, who, p->dtype, p->rank,
                                         c->arguments[index].shape, error));
}

static bool planCase(TileRunCase *c, const TileRunOptions *options,
                     TileRtError *error) {
  const TileRunFunction *f = c->function;
  for (int32_t i = 0; i < c->sizes.count; ++i)
    if (!tile_run_has_size(f, c->sizes.items[i].name))
      return tile_rt_fail(error, "@%s has no size %s", f->name,
                          c->sizes.items[i].name);
  c->arguments = calloc((size_t)f->parameterCount + 1, sizeof(*c->arguments));
  if (!c->arguments || !findReference(c, options, error))
    return false;
  c->atol = options->hasAtol ? options->atol : f->atol;
  c->rtol = options->hasRtol ? options->rtol : f->rtol;
  for (int32_t i = 0; i < f->parameterCount; ++i)
    if (!bindArgument(c, options, i, error))
      return false;
  for (int32_t i = 0; i < f->parameterCount; ++i) {
    char who[128];
    nameOf(i, &f->parameters[i], who);
    if (!resolveArgument(c, options, i, error) ||
        !tile_run_spec_resolve(&c->arguments[i].spec, &c->sizes, who, error) ||
        !readExpected(c, options, i, error))
      return false;
  }
  for (int32_t i = 0; i < options->outputs.count; ++i)
    c->arguments[options->outputs.items[i].index].output =
        options->outputs.items[i].text;
  tile_run_sizes_format(&c->sizes, c->label, sizeof(c->label));
  if (c->label[0] == 0)
    strcpy(c->label, "-");
  return checkMemory(c, error);
}

/// Appends a case with the sizes of a text, or of the command line.
static bool addCase(TileRunCaseList *cases, const TileRunOptions *options,
                    const TileRunFile *file, const TileRunFunction *function,
                    const char *sizes, TileRtError *error) {
  TileRunCase *grown =
      realloc(cases->items, ((size_t)cases->count + 1) * sizeof(*cases->items));
  if (!grown)
    abort();
  cases->items = grown;
  TileRunCase *c = &cases->items[cases->count++];
  *c = (TileRunCase){.file = file, .function = function};
  TileRtError inner;
  if (sizes) {
    if (!tile_run_sizes_parse(&c->sizes, sizes, &inner))
      return tile_rt_fail(error, "tile.cases of @%s: %.800s", function->name,
                          inner.message);
    return planCase(c, options, error);
  }
  for (int32_t i = 0; i < options->sizes.count; ++i) {
    TileRunSizes one = {0};
    if (!tile_run_sizes_parse(&one, options->sizes.items[i], error))
      return false;
    if (tile_run_has_size(function, one.items[0].name) &&
        !tile_run_sizes_parse(&c->sizes, options->sizes.items[i], error))
      return false;
  }
  return planCase(c, options, error);
}

bool tile_run_plan(TileRunCaseList *cases, const TileRunOptions *options,
                   const TileRunFile *file, const TileRunFunction *function,
                   TileRtError *error) {
  if (!checkCallable(function, error) ||
      !checkIndices(&options->arguments, "--arg", function, error) ||
      !checkIndices(&options->shapes, "--shape", function, error) ||
      !checkIndices(&options->outputs, "--out", function, error) ||
      !checkIndices(&options->checkFiles, "--check", function, error))
    return false;
  bool single = options->sizes.count > 0 || options->shapes.count > 0 ||
                options->checkFiles.count > 0 || function->caseCount == 0;
  for (int32_t i = 0; i < options->arguments.count; ++i) {
    const char *text = options->arguments.items[i].text;
    single |= strlen(text) > 4 && strcmp(text + strlen(text) - 4, ".npy") == 0;
  }
  if (single)
    return addCase(cases, options, file, function, NULL, error);
  if (options->outputs.count > 0 && function->caseCount > 1)
    return tile_rt_fail(error,
                        "--out: expected one case, but @%s has %d; give sizes",
                        function->name, function->caseCount);
  for (int32_t i = 0; i < function->caseCount; ++i)
    if (!addCase(cases, options, file, function, function->cases[i], error))
      return false;
  return true;
}

void tile_run_cases_free(TileRunCaseList *cases) {
  for (int32_t i = 0; i < cases->count; ++i) {
    TileRunCase *c = &cases->items[i];
    for (int32_t k = 0; c->arguments && k < c->function->parameterCount; ++k) {
      tile_rt_tensor_free(&c->arguments[k].given);
      tile_rt_tensor_free(&c->arguments[k].expected);
    }
    free(c->arguments);
  }
  free(cases->items);
}
