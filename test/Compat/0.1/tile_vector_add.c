/* @vector_add, made by tile. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "tile_vector_add.h"

#include <pthread.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMaxRank = 16 };

/* Where an error goes. */
typedef struct Report {
  char *text;
  size_t size;
} Report;

__attribute__((format(printf, 2, 3))) static bool
fail(const Report *report, const char *format, ...) {
  va_list list;
  va_start(list, format);
  if (report->size)
    vsnprintf(report->text, report->size, format, list);
  va_end(list);
  return false;
}

static const char *deviceName(int32_t type) {
  switch (type) {
  case TILE_RT_DL_CPU:
    return "cpu";
  case TILE_RT_DL_CUDA:
    return "cuda";
  case TILE_RT_DL_CUDA_HOST:
    return "cuda_host";
  case TILE_RT_DL_ROCM:
    return "rocm";
  case TILE_RT_DL_ROCM_HOST:
    return "rocm_host";
  case TILE_RT_DL_CUDA_MANAGED:
    return "cuda_managed";
  default:
    return "device";
  }
}

typedef struct Expected {
  const char *who; /* "@kernel: argument 0 (x)" */
  const char *dtype;
  TileRtDLDataType type;
  int32_t rank;
  uint64_t align;
  TileRtDLDevice device;
} Expected;

static bool isEmpty(const TileRtDLTensor *t) {
  for (int32_t d = 0; d < t->ndim; ++d)
    if (t->shape[d] == 0)
      return true;
  return false;
}

/* Managed memory may be used by any device, pinned memory by the CPU. */
static bool isOnDevice(TileRtDLDevice own, TileRtDLDevice id) {
  if (id.device_type == own.device_type)
    return id.device_id == own.device_id;
  return (own.device_type == TILE_RT_DL_CUDA &&
          id.device_type == TILE_RT_DL_CUDA_MANAGED) ||
         (own.device_type == TILE_RT_DL_CPU &&
          (id.device_type == TILE_RT_DL_CUDA_HOST ||
           id.device_type == TILE_RT_DL_ROCM_HOST));
}

static int64_t denseStride(const TileRtDLTensor *t, int32_t dim) {
  int64_t stride = 1;
  for (int32_t d = t->ndim - 1; d > dim; --d)
    stride *= t->shape[d];
  return stride;
}

static int64_t strideOf(const TileRtDLTensor *t, int32_t dim) {
  return t->strides ? t->strides[dim] : denseStride(t, dim);
}

/* Whether all elements have addresses, which are numbers of 64 bits. */
static bool reaches(const TileRtDLTensor *t, uint64_t address) {
  int64_t bytes = (t->dtype.bits + 7) / 8;
  uint64_t low = address, high = address;
  bool bad = __builtin_add_overflow(high, (uint64_t)bytes, &high);
  for (int32_t d = 0; d < t->ndim; ++d) {
    int64_t reach = 0;
    bad |= __builtin_mul_overflow(t->shape[d] - 1, strideOf(t, d), &reach) ||
           __builtin_mul_overflow(reach, bytes, &reach);
    bad |= reach < 0 ? __builtin_sub_overflow(low, 0 - (uint64_t)reach, &low)
                     : __builtin_add_overflow(high, (uint64_t)reach, &high);
  }
  return !bad;
}

