// What the cost model says of kernels whose numbers can be computed by hand.
// RUN: tile-opt %s --tile-estimate="chip=sm_90a sizes=N=1048576 format=json" -o /dev/null | FileCheck %s --check-prefix=JSON
// RUN: tile-opt %s --tile-estimate="chip=sm_90a" -o /dev/null | FileCheck %s --check-prefix=TEXT
// RUN: tile-opt %s --tile-estimate="chip=gfx942" -o /dev/null | FileCheck %s --check-prefix=AMD
// RUN: tile-opt %s --tile-estimate="chip=910B" -o /dev/null | FileCheck %s --check-prefix=NPU
// RUN: tile-opt %s --tile-estimate="chip=avx512" -o /dev/null | FileCheck %s --check-prefix=CPU
// RUN: tile-opt %s --tile-estimate="chip=sm_80" | FileCheck %s --check-prefix=KEPT

// 1024 blocks; 4 MiB are read and 4 MiB written; 8 registers of f32 in a thread.
// JSON: "binding": "launch"
// JSON: "blocks": 1024
// JSON: "function": "negate"
// JSON: "memory_bytes": 8388608
// JSON: "operations_per_byte": 0.125
// JSON: "scalar_operations": 1048576
// JSON: "shared_bytes": 0
// JSON: "threads": 128
// JSON: "units": 132
// TEXT: @negate, kernel 0: {{.*}} us, bound by launch
// TEXT: 1 blocks of 128 threads
// KEPT: total on sm_80: {{.*}}, estimated
// KEPT: func.func @negate
func.func @negate(%x: memref<?xf32> {tile.shape = "N"}, %y: memref<?xf32> {tile.shape = "N"})
    attributes {tile.cases = ["N=1000", "N=5000"]} {
  tile.kernel (%b) in (ceildiv(dim(%x, 0), 1024)) threads(128) {
    %t = tile.alloc : memref<1024xf32, #tile.fragment>
    tile.copy %x[%b * 1024], %t
    tile.parallel (%i) in (1024) do %t[%i] = -%t[%i]
    tile.copy %t, %y[%b * 1024]
  }
  return
}

// 32 x 16 blocks of 128 x 256 on 132 units are 3 waves and 116 blocks. Four stages of 48 KiB and 64 KiB for the result do not
// fit into 227 KiB, three do. Operations are 2 * 4096^3.
// JSON: "binding": "tensor"
// JSON: "blocks": 512
// JSON: "instruction": "wgmma"
// JSON: "resident_blocks": 1
// JSON: "shared_bytes": 212992
// JSON: "stages": 3
// JSON: "tail_blocks": 116
// JSON: "tensor_operations": 137438953472
// TEXT: @gemm, kernel 0: {{.*}} bound by tensor
// TEXT-NEXT: 512 blocks of 256 threads; 1 on each of 132 units, 3.88 waves, the last of 116 blocks
// TEXT-NEXT: 212992 bytes of shared memory, stages 3, about {{.*}} registers, wgmma
// AMD: @gemm, kernel 0:
// AMD-NEXT: 512 blocks of 256 threads; 1 on each of 304 units
// AMD-NEXT: 49152 bytes of shared memory, stages 1, about {{.*}} registers, mfma
// NPU: @gemm, kernel 0:
// NPU: cube
// CPU: @gemm, kernel 0: {{.*}} bound by threads
tile.param @stages = 4 in [2, 4]
func.func @gemm(%a: memref<4096x4096xbf16>, %b: memref<4096x4096xbf16>, %c: memref<4096x4096xbf16>) {
  tile.kernel (%x, %y) in (16, 32) threads(256) {
    %as = tile.alloc : memref<128x64xbf16, #tile.shared>
    %bs = tile.alloc : memref<256x64xbf16, #tile.shared>
    %sum = tile.alloc : memref<128x256xf32, #tile.fragment>
    tile.rasterize group(8)
    tile.fill %sum, 0.0
    tile.pipelined %s = 0 to 64 stages(@stages) {
      tile.copy %a[%y * 128, %s * 64], %as
      tile.copy %b[%x * 256, %s * 64], %bs
      tile.gemm %as, %bs, %sum {transpose_b}
    }
    tile.copy %sum, %c[%y * 128, %x * 256]
  }
  return
}

// The same kernel 3 times; half of the iterations on average.
// JSON: "blocks": 100
// JSON: "launches": 3
// JSON: "scalar_operations": 646400
// TEXT: @triangle, kernel 0: {{.*}} in 3 launches
func.func @triangle(%x: memref<100x128xf32>, %y: memref<100x128xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %l = %c0 to %c3 step %c1 {
    tile.kernel (%b) in (100) threads(128) {
      %t = tile.alloc : memref<128xf32, #tile.fragment>
      tile.copy %x[%b, 0], %t
      tile.pipelined %s = 0 to %b + 1 {
        tile.parallel (%i) in (128) do %t[%i] = %t[%i] + 1.0
      }
      tile.copy %t, %y[%b, 0]
    }
  }
  return
}

// A number that is passed has a name, too.
// JSON: "blocks": 1048576
// TEXT: @scalar, kernel 0:
// TEXT-NEXT: 3 blocks of 128 threads
func.func @scalar(%n: index {tile.shape = "N"}) attributes {tile.cases = ["N=3"]} {
  tile.kernel (%b) in (%n) {
  }
  return
}
