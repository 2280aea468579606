// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of boxes of tensors. Source: PTX ISA, "cp.async.bulk.tensor",
// "cp.reduce.async.bulk.tensor".

#include "numeric.h"
#include "nvidia_hopper.h"
#include "nvidia_matrix.h"
#include "nvidia_tensor_map.h"

#include <string.h>

typedef enum Reduction {
  STORE,
  ADD,
  MIN,
  MAX,
  INC,
  DEC,
  AND,
  OR,
  XOR
} Reduction;

/// A box and where it lies in shared memory.
typedef struct Box {
  NvTensorMap map;
  int32_t at[NV_MAP_RANK];
  uint64_t shared;
  Reduction reduction;
} Box;

static Box readBox(const struct simt_call *call, int mapOperand,
                   uint64_t shared) {
  Box box = {.shared = shared};
  struct simt_actor self = simt_self(call, 0);
  uint64_t address = simt_number(call, 0, mapOperand);
  if (address % NV_MAP_ALIGN)
    simt_fail(call, 0, "expected a tensor map aligned to %d bytes, got 0x%llx",
              NV_MAP_ALIGN, (unsigned long long)address);
  // A parameter, which no other thread can change.
  memcpy(&box.map, (const void *)(uintptr_t)address, sizeof(box.map));
  if (box.map.magic != SIMT_TENSOR_MAP)
    simt_fail(call, 0, "expected a tensor map, got other bytes");
  const char *what = nv_map_check(&box.map);
  if (what)
    simt_fail(call, 0, "tensor maps with %s are not modelled", what);
  // "2d" and so on is the last part of the name.
  int rank = *simt_token(call, call->instruction->tokenCount - 1) - '0';
  if (rank != box.map.rank)
    simt_fail(call, 0, "expected a tensor map of rank %d, got %d", rank,
              box.map.rank);
  for (int dim = 0; dim < rank; ++dim)
    box.at[dim] = (int32_t)simt_word(call, 0, mapOperand + 1 + dim);
  // An H200 refuses others as an illegal instruction; no manual says so.
  if (box.at[0] * (int64_t)nv_map_element_bytes(&box.map) % NV_CHUNK)
    simt_fail(call, 0,
              "expected a box that begins at a multiple of %d bytes in its "
              "rows, got element %d of %u bytes",
              NV_CHUNK, box.at[0], nv_map_element_bytes(&box.map));
  if (shared % NV_MAP_SHARED_ALIGN)
    simt_fail(call, 0,
              "expected a box aligned to %d bytes in shared memory, got byte "
              "%llu",
              NV_MAP_SHARED_ALIGN,
              (unsigned long long)(shared - simt_shared_base(call->block)));
  simt_check_space(&self, shared, SIMT_SHARED);
  return box;
}

typedef void Move(const struct simt_actor *actor, uint64_t address,
                  uint32_t bytes, uint8_t *data);

