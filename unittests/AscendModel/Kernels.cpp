#include "Kernels.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void vaddKernel(GM_ADDR a, GM_ADDR b,
                                                 GM_ADDR c, uint64_t count) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  InitSocState();
  GlobalTensor<float> gmA, gmB, gmC;
  gmA.SetGlobalBuffer((__gm__ float *)a);
  gmB.SetGlobalBuffer((__gm__ float *)b);
  gmC.SetGlobalBuffer((__gm__ float *)c);
  SetFlag<HardEvent::MTE3_MTE2>(0);
  SetFlag<HardEvent::MTE3_MTE2>(1);
  int tiles = static_cast<int>((count + kVaddTile - 1) / kVaddTile);
  int slot = 0;
  for (int tile = GetBlockIdx(); tile < tiles;
       tile += GetBlockNum(), slot ^= 1) {
    LocalTensor<float> x(TPosition::VECCALC, slot * kVaddTile * 8, kVaddTile);
    LocalTensor<float> y(TPosition::VECCALC,
                         slot * kVaddTile * 8 + kVaddTile * 4, kVaddTile);
    uint64_t offset = uint64_t(tile) * kVaddTile;
    uint32_t left = static_cast<uint32_t>(count - offset);
    uint32_t length = left < kVaddTile ? left : kVaddTile;
    DataCopyExtParams params{1, length * 4, 0, 0, 0};
    DataCopyPadExtParams<float> pad{false, 0, 0, 0};
    WaitFlag<HardEvent::MTE3_MTE2>(slot);
    DataCopyPad(x, gmA[offset], params, pad);
    DataCopyPad(y, gmB[offset], params, pad);
    SetFlag<HardEvent::MTE2_V>(slot);
    WaitFlag<HardEvent::MTE2_V>(slot);
    Add(x, x, y, length);
    SetFlag<HardEvent::V_MTE3>(slot);
    WaitFlag<HardEvent::V_MTE3>(slot);
    DataCopyPad(gmC[offset], x, params);
    SetFlag<HardEvent::MTE3_MTE2>(slot);
  }
  WaitFlag<HardEvent::MTE3_MTE2>(0);
  WaitFlag<HardEvent::MTE3_MTE2>(1);
  PipeBarrier<PIPE_ALL>();
}

// L1 Nz of rows x columns -> L0A Zz, fractal row by fractal row.
static void loadA(const LocalTensor<half> &a0, const LocalTensor<half> &a1,
                  uint16_t rows, uint16_t columns) {
  uint16_t m1 = rows / 16;
  uint8_t k1 = columns / 16;
  for (uint16_t i = 0; i < m1; ++i)
    LoadData(a0[i * k1 * 256], a1[i * 256],
             LoadData2DParams{0, k1, m1, 0, 0, false, 0});
}

// L1 Nz of rows (k) x columns (n) -> L0B Zn: every fractal transposed.
static void loadB(const LocalTensor<half> &b0, const LocalTensor<half> &b1,
                  uint16_t rows, uint16_t columns) {
  uint16_t k1 = rows / 16;
  uint8_t n1 = columns / 16;
  for (uint16_t i = 0; i < k1; ++i)
    LoadData(b0[i * n1 * 256], b1[i * 256],
             LoadData2DParams{0, n1, k1, 0, 0, true, 0});
}

