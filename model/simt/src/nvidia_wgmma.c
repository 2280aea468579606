// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wgmma. Source: PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions".
//
// A product reads its operands from shared memory some time between its issue
// and the wait for its group, in an order that the seed chooses; those with the
// same accumulators keep theirs. Until the wait, the registers of accumulators
// hold tokens, signalling NaNs that name what they stand for, which arithmetic
// makes quiet ones; `wgmma.wait_group` replaces them in the registers that it
// is given.
//
// Products of elements are exact. A sum starts with the accumulator and takes
// the products in the order of K, each rounded to f32; an f16 accumulator is
// rounded once an instruction. Hardware keeps fewer bits of fp8 sums, and its
// order is its own.

#include "numeric.h"
#include "nvidia_hopper.h"
#include "nvidia_matrix.h"

#include <stdio.h>
#include <string.h>

enum {
  kMaxSums = 16,  // accumulators of a warpgroup that are on their way
  kPending = 512, // instructions of a warpgroup that are on their way
  kMaxK = 2 * NV_WGMMA_K_BYTES, // of a sparse A, with what is not stored
  kMaxGroups = kMaxK / 4,
  kTokenMark = 0x7F9, // of bits 20 and up
  kMaxWarpgroups = 8,
  kWarps = 4, // of a warpgroup
  kWarp = NV_WGMMA_LANES / kWarps,
};

typedef enum Kind { F16, BF16, TF32, E4M3, E5M2, S8, U8, F32, S32 } Kind;

/// What arithmetic changes of a token.
static const uint32_t kComputed = UINT32_C(1) << 31 | UINT32_C(1) << 22;

/// The form of an instruction.
typedef struct Shape {
  unsigned columns, k, bytes; // bytes of an element of A and B
  Kind a, b, sum;
  bool saturates;
  bool sparse;      // A stores one half of K
  unsigned storedK; // of A
} Shape;

typedef struct Matrix {
  NvDescriptor descriptor;
  bool kMajor;
  float sign;
} Matrix;

typedef union Values {
  float f32[NV_WGMMA_ROWS][NV_WGMMA_COLUMNS_MAX];
  int32_t s32[NV_WGMMA_ROWS][NV_WGMMA_COLUMNS_MAX];
} Values;

/// Accumulators on their way.
typedef struct Sums {
  bool live;
  uint8_t version; // which instruction wrote its tokens
  Shape shape;
  uint32_t group;  // of the last instruction
  uint64_t effect; // likewise
  Values *values;
} Sums;

/// One instruction that waits for its moment.
typedef struct Product {
  Values *sums;
  uint64_t before; // the effect of the instruction before on the same sums
  struct simt_actor actors[kWarps];
  int rightReader; // the warp that is the last to read B
  Shape shape;
  Matrix a, b;
  bool fromRegisters, keep;
  uint8_t places[NV_WGMMA_ROWS][kMaxGroups]; // of a sparse A
  bool isStored[NV_WGMMA_ROWS][kMaxK];       // the same
  float fragment[NV_WGMMA_ROWS][kMaxK]; // A, where it came in registers
} Product;

typedef struct Pending {
  uint64_t effect;
  uint32_t group;
  struct simt_epoch epochs[kWarps];
  const struct simt_instruction *instruction;
} Pending;

typedef struct Warpgroup {
  bool fenced;
  uint32_t open; // the number of the group that the next commit closes
  int pendingCount;
  Pending pending[kPending];
  Sums sums[kMaxSums];
} Warpgroup;

static Warpgroup *lookUpWarpgroup(struct simt_block *block, int thread) {
  static const char keys[kMaxWarpgroups];
  return simt_state(block, &keys[thread / NV_WGMMA_LANES], sizeof(Warpgroup),
                    NULL);
}

static Warpgroup *getWarpgroup(const struct simt_call *call) {
  return lookUpWarpgroup(call->block, call->first);
}