/// Calls `move` for the bytes [first, first + bytes) of a row that begins at
/// `row`, in the pieces that a swizzle leaves whole.
static void forEachPiece(const NvTensorMap *map, uint64_t row, uint32_t first,
                         uint32_t bytes, uint8_t *data,
                         const struct simt_actor *actor, Move *move) {
  uint32_t end = first + bytes;
  for (uint32_t i = first, next; i < end; i = next) {
    next = nv_map_span(map) ? i / NV_CHUNK * NV_CHUNK + NV_CHUNK : end;
    next = next < end ? next : end;
    move(actor, nv_swizzle((uint32_t)(row + i), nv_map_span(map)), next - i,
         data + i);
  }
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

typedef struct Load {
  struct simt_actor actor;
  Box box;
  uint64_t barrier;
  uint16_t ranks;
} Load;

static void putPiece(const struct simt_actor *actor, uint64_t address,
                     uint32_t bytes, uint8_t *data) {
  simt_write(actor, address, bytes, 1, data);
}

static void readRow(const struct simt_actor *actor, const NvTensorMap *map,
                    const NvBoxRow *row, uint8_t *out) {
  uint32_t element = nv_map_element_bytes(map);
  if (row->bytes && row->stride == element) {
    simt_read(actor, row->global, row->bytes, element, out + row->first);
    return;
  }
  for (uint32_t i = 0; i < row->bytes; i += element)
    simt_read(actor, row->global + (uint64_t)i / element * row->stride, element,
              element, out + row->first + i);
}

/// Copies the box to `shared` and tells the mbarrier.
static void loadBox(const Load *load, uint64_t shared, uint64_t barrier) {
  const NvTensorMap *map = &load->box.map;
  uint32_t rowBytes = nv_map_row_bytes(map), rows = nv_map_rows(map);
  uint8_t data[NV_MAP_ROW_MAX];
  for (uint32_t i = 0; i < rows; ++i) {
    NvBoxRow row = nv_map_row(map, load->box.at, i);
    nv_map_fill(map, data, rowBytes);
    readRow(&load->actor, map, &row, data);
    forEachPiece(map, shared + (uint64_t)i * rowBytes, 0, rowBytes, data,
                 &load->actor, putPiece);
  }
  nv_mbarrier_moved(&load->actor, barrier, rowBytes * rows);
}

static void executeLoad(struct simt_block *block, void *data) {
  Load *load = data;
  uint64_t shared = load->box.shared, barrier = load->barrier;
  if (!load->ranks)
    loadBox(load, shared, barrier);
  uint32_t own = simt_shared_base(block);
  for (int rank = 0; rank < simt_cluster_size(block); ++rank)
    if (load->ranks >> rank & 1) {
      uint32_t base = simt_shared_base(simt_cluster_block(block, rank));
      loadBox(load, shared - own + base, barrier - own + base);
    }
  simt_actor_end(&load->actor);
}

/// cp.async.bulk.tensor.g2s[.cta].tile.Nd to, barrier, map, coordinates ...,
/// then for clusters: ranks, hint, whether there are ranks, ...
void nv_tensor_load(struct simt_call *call) {
  Load load = {.box = readBox(call, 2, simt_number(call, 0, 0)),
               .barrier = simt_number(call, 0, 1)};
  int next = 3 + load.box.map.rank;
  if (!simt_has(call, "cta") && simt_word(call, 0, next + 2))
    load.ranks = (uint16_t)simt_word(call, 0, next);
  nv_mbarrier_check(call, 0, load.barrier);
  load.actor = simt_issue_alone(call, 0, /*async=*/true);
  simt_defer(call->block, executeLoad, &load, sizeof(load));
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

static void getPiece(const struct simt_actor *actor, uint64_t address,
                     uint32_t bytes, uint8_t *data) {
  simt_read(actor, address, bytes, 1, data);
}

/// Reads the part of the box that lies in the tensor.
static void readBoxStore(struct nv_store *store) {
  const Box *box = (const Box *)store->data;
  uint32_t rowBytes = nv_map_row_bytes(&box->map);
  for (uint32_t i = 0; i < nv_map_rows(&box->map); ++i) {
    NvBoxRow row = nv_map_row(&box->map, box->at, i);
    forEachPiece(&box->map, box->shared + (uint64_t)i * rowBytes, row.first,
                 row.bytes, store->bytes + (size_t)i * rowBytes, &store->reader,
                 getPiece);
  }
}

static uint64_t combineIntegers(Reduction reduction, uint64_t old,
                                uint64_t value, bool isSigned) {
  int64_t a = (int64_t)old, b = (int64_t)value;
  switch (reduction) {
  case ADD:
    return old + value;
  case MIN:
    return (isSigned ? a < b : old < value) ? old : value;
  case MAX:
    return (isSigned ? a > b : old > value) ? old : value;
  case INC:
    return old >= value ? 0 : old + 1;
  case DEC:
    return old == 0 || old > value ? value : old - 1;
  case AND:
    return old & value;
  case OR:
    return old | value;
  default:
    return old ^ value;
  }
}

static float combineFloats(Reduction reduction, float old, float value) {
  if (reduction == ADD)
    return old + value;
  if (old != old)
    return value;
  if (value != value)
    return old;
  return (reduction == MIN) == (old < value) ? old : value;
}

static void combineElement(const Box *box, uint8_t *at, const uint8_t *data) {
  unsigned bytes = nv_map_element_bytes(&box->map);
  NvMapType type = box->map.type;
  const struct simt_format *half = type == NV_MAP_F16    ? &simt_f16
                                   : type == NV_MAP_BF16 ? &simt_bf16
                                                         : NULL;
  uint64_t old = 0, value = 0;
  memcpy(&old, at, bytes);
  memcpy(&value, data, bytes);
  bool bitwise = box->reduction >= AND;
  if (half && !bitwise)
    old = simt_narrow(half,
                      combineFloats(box->reduction,
                                    simt_widen(half, (uint32_t)old),
                                    simt_widen(half, (uint32_t)value)),
                      /*saturate=*/false);
  else if (type == NV_MAP_F32 && !bitwise)
    old =
        simt_as_bits(combineFloats(box->reduction, simt_as_float((uint32_t)old),
                                   simt_as_float((uint32_t)value)));
  else if (type == NV_MAP_S32)
    old = combineIntegers(box->reduction, (uint64_t)(int32_t)old,
                          (uint64_t)(int32_t)value, true);
  else
    old = combineIntegers(box->reduction, old, value, type == NV_MAP_S64);
  memcpy(at, &old, bytes);
}

static void writeBoxStore(struct nv_store *store) {
  const Box *box = (const Box *)store->data;
  uint32_t rowBytes = nv_map_row_bytes(&box->map);
  uint32_t element = nv_map_element_bytes(&box->map);
  for (uint32_t i = 0; i < nv_map_rows(&box->map); ++i) {
    NvBoxRow row = nv_map_row(&box->map, box->at, i);
    const uint8_t *data = store->bytes + (size_t)i * rowBytes + row.first;
    bool whole = row.stride == element && box->reduction == STORE;
    if (whole && row.bytes)
      simt_write(&store->writer, row.global, row.bytes, element, data);
    for (uint32_t j = 0; !whole && j < row.bytes; j += element) {
      uint64_t address = row.global + (uint64_t)j / element * row.stride;
      if (box->reduction == STORE)
        simt_write(&store->writer, address, element, element, data + j);
      else
        combineElement(box,
                       simt_access(&store->writer, address, element, element,
                                   SIMT_READ | SIMT_WRITE | SIMT_ATOMIC),
                       data + j);
    }
  }
}

static Reduction parseReduction(const struct simt_call *call) {
  static const struct {
    const char *name;
    Reduction reduction;
  } names[] = {{"add", ADD}, {"min", MIN}, {"max", MAX}, {"inc", INC},
               {"dec", DEC}, {"and", AND}, {"or", OR},   {"xor", XOR}};
  for (size_t i = 0; i < sizeof(names) / sizeof(*names); ++i)
    if (simt_has(call, names[i].name))
      return names[i].reduction;
  return STORE;
}

/// cp.async.bulk.tensor.{s2g,reduce.OP}.tile.Nd from, map, coordinates ...
void nv_tensor_store(struct simt_call *call) {
  Box box = readBox(call, 1, simt_number(call, 0, 0));
  _Static_assert(sizeof(Box) <= sizeof(((struct nv_store *)0)->data), "fits");
  box.reduction = parseReduction(call);
  nv_bulk_issue(call,
                (size_t)nv_map_row_bytes(&box.map) * nv_map_rows(&box.map),
                readBoxStore, writeBoxStore, &box, sizeof(box));
}