static bool checkMemory(const Report *report, const Expected *e,
                        const TileRtDLTensor *t) {
  if (!isOnDevice(e->device, t->device))
    return fail(report, "%s: expected memory of device %s:%d, got %s:%d",
                e->who, deviceName(e->device.device_type),
                (int)e->device.device_id, deviceName(t->device.device_type),
                (int)t->device.device_id);
  if (isEmpty(t))
    return true;
  if (!t->data)
    return fail(report, "%s: expected the address of memory, got null", e->who);
  uint64_t address = 0;
  if (__builtin_add_overflow((uint64_t)(uintptr_t)t->data, t->byte_offset,
                             &address) ||
      !reaches(t, address))
    return fail(report,
                "%s: expected addresses of 64 bits, got 0x%" PRIx64
                " and a byte offset of %" PRIu64
                ", from where the strides lead beyond",
                e->who, (uint64_t)(uintptr_t)t->data, t->byte_offset);
  return address % e->align == 0 ||
         fail(report,
              "%s: expected an address aligned to %" PRIu64
              " bytes, got 0x%" PRIx64 ", aligned to %" PRIu64,
              e->who, e->align, address, address & (0 - address));
}

/* All but sizes and strides. */
static bool checkTensor(const Report *report, const Expected *e,
                        const TileRtDLTensor *t) {
  if (!t)
    return fail(report, "%s: expected a tensor of %s, got null", e->who,
                e->dtype);
  if (t->dtype.code != e->type.code || t->dtype.bits != e->type.bits ||
      t->dtype.lanes != 1)
    return fail(report,
                "%s: expected elements of %s, got code %d, %d bits, %d lanes",
                e->who, e->dtype, t->dtype.code, t->dtype.bits, t->dtype.lanes);
  if (t->ndim != e->rank)
    return fail(report, "%s: expected a rank of %d, got %d", e->who,
                (int)e->rank, (int)t->ndim);
  if (e->rank && !t->shape)
    return fail(report, "%s: expected a shape, got null", e->who);
  int64_t bytes = 8; /* so that no product of sizes overflows */
  for (int32_t d = 0; d < e->rank; ++d) {
    int64_t size = t->shape[d];
    if (size < 0 || (size && __builtin_mul_overflow(bytes, size, &bytes)))
      return fail(report,
                  "%s: dimension %d: expected a size of at least 0 that memory "
                  "can hold, got %" PRId64,
                  e->who, (int)d, size);
  }
  return checkMemory(report, e, t);
}

static __attribute__((unused)) bool checkDense(const Report *report,
                                               const char *who,
                                               const TileRtDLTensor *t) {
  for (int32_t d = 0; t->strides && !isEmpty(t) && d < t->ndim; ++d)
    if (t->shape[d] != 1 && t->strides[d] != denseStride(t, d))
      return fail(report,
                  "%s: expected a stride of %" PRId64
                  " in dimension %d of a dense tensor, got %" PRId64,
                  who, denseStride(t, d), (int)d, t->strides[d]);
  return true;
}

static __attribute__((unused)) bool
checkStride(const Report *report, const char *who, const TileRtDLTensor *t,
            int32_t dim, int64_t expected) {
  if (isEmpty(t) || t->shape[dim] == 1 || strideOf(t, dim) == expected)
    return true;
  return fail(report,
              "%s: stride of dimension %d: expected %" PRId64 ", got %" PRId64,
              who, (int)dim, expected, strideOf(t, dim));
}

/* A stride that is never used may be anything, so it is made valid. */
static __attribute__((unused)) int64_t
strideSymbol(const TileRtDLTensor *t, int32_t dim, int64_t multiple) {
  if (t->shape[dim] > 1 && !isEmpty(t))
    return strideOf(t, dim);
  int64_t stride = denseStride(t, dim), over = stride % multiple;
  return over ? stride + (multiple - over) : stride;
}

