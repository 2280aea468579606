// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exchanges between the lanes of a wave.
//
// Sources: [isa] CDNA3, RDNA3 and CDNA4 instruction set architecture: "Data
// Parallel Processing (DPP)", "DPP_CTRL Enumeration", "Data Share Operations",
// and the entries of the instructions that the comments name; [llvm]
// llvm/IR/IntrinsicsAMDGPU.td.

#include "amd.h"

#include <string.h>

enum { ROW = 16, NOBODY = -1 };

static void copy_words(const struct simt_call *call, int lane, int result,
                       const uint32_t *words) {
  memcpy(simt_result(call, lane, result), words,
         4u * call->instruction->results[result].words);
}

static void clear_result(const struct simt_call *call, int lane) {
  memset(simt_result(call, lane, 0), 0,
         4u * call->instruction->results[0].words);
}

static bool is_active(const struct simt_call *call, int lane) {
  return lane >= 0 && lane < call->lanes && call->active[lane];
}

/// Lanes that are not active give 0.
static void read_from(const struct simt_call *call, int lane, int operand,
                      int source) {
  if (is_active(call, source))
    copy_words(call, lane, 0, simt_words(call, source, operand));
  else
    clear_result(call, lane);
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

/// V_MBCNT_LO_U32_B32 and V_MBCNT_HI_U32_B32: the bits of the mask for lanes
/// below this one, among the first or the last 32 lanes.
static void run_mbcnt(struct simt_call *call) {
  const struct simt_launch *launch = simt_launch_of(call->block);
  int lane = call->first % launch->warpSize;
  int below = !strcmp(simt_token(call, 3), "hi") ? lane - 32 : lane;
  uint32_t bits = below <= 0 ? 0 : below >= 32 ? 0xffffffff : (1u << below) - 1;
  uint32_t count = (uint32_t)__builtin_popcount(simt_word(call, 0, 0) & bits);
  simt_set(call, 0, 0, simt_word(call, 0, 1) + count);
}

static void run_ballot(struct simt_call *call) {
  uint64_t mask = 0;
  for (int lane = 0; lane < call->lanes; ++lane)
    if (call->active[lane] && simt_word(call, lane, 0) & 1)
      mask |= (uint64_t)1 << lane;
  for (int lane = 0; lane < call->lanes; ++lane)
    if (call->active[lane])
      simt_set(call, lane, 0, mask);
}

//===----------------------------------------------------------------------===//
// One lane to all
//===----------------------------------------------------------------------===//

static void run_readfirstlane(struct simt_call *call) {
  int first = simt_amd_first(call);
  for (int lane = 0; lane < call->lanes; ++lane)
    if (call->active[lane])
      read_from(call, lane, 0, first);
}

/// The number of the lane is a scalar.
static int get_uniform_lane(const struct simt_call *call, int operand) {
  int first = simt_amd_first(call);
  uint32_t number = simt_word(call, first, operand);
  for (int lane = first; lane < call->lanes; ++lane)
    if (call->active[lane] && simt_word(call, lane, operand) != number)
      simt_fail(call, lane,
                "expected all lanes to name the same lane, got %u and %u",
                number, simt_word(call, lane, operand));
  return (int)(number % (unsigned)call->lanes);
}

static void run_readlane(struct simt_call *call) {
  int source = get_uniform_lane(call, 1);
  if (!call->active[source])
    simt_fail(call, source, "expected lane %d, which is read, to be active",
              source);
  for (int lane = 0; lane < call->lanes; ++lane)
    if (call->active[lane])
      read_from(call, lane, 0, source);
}

/// (value, lane, old)
static void run_writelane(struct simt_call *call) {
  int target = get_uniform_lane(call, 1);
  for (int lane = 0; lane < call->lanes; ++lane)
    if (call->active[lane])
      copy_words(call, lane, 0, simt_words(call, lane, lane == target ? 0 : 2));
}

//===----------------------------------------------------------------------===//
// Through the crossbar of LDS
//===----------------------------------------------------------------------===//

/// DS_BPERMUTE_B32: (address, value); four bytes of the address are a lane.
static void run_bpermute(struct simt_call *call) {
  for (int lane = 0; lane < call->lanes; ++lane)
    if (call->active[lane])
      read_from(call, lane, 1,
                (int)(simt_word(call, lane, 0) / 4 % (unsigned)call->lanes));
}

/// DS_PERMUTE_B32: of lanes that write to the same one, the last wins.
static void run_permute(struct simt_call *call) {
  for (int lane = 0; lane < call->lanes; ++lane)
    if (call->active[lane])
      clear_result(call, lane);
  for (int lane = 0; lane < call->lanes; ++lane) {
    int target = (int)(simt_word(call, lane, 0) / 4 % (unsigned)call->lanes);
    if (call->active[lane] && call->active[target])
      copy_words(call, target, 0, simt_words(call, lane, 1));
  }
}

/// DS_SWIZZLE_B32: within 32 lanes; bits 15 to 13 are the mode.
static int get_swizzle_source(const struct simt_call *call, int lane,
                              unsigned pattern) {
  int at = lane % 32, half = lane - at;
  if (pattern < 0x8000) // an AND, an OR and an XOR of 5 bits each
    return half + (((at & (int)(pattern & 31)) | (int)(pattern >> 5 & 31)) ^
                   (int)(pattern >> 10 & 31));
  if (pattern < 0xc000) // a permutation of four lanes
    return lane - lane % 4 + (int)(pattern >> (2 * (lane % 4)) & 3);
  if (pattern < 0xe000) { // a rotation under a mask of 5 bits
    int step = (int)(pattern >> 5 & 31), mask = (int)(pattern & 31);
    int other = pattern & 0x400 ? at - step : at + step;
    return half + ((at & mask) | (other & 31 & ~mask));
  }
  simt_fail(call, lane, "the model has no ds_swizzle of pattern 0x%04x",
            pattern);
}

static void run_swizzle(struct simt_call *call) {
  for (int lane = 0; lane < call->lanes; ++lane)
    if (call->active[lane])
      read_from(
          call, lane, 0,
          get_swizzle_source(call, lane, simt_word(call, lane, 1) & 0xffff));
}

//===----------------------------------------------------------------------===//
// DPP
//===----------------------------------------------------------------------===//

/// The lane that DPP reads from, or NOBODY. Shifts by a whole wave and
/// broadcasts between rows are those of gfx9, broadcasts within a row of gfx90a
/// and later.
static int get_dpp_source(const struct simt_call *call, int lane,
                          unsigned control) {
  int at = lane % ROW, row = lane - at, step = (int)(control & 15);
  if (control < 0x100) // quad_perm
    return lane - lane % 4 + (int)(control >> (2 * (lane % 4)) & 3);
  switch (control & 0x1f0) {
  case 0x100: // row_shl
    return step == 0 ? NOBODY : at + step < ROW ? lane + step : NOBODY;
  case 0x110: // row_shr
    return at >= step ? lane - step : NOBODY;
  case 0x120: // row_ror
    return row + (at - step + ROW) % ROW;
  case 0x150: // row_newbcast, row_share
    return row + step;
  case 0x160: // row_xmask
    return row + (at ^ step);
  default:
    break;
  }
  switch (control) {
  case 0x130: // wave_shl:1
    return lane + 1 < call->lanes ? lane + 1 : NOBODY;
  case 0x134: // wave_rol:1
    return (lane + 1) % call->lanes;
  case 0x138: // wave_shr:1
    return lane - 1;
  case 0x13c: // wave_ror:1
    return (lane + call->lanes - 1) % call->lanes;
  case 0x140: // row_mirror
    return row + (ROW - 1 - at);
  case 0x141: // row_half_mirror
    return row + (at ^ 7);
  case 0x142: // row_bcast:15, to the row behind
    return row - 1;
  case 0x143: // row_bcast:31
    return lane >= 32 ? 31 : NOBODY;
  default:
    simt_fail(call, lane, "the model has no DPP control 0x%03x", control);
  }
}

/// (old, value, control, rows, banks, bound_ctrl): a row or bank of four lanes
/// that is masked out keeps `old`; one without a source too, or gets 0.
static void run_update_dpp(struct simt_call *call) {
  for (int lane = 0; lane < call->lanes; ++lane) {
    if (!call->active[lane])
      continue;
    bool enabled = simt_word(call, lane, 3) >> (lane / ROW % 4) & 1 &&
                   simt_word(call, lane, 4) >> (lane % ROW / 4) & 1;
    int source =
        enabled ? get_dpp_source(call, lane, simt_word(call, lane, 2) & 0x1ff)
                : NOBODY;
    bool zero = simt_word(call, lane, 5) & 1;
    if (enabled && (is_active(call, source) || zero))
      read_from(call, lane, 1, source);
    else
      copy_words(call, lane, 0, simt_words(call, lane, 0));
  }
}

//===----------------------------------------------------------------------===//
// Between rows
//===----------------------------------------------------------------------===//

/// V_PERMLANE16_B32, V_PERMLANEX16_B32: (old, value, low selects, high selects,
/// fetch_inactive, bound_ctrl): four bits choose a lane of this row, or of the
/// other one of two.
static void run_permlane16(struct simt_call *call) {
  int other = !strcmp(simt_token(call, 2), "permlanex16") ? ROW : 0;
  for (int lane = 0; lane < call->lanes; ++lane) {
    if (!call->active[lane])
      continue;
    int at = lane % ROW;
    uint32_t selects = simt_word(call, lane, at < 8 ? 2 : 3);
    int source = ((lane - at) ^ other) + (int)(selects >> (4 * (at % 8)) & 15);
    if (is_active(call, source) || simt_word(call, lane, 5) & 1)
      read_from(call, lane, 1, source);
    else
      copy_words(call, lane, 0, simt_words(call, lane, 0));
  }
}

/// V_PERMLANE64_B32
static void run_permlane64(struct simt_call *call) {
  for (int lane = 0; lane < call->lanes; ++lane)
    if (call->active[lane])
      read_from(call, lane, 0, (lane + 32) % call->lanes);
}

/// V_PERMLANE16_SWAP_B32, V_PERMLANE32_SWAP_B32: odd rows (the upper half) of
/// the first operand change places with even rows (the lower half) of the
/// second.
static void run_permlane_swap(struct simt_call *call) {
  int step = !strcmp(simt_token(call, 2), "permlane16") ? 16 : 32;
  const struct simt_operand *both = &call->instruction->results[0];
  int second = call->instruction->resultCount == 1 ? both->words / 2 : 0;
  for (int lane = 0; lane < call->lanes; ++lane) {
    if (!call->active[lane])
      continue;
    bool upper = lane & step;
    int partner = lane ^ step;
    if (!call->active[partner])
      simt_fail(call, lane,
                "expected lanes %d and %d, which swap, both to be "
                "active",
                lane, partner);
    uint32_t first = simt_word(call, upper ? partner : lane, upper ? 1 : 0);
    uint32_t other = simt_word(call, upper ? lane : partner, upper ? 1 : 0);
    simt_result(call, lane, 0)[0] = first;
    if (second)
      simt_result(call, lane, 0)[second] = other;
    else
      simt_set(call, lane, 1, other);
  }
}

const struct simt_function simt_amd_lane[] = {
    {"llvm.amdgcn.mbcnt.lo", SIMT_THREAD, run_mbcnt, 0, 0, 0},
    {"llvm.amdgcn.mbcnt.hi", SIMT_THREAD, run_mbcnt, 0, 0, 0},
    {"llvm.amdgcn.ballot.*", SIMT_ACTIVE, run_ballot, 0, 0, 0},
    {"llvm.amdgcn.readfirstlane*", SIMT_ACTIVE, run_readfirstlane, 0, 0, 0},
    {"llvm.amdgcn.readlane*", SIMT_ACTIVE, run_readlane, 0, 0, 0},
    {"llvm.amdgcn.writelane*", SIMT_ACTIVE, run_writelane, 0, 0, 0},
    {"llvm.amdgcn.ds.bpermute", SIMT_ACTIVE, run_bpermute, 0, 0, 0},
    {"llvm.amdgcn.ds.permute", SIMT_ACTIVE, run_permute, 0, 0, 0},
    {"llvm.amdgcn.ds.swizzle", SIMT_ACTIVE, run_swizzle, 0, 0, 0},
    {"llvm.amdgcn.update.dpp.*", SIMT_ACTIVE, run_update_dpp, 0, 0, 0},
    {"llvm.amdgcn.permlane16.*", SIMT_ACTIVE, run_permlane16, 0, 0, 0},
    {"llvm.amdgcn.permlanex16.*", SIMT_ACTIVE, run_permlane16, 0, 0, 0},
    {"llvm.amdgcn.permlane64.*", SIMT_ACTIVE, run_permlane64, 0, 0, 0},
    {"llvm.amdgcn.permlane16.swap", SIMT_ACTIVE, run_permlane_swap, 0, 0, 0},
    {"llvm.amdgcn.permlane32.swap", SIMT_ACTIVE, run_permlane_swap, 0, 0, 0},
    {0},
};