static Values *getValues(const struct simt_call *call, int index) {
  static const char keys[kMaxWarpgroups][kMaxSums];
  return simt_state(call->block, &keys[call->first / NV_WGMMA_LANES][index],
                    sizeof(Values), NULL);
}

static void expectWholeWarpgroup(const struct simt_call *call) {
  for (int lane = 0; lane < call->lanes; ++lane)
    if (!call->active[lane])
      simt_fail(call, lane,
                "expected all 128 threads of the warpgroup, got one that has "
                "returned");
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

static const struct {
  const char *name;
  Kind kind;
  unsigned bytes;
} kinds[] = {{"f16", F16, 2},   {"bf16", BF16, 2}, {"tf32", TF32, 4},
             {"e4m3", E4M3, 1}, {"e5m2", E5M2, 1}, {"s8", S8, 1},
             {"u8", U8, 1},     {"f32", F32, 4},   {"s32", S32, 4}};

static Kind parseKind(const struct simt_call *call, int token,
                      unsigned *bytes) {
  const char *name = simt_token(call, token);
  for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); ++i)
    if (strcmp(kinds[i].name, name) == 0) {
      *bytes = kinds[i].bytes;
      return kinds[i].kind;
    }
  simt_fail(call, -1, "type '%s' of wgmma is not modelled", name);
}

/// wgmma.mma_async[.sp].sync.aligned.m64nNkK[.satfinite].D.A.B
static Shape parseShape(const struct simt_call *call) {
  Shape shape = {0};
  unsigned rows = 0, bytes;
  shape.sparse = simt_has(call, "sp");
  const char *extents = simt_token(call, 4 + shape.sparse);
  if (sscanf(extents, "m%un%uk%u", &rows, &shape.columns, &shape.k) != 3)
    simt_fail(call, -1, "expected a shape m64nNkK, got '%s'", extents);
  shape.storedK = shape.sparse ? shape.k / 2 : shape.k;
  int last = call->instruction->tokenCount - 1;
  shape.sum = parseKind(call, last - 2, &bytes);
  shape.a = parseKind(call, last - 1, &shape.bytes);
  shape.b = parseKind(call, last, &bytes);
  shape.saturates = simt_has(call, "satfinite");
  if (rows != NV_WGMMA_ROWS || shape.columns % 8 || !shape.columns ||
      shape.columns > NV_WGMMA_COLUMNS_MAX ||
      shape.storedK * shape.bytes != NV_WGMMA_K_BYTES ||
      bytes != shape.bytes)
    simt_fail(call, -1,
              "expected m64, n of 8 to 256 in steps of 8, and 32 bytes of k, "
              "got '%s'",
              extents);
  return shape;
}