/* Arithmetic of 64 bits; `bad` is set where it fails. */
static __attribute__((unused)) int64_t opAdd(bool *bad, int64_t a, int64_t b) {
  int64_t r = 0;
  *bad |= __builtin_add_overflow(a, b, &r);
  return r;
}
static __attribute__((unused)) int64_t opSub(bool *bad, int64_t a, int64_t b) {
  int64_t r = 0;
  *bad |= __builtin_sub_overflow(a, b, &r);
  return r;
}
static __attribute__((unused)) int64_t opMul(bool *bad, int64_t a, int64_t b) {
  int64_t r = 0;
  *bad |= __builtin_mul_overflow(a, b, &r);
  return r;
}
static __attribute__((unused)) int64_t opMod(bool *bad, int64_t a, int64_t b) {
  *bad |= b < 1;
  return b < 1 ? 0 : (a % b + b) % b;
}
static __attribute__((unused)) int64_t opFloordiv(bool *bad, int64_t a,
                                                  int64_t b) {
  *bad |= b < 1;
  return b < 1 ? 0 : a / b - (a % b < 0);
}
static __attribute__((unused)) int64_t opCeildiv(bool *bad, int64_t a,
                                                 int64_t b) {
  *bad |= b < 1;
  return b < 1 ? 0 : a / b + (a % b > 0);
}
static __attribute__((unused)) int64_t opMin(bool *bad, int64_t a, int64_t b) {
  (void)bad;
  return a < b ? a : b;
}
static __attribute__((unused)) int64_t opMax(bool *bad, int64_t a, int64_t b) {
  (void)bad;
  return a > b ? a : b;
}

static __attribute__((unused)) uint64_t addressOf(const TileRtDLTensor *t,
                                                  int64_t offset) {
  return (uint64_t)(uintptr_t)t->data + t->byte_offset + (uint64_t)offset;
}

/* Where no runtime of tile is in the process, loops are not parallel. */
__attribute__((weak)) void
tile_rt_parallel_for(void (*body)(void *, int64_t, int64_t), void *context,
                     int64_t count, int64_t grain) {
  (void)grain;
  if (count > 0)
    body(context, 0, count);
}

