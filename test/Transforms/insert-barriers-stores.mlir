// RUN: tile-opt %s --tile-insert-barriers | FileCheck %s
// RUN: tile-opt %s --tile-insert-barriers --tile-verify-schedule -o /dev/null

// A wait that leaves the last copy under way is enough where there are two
// buffers in turn.
// CHECK-LABEL: func.func @two_buffers
// CHECK: tile.pipelined
// CHECK-NEXT: tile.store_wait pending(1)
// CHECK-NEXT: tile.barrier{{$}}
// CHECK-NEXT: affine.apply
// CHECK-NEXT: tile.stage
// CHECK-NEXT: tile.fill
// CHECK-NEXT: tile.barrier async
// CHECK-NEXT: tile.copy
// CHECK-NOT: tile.store_wait
func.func @two_buffers(%c: memref<512x64xf32>, %f: f32) {
  tile.kernel (%p) in (1) {
    %s = tile.alloc : memref<2x64x64xf32, #tile.shared>
    tile.pipelined %k = 0 to 8 {
      tile.store_wait pending(1)
      tile.barrier
      %stage = affine.apply affine_map<(d) -> (d mod 2)>(%k)
      %t = tile.stage %s[%stage] : memref<2x64x64xf32, #tile.shared> to memref<64x64xf32, #tile.shared>
      tile.fill %t, %f : memref<64x64xf32, #tile.shared>
      tile.copy %t, %c[%k * 64, 0] {instruction = #tile.transfer<tma>} : memref<64x64xf32, #tile.shared>, memref<512x64xf32>
    }
  }
  return
}

// The store of the iteration before is waited for at a barrier that stands there anyway, not at one of its own.
// CHECK-LABEL: func.func @shared_barrier
// CHECK: tile.pipelined
// CHECK-NEXT: tile.store_wait pending(0)
// CHECK-NEXT: tile.barrier{{$}}
// CHECK-NEXT: tile.fill %[[T:.*]], %{{.*}} :
// CHECK-NEXT: tile.fill %[[S:.*]], %{{.*}} :
// CHECK-NEXT: tile.barrier async
// CHECK-NEXT: tile.copy %[[S]], %{{.*}}
// CHECK-NEXT: tile.copy %[[T]], %{{.*}}
// CHECK-NEXT: }
func.func @shared_barrier(%c: memref<512x64xf32>, %d: memref<64x64xf32>, %f: f32) {
  tile.kernel (%p) in (1) {
    %s = tile.alloc : memref<64x64xf32, #tile.shared>
    %t = tile.alloc : memref<64x64xf32, #tile.shared>
    %r = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.pipelined %k = 0 to 8 {
      tile.fill %t, %f : memref<64x64xf32, #tile.shared>
      tile.fill %s, %f : memref<64x64xf32, #tile.shared>
      tile.copy %s, %c[%k * 64, 0] {instruction = #tile.transfer<tma>} : memref<64x64xf32, #tile.shared>, memref<512x64xf32>
      tile.copy %t, %r : memref<64x64xf32, #tile.shared>, memref<64x64xf32, #tile.fragment>
    }
  }
  return
}

// A gemm in flight reads its operands until it is waited for: the barrier between its start and that wait does not let the
// tile be written.
// CHECK-LABEL: func.func @in_flight
// CHECK: tile.gemm {{.*}}async
// CHECK-NEXT: tile.fill %[[OTHER:.*]], %{{.*}} :
// CHECK-NEXT: tile.barrier async
// CHECK-NEXT: tile.copy %[[OTHER]], %{{.*}}
// CHECK-NEXT: tile.gemm_wait
// CHECK-NEXT: tile.barrier{{$}}
// CHECK-NEXT: tile.fill
func.func @in_flight(%c: memref<64x64xf16>, %f: f16) {
  tile.kernel (%p) in (1) {
    %a = tile.alloc : memref<64x64xf16, #tile.shared>
    %o = tile.alloc : memref<64x64xf16, #tile.shared>
    %sum = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %a, %f : memref<64x64xf16, #tile.shared>
    tile.gemm %a, %a, %sum {async, clear, instruction = #tile.mma<wgmma, m = 64, n = 64, k = 16, warps_m = 4, warps_n = 1>}
      : memref<64x64xf16, #tile.shared>, memref<64x64xf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
    tile.fill %o, %f : memref<64x64xf16, #tile.shared>
    tile.copy %o, %c {instruction = #tile.transfer<tma>} : memref<64x64xf16, #tile.shared>, memref<64x64xf16>
    tile.gemm_wait %sum pending(0) : memref<64x64xf32, #tile.fragment>
    tile.fill %a, %f : memref<64x64xf16, #tile.shared>
  }
  return
}