extern "C" __global__ __aicore__ void matmulKernel(GM_ADDR a, GM_ADDR b,
                                                   GM_ADDR c) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  InitSocState();
  constexpr int M = kMatmulM, N = kMatmulN, K = kMatmulK,
                whole = K * kMatmulSteps;
  GlobalTensor<half> gmA, gmB;
  GlobalTensor<float> gmC;
  gmA.SetGlobalBuffer((__gm__ half *)a);
  gmB.SetGlobalBuffer((__gm__ half *)b);
  gmC.SetGlobalBuffer((__gm__ float *)c);
  LocalTensor<half> a0(TPosition::A2, 0, M * K), b0(TPosition::B2, 0, K * N);
  LocalTensor<float> c0(TPosition::CO1, 0, M * N);
  int64_t row = GetBlockIdx() * M;
  SetFlag<HardEvent::MTE1_MTE2>(0);
  SetFlag<HardEvent::MTE1_MTE2>(1);
  SetFlag<HardEvent::M_MTE1>(0);
  for (int step = 0; step < kMatmulSteps; ++step) {
    int slot = step % 2;
    LocalTensor<half> a1(TPosition::A1, slot * 16384, M * K),
        b1(TPosition::B1, slot * 16384 + 8192, K * N);
    WaitFlag<HardEvent::MTE1_MTE2>(slot);
    DataCopy(a1, gmA[row * whole + step * K],
             Nd2NzParams{1, M, K, 0, whole, M, 1, 0});
    DataCopy(b1, gmB[step * K * N], Nd2NzParams{1, K, N, 0, N, K, 1, 0});
    SetFlag<HardEvent::MTE2_MTE1>(slot);
    WaitFlag<HardEvent::MTE2_MTE1>(slot);
    WaitFlag<HardEvent::M_MTE1>(0);
    loadA(a0, a1, M, K);
    loadB(b0, b1, K, N);
    SetFlag<HardEvent::MTE1_MTE2>(slot);
    SetFlag<HardEvent::MTE1_M>(0);
    WaitFlag<HardEvent::MTE1_M>(0);
    MmadParams params;
    params.m = M, params.n = N, params.k = K;
    params.cmatrixInitVal = step == 0;
    Mmad(c0, a0, b0, params);
    SetFlag<HardEvent::M_MTE1>(0);
  }
  SetFlag<HardEvent::M_FIX>(0);
  WaitFlag<HardEvent::M_FIX>(0);
  FixpipeParamsV220 fix;
  fix.nSize = N, fix.mSize = M, fix.srcStride = M, fix.dstStride = N;
  Fixpipe<float, float>(gmC[row * N], c0, fix);
  WaitFlag<HardEvent::MTE1_MTE2>(0);
  WaitFlag<HardEvent::MTE1_MTE2>(1);
  WaitFlag<HardEvent::M_MTE1>(0);
  PipeBarrier<PIPE_ALL>();
}

static void mixCube(GM_ADDR a, GM_ADDR b, GM_ADDR workspace) {
  constexpr int M = kMixM, N = kMixN, K = kMixK;
  GlobalTensor<half> gmA, gmB, gmW;
  gmA.SetGlobalBuffer((__gm__ half *)a);
  gmB.SetGlobalBuffer((__gm__ half *)b);
  gmW.SetGlobalBuffer((__gm__ half *)workspace);
  LocalTensor<half> a1(TPosition::A1, 0, M * K),
      b1(TPosition::B1, M * K * 2, K * N);
  LocalTensor<half> a0(TPosition::A2, 0, M * K), b0(TPosition::B2, 0, K * N);
  LocalTensor<float> c0(TPosition::CO1, 0, M * N);
  SetFlag<HardEvent::MTE1_MTE2>(0);
  SetFlag<HardEvent::M_MTE1>(0);
  SetFlag<HardEvent::FIX_M>(0);
  for (int tile = 0; tile < kMixTiles; ++tile) {
    int64_t row = (GetBlockIdx() * kMixTiles + tile) * M;
    WaitFlag<HardEvent::MTE1_MTE2>(0);
    DataCopy(a1, gmA[row * K], Nd2NzParams{1, M, K, 0, K, M, 1, 0});
    DataCopy(b1, gmB, Nd2NzParams{1, K, N, 0, N, K, 1, 0});
    SetFlag<HardEvent::MTE2_MTE1>(0);
    WaitFlag<HardEvent::MTE2_MTE1>(0);
    WaitFlag<HardEvent::M_MTE1>(0);
    loadA(a0, a1, M, K);
    loadB(b0, b1, K, N);
    SetFlag<HardEvent::MTE1_MTE2>(0);
    SetFlag<HardEvent::MTE1_M>(0);
    WaitFlag<HardEvent::MTE1_M>(0);
    WaitFlag<HardEvent::FIX_M>(0);
    Mmad(c0, a0, b0, MmadParams(M, N, K, 0, false, true));
    SetFlag<HardEvent::M_MTE1>(0);
    SetFlag<HardEvent::M_FIX>(0);
    WaitFlag<HardEvent::M_FIX>(0);
    if (tile > 0)
      CrossCoreWaitFlag<2>(1); // both vector cores have read the workspace
    FixpipeParamsV220 fix;
    fix.nSize = N, fix.mSize = M, fix.srcStride = M, fix.dstStride = N;
    fix.quantPre = F322F16;
    Fixpipe<half, float>(gmW[GetBlockIdx() * M * N], c0, fix);
    CrossCoreSetFlag<2, PIPE_FIX>(0);
    SetFlag<HardEvent::FIX_M>(0);
  }
  WaitFlag<HardEvent::MTE1_MTE2>(0);
  WaitFlag<HardEvent::M_MTE1>(0);
  WaitFlag<HardEvent::FIX_M>(0);
}