static unsigned countRegisters(const Shape *shape) {
  return shape->columns / (shape->sum == F16 ? 4 : 2);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// The values of all patterns of a format of up to 16 bits.
static const float *tabulate(Kind kind) {
  static const struct simt_format *const formats[] = {
      [F16] = &simt_f16, [E4M3] = &simt_e4m3, [E5M2] = &simt_e5m2};
  static _Thread_local float f16[1 << 16], e4m3[1 << 8], e5m2[1 << 8];
  static _Thread_local bool known[E5M2 + 1];
  float *table = kind == F16 ? f16 : kind == E4M3 ? e4m3 : e5m2;
  for (uint32_t i = 0; !known[kind] && i < (kind == F16 ? 1u << 16 : 1u << 8);
       ++i)
    table[i] = simt_widen(formats[kind], i);
  known[kind] = true;
  return table;
}

static float decode(Kind kind, const uint8_t *at) {
  uint32_t bits = 0;
  switch (kind) {
  case F16:
    memcpy(&bits, at, 2);
    return tabulate(kind)[bits];
  case BF16:
    memcpy(&bits, at, 2);
    return simt_as_float(bits << 16);
  case E4M3:
  case E5M2:
    return tabulate(kind)[*at];
  case S8:
    return (int8_t)*at;
  case U8:
    return *at;
  default: // tf32 is f32 without the last 13 bits
    memcpy(&bits, at, 4);
    return simt_as_float(bits & ~UINT32_C(0x1FFF));
  }
}

static float roundToF16(float value) {
  return simt_widen(&simt_f16, simt_narrow(&simt_f16, value, false));
}

/// Reads `outer` rows (of A) or columns (of B), from `first` on: out[outer][k].
static void readMatrix(const Product *p, const Matrix *m, Kind kind,
                       unsigned depth, int warp, unsigned first, unsigned outer,
                       float (*out)[kMaxK]) {
  const struct simt_actor *actor = &p->actors[warp];
  uint32_t base = simt_shared_base(actor->block);
  unsigned bytes = p->shape.bytes, perChunk = NV_CHUNK / bytes;
  unsigned lines = m->kMajor ? outer : depth;
  unsigned chunks = (m->kMajor ? depth : outer) / perChunk;
  unsigned firstLine = m->kMajor ? first : 0;
  unsigned firstChunk = m->kMajor ? 0 : first / perChunk;
  for (unsigned line = firstLine; line < firstLine + lines; ++line)
    for (unsigned chunk = firstChunk; chunk < firstChunk + chunks; ++chunk) {
      uint32_t address =
          base + nv_descriptor_chunk(&m->descriptor, m->kMajor, line, chunk);
      const uint8_t *data =
          simt_access(actor, address, NV_CHUNK, NV_CHUNK, SIMT_READ);
      for (unsigned i = 0; i < perChunk; ++i) {
        float value = m->sign * decode(kind, data + i * bytes);
        if (m->kMajor)
          out[line][chunk * perChunk + i] = value;
        else
          out[chunk * perChunk + i][line] = value;
      }
    }
}

static void multiplyFloats(const Product *p, float (*a)[kMaxK],
                           float (*b)[kMaxK]) {
  static _Thread_local float right[kMaxK][NV_WGMMA_COLUMNS_MAX];
  unsigned columns = p->shape.columns;
  for (unsigned j = 0; j < columns; ++j)
    for (unsigned k = 0; k < p->shape.k; ++k)
      right[k][j] = b[j][k];
  for (unsigned i = 0; i < NV_WGMMA_ROWS; ++i) {
    float *restrict sum = p->sums->f32[i];
    if (!p->keep)
      memset(sum, 0, columns * sizeof(*sum));
    for (unsigned k = 0; k < p->shape.k; ++k) {
      if (p->shape.sparse && !p->isStored[i][k])
        continue;
      float left = a[i][k];
      const float *restrict row = right[k];
      for (unsigned j = 0; j < columns; ++j)
        sum[j] += left * row[j];
    }
    if (p->shape.sum == F16)
      for (unsigned j = 0; j < columns; ++j)
        sum[j] = roundToF16(sum[j]);
  }
}

/// Sums of 8-bit products, which floats hold exactly.
static void multiplyIntegers(const Product *p, float (*a)[kMaxK],
                             float (*b)[kMaxK]) {
  for (unsigned i = 0; i < NV_WGMMA_ROWS; ++i)
    for (unsigned j = 0; j < p->shape.columns; ++j) {
      float products = 0;
      for (unsigned k = 0; k < p->shape.k; ++k)
        products += a[i][k] * b[j][k];
      int32_t *sum = &p->sums->s32[i][j];
      int64_t result = (p->keep ? (int64_t)*sum : 0) + (int64_t)products;
      if (p->shape.saturates)
        result = result > INT32_MAX   ? INT32_MAX
                 : result < INT32_MIN ? INT32_MIN
                                      : result;
      *sum = (int32_t)(uint32_t)(uint64_t)result;
    }
}

/// Puts the stored elements of A in their places.
static void spread(Product *p, float (*a)[kMaxK]) {
  unsigned size = p->shape.bytes == 4 ? 2 : 4;
  for (unsigned row = 0; row < NV_WGMMA_ROWS; ++row) {
    float stored[kMaxK];
    memcpy(stored, p->fromRegisters ? p->fragment[row] : a[row],
           sizeof(stored));
    nv_metadata_spread(p->places[row], p->shape.k / size, p->shape.bytes,
                       stored, a[row], p->isStored[row]);
  }
}

/// Products with the same sums keep their order. Each warp reads its own rows
/// of A and all of B, of which the last reader is entered into the history.
static void execute(struct simt_block *block, void *data) {
  static _Thread_local float a[NV_WGMMA_ROWS][kMaxK];
  static _Thread_local float b[NV_WGMMA_COLUMNS_MAX][kMaxK];
  enum { kRows = NV_WGMMA_ROWS / kWarps };
  Product *p = data;
  simt_finish(block, p->before);
  for (int warp = 0; warp < kWarps && !p->fromRegisters; ++warp)
    readMatrix(p, &p->a, p->shape.a, p->shape.storedK, warp,
               (unsigned)warp * kRows, kRows, a);
  readMatrix(p, &p->b, p->shape.b, p->shape.k, p->rightReader, 0,
             p->shape.columns, b);
  if (p->shape.sparse)
    spread(p, a);
  (p->shape.sum == S32 ? multiplyIntegers : multiplyFloats)(
      p, p->fromRegisters && !p->shape.sparse ? p->fragment : a, b);
  for (int warp = 0; warp < kWarps; ++warp)
    simt_actor_end(&p->actors[warp]);
}

//===----------------------------------------------------------------------===//
// Accumulators
//===----------------------------------------------------------------------===//

static uint32_t makeToken(const Warpgroup *group, const Sums *sums,
                          unsigned reg) {
  return (uint32_t)kTokenMark << 20 | (uint32_t)(sums - group->sums) << 16 |
         (uint32_t)sums->version << 8 | reg;
}

/// The accumulators that a word stands for or was computed from, or null.
static Sums *lookUpToken(Warpgroup *group, uint32_t word) {
  Sums *sums = &group->sums[word >> 16 & (kMaxSums - 1)];
  return (word & ~kComputed) >> 20 == kTokenMark && sums->live &&
                 (word >> 8 & 0xFF) == sums->version &&
                 (word & 0xFF) < countRegisters(&sums->shape)
             ? sums
             : NULL;
}

/// Where a register's element `half` stands in the matrix.
static void locate(const Shape *shape, unsigned lane, unsigned reg,
                   unsigned half, unsigned *row, unsigned *column) {
  unsigned i = shape->sum == F16 ? 2 * reg + half : reg;
  *row = nv_accumulator_row(lane, i);
  *column = nv_accumulator_column(lane, i);
}

static void loadRegister(Sums *sums, unsigned lane, unsigned reg,
                         uint32_t word) {
  unsigned i, j;
  locate(&sums->shape, lane, reg, 0, &i, &j);
  if (sums->shape.sum == F32) {
    sums->values->f32[i][j] = simt_as_float(word);
  } else if (sums->shape.sum == S32) {
    sums->values->s32[i][j] = (int32_t)word;
  } else {
    sums->values->f32[i][j] = simt_widen(&simt_f16, word & 0xFFFF);
    sums->values->f32[i][j + 1] = simt_widen(&simt_f16, word >> 16);
  }
}

static uint32_t storeRegister(const Sums *sums, unsigned lane, unsigned reg) {
  unsigned i, j;
  locate(&sums->shape, lane, reg, 0, &i, &j);
  if (sums->shape.sum == F32)
    return simt_as_bits(sums->values->f32[i][j]);
  if (sums->shape.sum == S32)
    return (uint32_t)sums->values->s32[i][j];
  return simt_narrow(&simt_f16, sums->values->f32[i][j], false) |
         (uint32_t)simt_narrow(&simt_f16, sums->values->f32[i][j + 1], false)
             << 16;
}

static Sums *startSums(const struct simt_call *call, Warpgroup *group,
                       const Shape *shape, bool keep) {
  Sums *sums = group->sums;
  while (sums < group->sums + kMaxSums && sums->live)
    ++sums;
  if (sums == group->sums + kMaxSums)
    simt_fail(call, -1,
              "expected at most %d accumulators on their way; give finished "
              "ones to wgmma.wait_group",
              kMaxSums);
  sums->live = true;
  sums->shape = *shape;
  sums->effect = 0;
  sums->values = getValues(call, (int)(sums - group->sums));
  for (int lane = 0; keep && lane < call->lanes; ++lane) {
    const uint32_t *words = simt_result(call, lane, 0);
    for (unsigned reg = 0; reg < countRegisters(shape); ++reg)
      loadRegister(sums, (unsigned)lane, reg, words[reg]);
  }
  return sums;
}

/// The accumulators in the registers that the instruction gets: those of an
/// earlier one, or new ones. What is not kept need not be read.
static Sums *findSums(const struct simt_call *call, Warpgroup *group,
                      const Shape *shape, bool keep) {
  Sums *sums = lookUpToken(group, *simt_result(call, 0, 0));
  for (int lane = 0; lane < call->lanes; ++lane) {
    const uint32_t *words = simt_result(call, lane, 0);
    for (unsigned reg = 0; reg < countRegisters(shape); ++reg) {
      bool same = sums ? words[reg] == makeToken(group, sums, reg)
                       : !lookUpToken(group, words[reg]);
      if (!same)
        simt_fail(call, lane,
                  "expected the accumulators of one wgmma as it left them, got "
                  "another value in register %u; wait for its group before",
                  reg);
    }
  }
  if (!sums)
    return startSums(call, group, shape, keep);
  if (sums->shape.columns != shape->columns || sums->shape.sum != shape->sum)
    simt_fail(call, -1,
              "expected accumulators of the same shape as the wgmma before, "
              "n%u, got n%u",
              sums->shape.columns, shape->columns);
  return sums;
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

static void readFragment(const struct simt_call *call, Warpgroup *group,
                         Product *p) {
  const Shape *shape = &p->shape;
  unsigned count = NV_WGMMA_ROWS * shape->storedK / NV_WGMMA_LANES;
  for (int lane = 0; lane < call->lanes; ++lane) {
    const uint32_t *words = simt_words(call, lane, 0);
    for (unsigned i = 0; i < count; ++i) {
      const uint8_t *at = (const uint8_t *)words + i * shape->bytes;
      p->fragment[nv_fragment_row((unsigned)lane, i, shape->bytes)]
                 [nv_fragment_column((unsigned)lane, i, shape->bytes)] =
          p->a.sign * decode(shape->a, at);
    }
    for (unsigned word = 0; word < count * shape->bytes / 4; ++word)
      if (lookUpToken(group, words[word]))
        simt_fail(call, lane,
                  "register %u of A is an accumulator of a wgmma that was not "
                  "waited for",
                  word);
  }
}

static Matrix readDescriptor(const struct simt_call *call, int operand) {
  Matrix matrix = {.kMajor = true, .sign = 1};
  uint64_t bits = simt_number(call, 0, operand);
  for (int lane = 1; lane < call->lanes; ++lane)
    if (simt_number(call, lane, operand) != bits)
      simt_fail(call, lane,
                "expected the same descriptor in all threads, got 0x%llx and "
                "0x%llx",
                (unsigned long long)bits,
                (unsigned long long)simt_number(call, lane, operand));
  if (!nv_descriptor_decode(bits, &matrix.descriptor))
    simt_fail(call, -1, "expected a descriptor of a matrix, got 0x%llx",
              (unsigned long long)bits);
  return matrix;
}

/// The metadata of a sparse A, of which each warp has those of its 16 rows, and
/// the selector.
static void readPlaces(const struct simt_call *call, Product *p) {
  unsigned bytes = p->shape.bytes, size = bytes == 4 ? 2 : 4;
  uint32_t selector = simt_word(call, 0, 3);
  if (selector > (bytes == 1 ? 0 : 1))
    simt_fail(call, -1, "a sparsity selector of %u", selector);
  for (unsigned row = 0; row < NV_WGMMA_ROWS; ++row)
    for (unsigned group = 0; group < p->shape.k / size; ++group) {
      unsigned own = row % 16;
      unsigned lane = row / 16 * kWarp +
                      nv_metadata_lane(own, group, bytes, selector);
      p->places[row][group] = simt_word(call, (int)lane, 2) >>
                                  nv_metadata_shift(own, group, bytes) &
                              15;
      if (!nv_metadata_legal(p->places[row][group], bytes))
        simt_fail(call, (int)lane,
                  "metadata %u of group %u of row %u, whose places do not "
                  "ascend",
                  p->places[row][group], group, row);
    }
}

/// Sets the operands behind the matrices: scale-d, and for floats scale-a,
/// scale-b, and for 16-bit types the transposes.
static void readModifiers(const struct simt_call *call, Product *p) {
  int first = p->shape.sparse ? 4 : 2, next = first;
  int count = call->instruction->operandCount;
  p->keep = next < count ? simt_word(call, 0, next++) != 0 : true;
  for (int lane = 1; count > first && lane < call->lanes; ++lane)
    if ((simt_word(call, lane, first) != 0) != p->keep)
      simt_fail(call, lane, "expected the same scale-d in all threads");
  if (p->shape.sum != S32 && next + 1 < count) {
    p->a.sign = (int32_t)simt_word(call, 0, next++) < 0 ? -1 : 1;
    p->b.sign = (int32_t)simt_word(call, 0, next++) < 0 ? -1 : 1;
  }
  if (!p->fromRegisters && next + 1 < count)
    p->a.kMajor = simt_word(call, 0, next++) == 0;
  if (next < count)
    p->b.kMajor = simt_word(call, 0, next++) == 0;
  if (p->shape.bytes != 2 && !(p->a.kMajor && p->b.kMajor))
    simt_fail(call, -1, "expected K-major operands of a type of %u bits",
              p->shape.bytes * 8);
}

static bool isLate(struct simt_block *block, int thread, uint32_t word) {
  return (word & ~kComputed) >> 20 == kTokenMark &&
         lookUpToken(lookUpWarpgroup(block, thread), word) != NULL;
}

static void expectNonePending(struct simt_block *block, int thread) {
  const Warpgroup *group = lookUpWarpgroup(block, thread);
  if (group->pendingCount)
    simt_report(block, thread, group->pending->instruction,
                "the thread returns, but the wgmma was not waited for");
}

void nv_wgmma_mma(struct simt_call *call) {
  expectWholeWarpgroup(call);
  Warpgroup *group = getWarpgroup(call);
  static _Thread_local Product p;
  p = (Product){.shape = parseShape(call)};
  p.fromRegisters = call->instruction->operands[0].elements > 1;
  if (!p.fromRegisters)
    p.a = readDescriptor(call, 0);
  p.a.sign = 1;
  p.a.kMajor = true;
  p.b = readDescriptor(call, 1);
  readModifiers(call, &p);
  if (p.shape.sparse)
    readPlaces(call, &p);
  if (p.fromRegisters)
    readFragment(call, group, &p);
  bool chained = lookUpToken(group, *simt_result(call, 0, 0));
  if (!group->fenced && (p.fromRegisters || !chained))
    simt_fail(call, -1,
              "expected wgmma.fence between what wrote its registers and the "
              "wgmma");
  if (group->pendingCount == kPending)
    simt_fail(call, -1, "expected at most %d wgmma on their way", kPending);
  Sums *sums = findSums(call, group, &p.shape, p.keep);
  p.sums = sums->values;
  p.before = sums->effect;
  Pending *pending = &group->pending[group->pendingCount++];
  for (int warp = 0; warp < kWarps; ++warp) {
    p.actors[warp] =
        simt_issue(call, warp * kWarp, SIMT_MATRIX, /*async=*/true);
    pending->epochs[warp] = p.actors[warp].epoch;
  }
  p.rightReader = (int)(simt_random(call->block) % kWarps);
  sums->effect =
      simt_defer(call->block, execute, &p,
                 p.fromRegisters ? sizeof(p) : offsetof(Product, fragment));
  sums->group = group->open;
  ++sums->version;
  pending->effect = sums->effect;
  pending->group = group->open;
  pending->instruction = call->instruction;
  simt_at_return(call->block, call->first, expectNonePending);
  for (int lane = 0; lane < call->lanes; ++lane) {
    simt_watch(call->block, call->first + lane, isLate);
    uint32_t *words = simt_result(call, lane, 0);
    for (unsigned reg = 0; reg < countRegisters(&sums->shape); ++reg)
      words[reg] = makeToken(group, sums, reg);
  }
}

void nv_wgmma_fence(struct simt_call *call) {
  expectWholeWarpgroup(call);
  getWarpgroup(call)->fenced = true;
}

/// Whether registers have changed since the fence cannot be seen. Those of the
/// next group are taken to have.
void nv_wgmma_commit(struct simt_call *call) {
  expectWholeWarpgroup(call);
  Warpgroup *group = getWarpgroup(call);
  ++group->open;
  group->fenced = false;
}

/// Completes the groups before `end`.
static void finishGroups(const struct simt_call *call, Warpgroup *group,
                         uint32_t end) {
  int done = 0;
  while (done < group->pendingCount && group->pending[done].group < end)
    simt_finish(call->block, group->pending[done++].effect);
  if (!done)
    return;
  // Later epochs of an agent cover the earlier ones.
  for (int lane = 0; lane < call->lanes; ++lane)
    simt_join(call->block, call->first + lane,
              group->pending[done - 1].epochs[lane / kWarp]);
  group->pendingCount -= done;
  memmove(group->pending, group->pending + done,
          sizeof(*group->pending) * (size_t)group->pendingCount);
}

/// Replaces the tokens of finished accumulators, and forgets these.
static void replaceTokens(struct simt_call *call, Warpgroup *group,
                          uint32_t end) {
  const struct simt_instruction *instruction = call->instruction;
  bool replaced[kMaxSums] = {false};
  for (int lane = 0; lane < call->lanes; ++lane)
    for (int i = 0; i < instruction->assemblyCount; ++i) {
      const struct simt_operand *operand = &instruction->assembly[i];
      uint32_t *words = call->registers[lane] + operand->word;
      for (int word = 0; word < operand->words; ++word) {
        Sums *sums = lookUpToken(group, words[word]);
        if (sums && words[word] & kComputed)
          simt_fail(call, lane,
                    "expected the accumulators of a wgmma as it left them, got "
                    "what was computed from register %u; wait for its group "
                    "before",
                    words[word] & 0xFF);
        if (!sums || sums->group >= end)
          continue;
        words[word] = storeRegister(sums, (unsigned)lane, words[word] & 0xFF);
        replaced[sums - group->sums] = true;
      }
    }
  for (int index = 0; index < kMaxSums; ++index)
    if (replaced[index]) {
      group->sums[index].live = false;
      ++group->sums[index].version;
    }
}

void nv_wgmma_wait(struct simt_call *call) {
  expectWholeWarpgroup(call);
  Warpgroup *group = getWarpgroup(call);
  uint32_t keep = simt_word(call, 0, 0);
  uint32_t end = group->open > keep ? group->open - keep : 0;
  finishGroups(call, group, end);
  replaceTokens(call, group, end);
  // Now the program may read and change its registers.
  group->fenced = false;
}