/* Code for cpu_generic. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverlength-strings"
__asm__(
    ".pushsection .text\n"
    ".hidden tile_host_vector_add_cpu_generic\n"
    ".text\n"
    ".p2align 4\n"
    ".type tile_cpu_generic_vector_add_body,@function\n"
    "tile_cpu_generic_vector_add_body:\n"
    "cmpq %rdx, %rsi\n"
    "jge .Lcpu_generic_BB0_12\n"
    "pushq %r14\n"
    "pushq %rbx\n"
    "movq (%rdi), %rax\n"
    "movq 48(%rdi), %rcx\n"
    "movq 96(%rdi), %r8\n"
    "movq %rsi, %r9\n"
    "shlq $12, %r9\n"
    "movq 112(%rdi), %r10\n"
    "addq %r9, %r10\n"
    "movq %rsi, %r11\n"
    "shlq $10, %r11\n"
    "movq 64(%rdi), %rbx\n"
    "addq %r9, %rbx\n"
    "addq 16(%rdi), %r9\n"
    "jmp .Lcpu_generic_BB0_2\n"
    ".p2align 4\n"
    ".Lcpu_generic_BB0_10:\n"
    "incq %rsi\n"
    "addq $4096, %r10\n"
    "addq $1024, %r11\n"
    "addq $4096, %rbx\n"
    "addq $4096, %r9\n"
    "cmpq %rdx, %rsi\n"
    "je .Lcpu_generic_BB0_11\n"
    ".Lcpu_generic_BB0_2:\n"
    "xorl %edi, %edi\n"
    "jmp .Lcpu_generic_BB0_3\n"
    ".p2align 4\n"
    ".Lcpu_generic_BB0_9:\n"
    "incq %rdi\n"
    "cmpq $1024, %rdi\n"
    "je .Lcpu_generic_BB0_10\n"
    ".Lcpu_generic_BB0_3:\n"
    "leaq (%r11,%rdi), %r14\n"
    "xorps %xmm0, %xmm0\n"
    "xorps %xmm1, %xmm1\n"
    "cmpq %rax, %r14\n"
    "jl .Lcpu_generic_BB0_4\n"
    "cmpq %rcx, %r14\n"
    "jl .Lcpu_generic_BB0_6\n"
    ".Lcpu_generic_BB0_7:\n"
    "cmpq %r8, %r14\n"
    "jge .Lcpu_generic_BB0_9\n"
    "jmp .Lcpu_generic_BB0_8\n"
    ".p2align 4\n"
    ".Lcpu_generic_BB0_4:\n"
    "movss (%r9,%rdi,4), %xmm1\n"
    "cmpq %rcx, %r14\n"
    "jge .Lcpu_generic_BB0_7\n"
    ".Lcpu_generic_BB0_6:\n"
    "movss (%rbx,%rdi,4), %xmm0\n"
    "cmpq %r8, %r14\n"
    "jge .Lcpu_generic_BB0_9\n"
    ".Lcpu_generic_BB0_8:\n"
    "addss %xmm0, %xmm1\n"
    "movss %xmm1, (%r10,%rdi,4)\n"
    "jmp .Lcpu_generic_BB0_9\n"
    ".Lcpu_generic_BB0_11:\n"
    "popq %rbx\n"
    "popq %r14\n"
    ".Lcpu_generic_BB0_12:\n"
    "retq\n"
    ".Lcpu_generic_func_end0:\n"
    ".size tile_cpu_generic_vector_add_body, .Lcpu_generic_func_end0-tile_cpu_generic_vector_add_body\n"
    ".globl tile_host_vector_add_cpu_generic\n"
    ".p2align 4\n"
    ".type tile_host_vector_add_cpu_generic,@function\n"
    "tile_host_vector_add_cpu_generic:\n"
    ".cfi_startproc\n"
    "pushq %rbp\n"
    ".cfi_def_cfa_offset 16\n"
    "pushq %r15\n"
    ".cfi_def_cfa_offset 24\n"
    "pushq %r14\n"
    ".cfi_def_cfa_offset 32\n"
    "pushq %r13\n"
    ".cfi_def_cfa_offset 40\n"
    "pushq %r12\n"
    ".cfi_def_cfa_offset 48\n"
    "pushq %rbx\n"
    ".cfi_def_cfa_offset 56\n"
    "subq $168, %rsp\n"
    ".cfi_def_cfa_offset 224\n"
    ".cfi_offset %rbx, -56\n"
    ".cfi_offset %r12, -48\n"
    ".cfi_offset %r13, -40\n"
    ".cfi_offset %r14, -32\n"
    ".cfi_offset %r15, -24\n"
    ".cfi_offset %rbp, -16\n"
    "movq 24(%rdi), %rax\n"
    "movq (%rax), %rax\n"
    "movq %rax, %rcx\n"
    "negq %rcx\n"
    "leaq -1(%rax), %rsi\n"
    "testq %rax, %rax\n"
    "cmovleq %rcx, %rsi\n"
    "leaq 1023(%rsi), %rdx\n"
    "testq %rsi, %rsi\n"
    "cmovnsq %rsi, %rdx\n"
    "sarq $10, %rdx\n"
    "movq %rdx, %r13\n"
    "negq %r13\n"
    "incq %rdx\n"
    "testq %rax, %rax\n"
    "movq (%rdi), %rcx\n"
    "movq 8(%rdi), %rsi\n"
    "movq (%rcx), %rcx\n"
    "movq %rcx, 16(%rsp)\n"
    "movq (%rsi), %rcx\n"
    "movq %rcx, 8(%rsp)\n"
    "movq 16(%rdi), %r8\n"
    "movq (%r8), %r8\n"
    "movq 32(%rdi), %r9\n"
    "movq (%r9), %r9\n"
    "movq 40(%rdi), %r10\n"
    "movq (%r10), %r10\n"
    "movq 48(%rdi), %r11\n"
    "movq (%r11), %r11\n"
    "movq 56(%rdi), %rbx\n"
    "movq (%rbx), %rbx\n"
    "movq 64(%rdi), %r14\n"
    "movq (%r14), %r14\n"
    "movq 72(%rdi), %r15\n"
    "movq (%r15), %r15\n"
    "movq 80(%rdi), %r12\n"
    "movq (%r12), %r12\n"
    "movq 88(%rdi), %rbp\n"
    "movq (%rbp), %rbp\n"
    "cmovleq %r13, %rdx\n"
    "xorl %r13d, %r13d\n"
    "testq %rdx, %rdx\n"
    "cmovleq %r13, %rdx\n"
    "movq 96(%rdi), %r13\n"
    "movq (%r13), %r13\n"
    "movq 104(%rdi), %rcx\n"
    "movq (%rcx), %rcx\n"
    "movq 112(%rdi), %rdi\n"
    "movq (%rdi), %rdi\n"
    "movq %rax, 24(%rsp)\n"
    "movq 16(%rsp), %rsi\n"
    "movq %rsi, 32(%rsp)\n"
    "movq 8(%rsp), %rsi\n"
    "movq %rsi, 40(%rsp)\n"
    "movq %r8, 48(%rsp)\n"
    "movq %rax, 56(%rsp)\n"
    "movq %r9, 64(%rsp)\n"
    "movq %r14, 72(%rsp)\n"
    "movq %r10, 80(%rsp)\n"
    "movq %r11, 88(%rsp)\n"
    "movq %rbx, 96(%rsp)\n"
    "movq %r14, 104(%rsp)\n"
    "movq %r15, 112(%rsp)\n"
    "movq %rcx, 120(%rsp)\n"
    "movq %r12, 128(%rsp)\n"
    "movq %rbp, 136(%rsp)\n"
    "movq %r13, 144(%rsp)\n"
    "movq %rcx, 152(%rsp)\n"
    "movq %rdi, 160(%rsp)\n"
    "leaq tile_cpu_generic_vector_add_body(%rip), %rdi\n"
    "leaq 24(%rsp), %rsi\n"
    "xorl %ecx, %ecx\n"
    "callq tile_rt_parallel_for@PLT\n"
    "addq $168, %rsp\n"
    ".cfi_def_cfa_offset 56\n"
    "popq %rbx\n"
    ".cfi_def_cfa_offset 48\n"
    "popq %r12\n"
    ".cfi_def_cfa_offset 40\n"
    "popq %r13\n"
    ".cfi_def_cfa_offset 32\n"
    "popq %r14\n"
    ".cfi_def_cfa_offset 24\n"
    "popq %r15\n"
    ".cfi_def_cfa_offset 16\n"
    "popq %rbp\n"
    ".cfi_def_cfa_offset 8\n"
    "retq\n"
    ".Lcpu_generic_func_end1:\n"
    ".size tile_host_vector_add_cpu_generic, .Lcpu_generic_func_end1-tile_host_vector_add_cpu_generic\n"
    ".cfi_endproc\n"
    ".section \".note.GNU-stack\",\"\",@progbits\n"
    ".popsection\n");
#pragma GCC diagnostic pop

extern void tile_host_vector_add_cpu_generic(void *const *, const uint32_t *, const uint32_t *, void *);

static bool runs_cpu_generic(void) {
  return true;
}

static bool launch_cpu_generic(const TileRtDLTensor *a_a, const TileRtDLTensor *a_b, const TileRtDLTensor *a_c, void *stream, const Report *report) {
  const Expected e0 = {"@vector_add: argument 0 (a)", "f32", {2, 32, 1}, 1, 4, {TILE_RT_DL_CPU, 0}};
  if (!checkTensor(report, &e0, a_a))
    return false;
  const Expected e1 = {"@vector_add: argument 1 (b)", "f32", {2, 32, 1}, 1, 4, {TILE_RT_DL_CPU, 0}};
  if (!checkTensor(report, &e1, a_b))
    return false;
  const Expected e2 = {"@vector_add: argument 2 (c)", "f32", {2, 32, 1}, 1, 4, {TILE_RT_DL_CPU, 0}};
  if (!checkTensor(report, &e2, a_c))
    return false;
  int64_t s[1] = {0};
  bool bad = false;
  (void)s;
  s[0] = a_a->shape[0]; /* N */
  if (!checkDense(report, e0.who, a_a))
    return false;
  if (a_b->shape[0] != s[0])
    return fail(report, "@vector_add: argument 1 (b): dimension 0: expected N = %" PRId64 " (argument 0 (a): dimension 0), got %" PRId64, s[0], a_b->shape[0]);
  if (!checkDense(report, e1.who, a_b))
    return false;
  if (a_c->shape[0] != s[0])
    return fail(report, "@vector_add: argument 2 (c): dimension 0: expected N = %" PRId64 " (argument 0 (a): dimension 0), got %" PRId64, s[0], a_c->shape[0]);
  if (!checkDense(report, e2.who, a_c))
    return false;
  const int64_t g0 = 1;
  const int64_t g1 = 1;
  const int64_t g2 = 1;
  if (!g0 || !g1 || !g2)
    return true;
  uint64_t p0 = addressOf(a_a, INT64_C(0));
  uint64_t p1 = addressOf(a_a, INT64_C(0));
  int64_t p2 = INT64_C(0);
  int64_t p3 = a_a->shape[0];
  int64_t p4 = strideOf(a_a, 0);
  uint64_t p5 = addressOf(a_b, INT64_C(0));
  uint64_t p6 = addressOf(a_b, INT64_C(0));
  int64_t p7 = INT64_C(0);
  int64_t p8 = a_b->shape[0];
  int64_t p9 = strideOf(a_b, 0);
  uint64_t p10 = addressOf(a_c, INT64_C(0));
  uint64_t p11 = addressOf(a_c, INT64_C(0));
  int64_t p12 = INT64_C(0);
  int64_t p13 = a_c->shape[0];
  int64_t p14 = strideOf(a_c, 0);
  if (bad)
    return fail(report, "@vector_add: expected numbers of 64 bits");
  void *parameters[] = {&p0, &p1, &p2, &p3, &p4, &p5, &p6, &p7, &p8, &p9, &p10, &p11, &p12, &p13, &p14, NULL};
  const uint32_t grid[] = {(uint32_t)g0, (uint32_t)g1, (uint32_t)g2};
  uint32_t block[3];
  void *shared = NULL;
  (void)stream;
  for (block[2] = 0; block[2] < grid[2]; ++block[2])
    for (block[1] = 0; block[1] < grid[1]; ++block[1])
      for (block[0] = 0; block[0] < grid[0]; ++block[0])
        tile_host_vector_add_cpu_generic(parameters, block, grid, shared);
  return true;
}

static bool run_cpu(const TileRtDLTensor *a_a, const TileRtDLTensor *a_b, const TileRtDLTensor *a_c, void *stream, const Report *report) {
  if (runs_cpu_generic())
    return launch_cpu_generic(a_a, a_b, a_c, stream, report);
  return fail(report, "@vector_add: expected a CPU that runs generic");
}

bool tile_vector_add(const TileRtDLTensor *a_a, const TileRtDLTensor *a_b, const TileRtDLTensor *a_c, void *stream, char *error, size_t size) {
  const Report r = {error, size};
  if (!a_a)
    return fail(&r, "@vector_add: argument 0 (a): expected a tensor of f32, got null");
  switch (a_a->device.device_type) {
  case TILE_RT_DL_CPU:
  case TILE_RT_DL_CUDA_HOST:
  case TILE_RT_DL_ROCM_HOST:
    return run_cpu(a_a, a_b, a_c, stream, &r);
  default:
    return fail(&r, "@vector_add: argument 0 (a): expected memory of a device of cpu, got %s:%d", deviceName(a_a->device.device_type), (int)a_a->device.device_id);
  }
}