static void mixVector(GM_ADDR d, GM_ADDR c, GM_ADDR workspace) {
  constexpr int M = kMixM, N = kMixN, rows = M / 2;
  int64_t block = GetBlockIdx() / 2, sub = GetSubBlockIdx();
  GlobalTensor<half> gmD, gmC, gmW;
  gmD.SetGlobalBuffer((__gm__ half *)d);
  gmC.SetGlobalBuffer((__gm__ half *)c);
  gmW.SetGlobalBuffer((__gm__ half *)workspace);
  LocalTensor<half> w(TPosition::VECCALC, 0, rows * N),
      x(TPosition::VECCALC, rows * N * 2, rows * N);
  DataCopyExtParams params{rows, N * 2, 0, 0, 0};
  DataCopyPadExtParams<half> pad{false, 0, 0, 0};
  SetFlag<HardEvent::V_MTE2>(0);
  SetFlag<HardEvent::MTE3_MTE2>(0);
  for (int tile = 0; tile < kMixTiles; ++tile) {
    int64_t row = (block * kMixTiles + tile) * M + sub * rows;
    WaitFlag<HardEvent::V_MTE2>(0);
    DataCopyPad(x, gmD[row * N], params, pad);
    WaitFlag<HardEvent::MTE3_MTE2>(0);
    CrossCoreWaitFlag<2>(0);
    DataCopyPad(w, gmW[block * M * N + sub * rows * N], params, pad);
    if (tile + 1 < kMixTiles)
      CrossCoreSetFlag<2, PIPE_MTE2>(1);
    SetFlag<HardEvent::MTE2_V>(0);
    WaitFlag<HardEvent::MTE2_V>(0);
    Add(w, w, x, rows * N);
    SetFlag<HardEvent::V_MTE2>(0);
    SetFlag<HardEvent::V_MTE3>(0);
    WaitFlag<HardEvent::V_MTE3>(0);
    DataCopyPad(gmC[row * N], w, params);
    SetFlag<HardEvent::MTE3_MTE2>(0);
  }
  WaitFlag<HardEvent::V_MTE2>(0);
  WaitFlag<HardEvent::MTE3_MTE2>(0);
}

extern "C" __global__ __aicore__ void
matmulAddKernel(GM_ADDR a, GM_ADDR b, GM_ADDR d, GM_ADDR c, GM_ADDR workspace) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  InitSocState();
  if ASCEND_IS_AIC {
    mixCube(a, b, workspace);
  }
  if ASCEND_IS_AIV {
    mixVector(d, c, workspace);
  }
  PipeBarrier<PIPE_ALL>();
}

static void kTail(GM_ADDR a, GM_ADDR b, GM_ADDR c, bool filled) {
  constexpr int M = 16, N = 16, padded = 48;
  GlobalTensor<half> gmA, gmB;
  GlobalTensor<float> gmC;
  gmA.SetGlobalBuffer((__gm__ half *)a);
  gmB.SetGlobalBuffer((__gm__ half *)b);
  gmC.SetGlobalBuffer((__gm__ float *)c);
  LocalTensor<half> a1(TPosition::A1, 0, M * padded),
      b1(TPosition::B1, 4096, padded * N);
  LocalTensor<half> a0(TPosition::A2, 0, M * padded),
      b0(TPosition::B2, 0, padded * N);
  LocalTensor<float> c0(TPosition::CO1, 0, M * N);
  if (filled) {
    Fill(b1, InitConstValueParams<half>{1, padded * N * 2 / 32, 0, half(0)});
    PipeBarrier<PIPE_MTE2>();
  }
  DataCopy(a1, gmA, Nd2NzParams{1, M, kTailK, 0, kTailK, M, 1, 0});
  DataCopy(b1, gmB, Nd2NzParams{1, kTailK, N, 0, N, padded, 1, 0});
  SetFlag<HardEvent::MTE2_MTE1>(0);
  WaitFlag<HardEvent::MTE2_MTE1>(0);
  loadA(a0, a1, M, padded);
  loadB(b0, b1, padded, N);
  SetFlag<HardEvent::MTE1_M>(0);
  WaitFlag<HardEvent::MTE1_M>(0);
  Mmad(c0, a0, b0, MmadParams(M, N, kTailK, 0, false, true));
  SetFlag<HardEvent::M_FIX>(0);
  WaitFlag<HardEvent::M_FIX>(0);
  FixpipeParamsV220 fix;
  fix.nSize = N, fix.mSize = M, fix.srcStride = M, fix.dstStride = N;
  Fixpipe<float, float>(gmC, c0, fix);
  PipeBarrier<PIPE_ALL>();
}

extern "C" __global__ __aicore__ void kTailKernel(GM_ADDR a, GM_ADDR b,
                                                  GM_ADDR c) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  InitSocState();
  kTail(a, b, c, true);
}

extern "C" __global__ __aicore__ void kTailUnfilledKernel(GM_ADDR a, GM_ADDR b,
                                                          GM_ADDR c) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  InitSocState();
  kTail(a, b, c, false);
}
