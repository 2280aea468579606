// RUN: tile-opt %s --tile-insert-barriers | FileCheck %s
// RUN: tile-opt %s --tile-insert-barriers --tile-insert-barriers | FileCheck %s
// RUN: tile-opt %s --tile-insert-barriers --remarks-filter='tile-insert-barriers' -o /dev/null 2>&1 \
// RUN:     | FileCheck %s --check-prefix=REMARK

// What the threads copied is read by wgmma, which is overwritten an iteration
// later; what they stored is read by a tensor copy.
// CHECK-LABEL: func.func @gemm
// CHECK: tile.pipelined
// CHECK-NEXT: tile.barrier{{$}}
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.barrier async
// CHECK-NEXT: tile.gemm
// CHECK-NEXT: {{^ *[}]$}}
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.barrier async
// CHECK-NEXT: tile.copy
// CHECK-NOT: tile.barrier
// REMARK: [Passed] Barrier | Category:tile-insert-barriers | Reason="between the read of 'tile.gemm' and the write of 'tile.copy' in a later iteration"
// REMARK: [Passed] Barrier | Category:tile-insert-barriers | Reason="between the write of 'tile.copy' and the read of 'tile.gemm'"
// REMARK: [Passed] Barrier | Category:tile-insert-barriers | Reason="between the write of 'tile.copy' and the read of 'tile.copy'"
func.func @gemm(%a: memref<64x1024xf16>, %b: memref<1024x64xf16>, %c: memref<64x64xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%x) in (1) {
    %as = tile.alloc : memref<64x64xf16, #tile.shared>
    %bs = tile.alloc : memref<64x64xf16, #tile.shared>
    %cf = tile.alloc : memref<64x64xf32, #tile.fragment>
    %cs = tile.alloc : memref<64x64xf32, #tile.shared>
    tile.fill %cf, %zero : memref<64x64xf32, #tile.fragment>
    tile.pipelined %k = 0 to 16 {
      tile.copy %a[0, %k * 64], %as : memref<64x1024xf16>, memref<64x64xf16, #tile.shared>
      tile.copy %b[%k * 64, 0], %bs : memref<1024x64xf16>, memref<64x64xf16, #tile.shared>
      tile.gemm %as, %bs, %cf {instruction = #tile.mma<wgmma, m = 64, n = 64, k = 16, warps_m = 4, warps_n = 1>}
        : memref<64x64xf16, #tile.shared>, memref<64x64xf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
    }
    tile.copy %cf, %cs : memref<64x64xf32, #tile.fragment>, memref<64x64xf32, #tile.shared>
    tile.copy %cs, %c {instruction = #tile.transfer<tma>} : memref<64x64xf32, #tile.shared>, memref<64x64xf32>
  }
  return
}

// CHECK-LABEL: func.func @reverse
// CHECK: tile.pipelined
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.parallel
// CHECK-NOT: tile.barrier
func.func @reverse(%a: memref<4x128xf32>) {
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<128xf32, #tile.shared>
    tile.pipelined %k = 0 to 4 {
      tile.copy %a[%k, 0], %s : memref<4x128xf32>, memref<128xf32, #tile.shared>
      tile.parallel (%i) in (128) {
        %j = affine.apply affine_map<(d) -> (127 - d)>(%i)
        %v = memref.load %s[%j] : memref<128xf32, #tile.shared>
        memref.store %v, %a[%k, %i] : memref<4x128xf32>
      }
    }
  }
  return
}

// One barrier before the loop serves all of its iterations.
// CHECK-LABEL: func.func @hoist
// CHECK: tile.copy
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.pipelined
// CHECK-NOT: tile.barrier
func.func @hoist(%a: memref<128xf32>, %o: memref<4x128xf32>) {
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<128xf32, #tile.shared>
      tile.copy %a, %s : memref<128xf32>, memref<128xf32, #tile.shared>
    tile.pipelined %k = 0 to 4 {
      tile.parallel (%i) in (128) {
        %j = affine.apply affine_map<(d) -> (127 - d)>(%i)
        %v = memref.load %s[%j] : memref<128xf32, #tile.shared>
        memref.store %v, %o[%k, %i] : memref<4x128xf32>
      }
    }
  }
  return
}

// Each thread works on elements of its own, until the layout changes.
// CHECK-LABEL: func.func @same
// CHECK-NOT: tile.barrier
// CHECK: scf.for
// CHECK-NOT: tile.barrier
// CHECK: tile.barrier
// CHECK-NEXT: tile.parallel
// CHECK-NOT: tile.barrier
func.func @same(%o: memref<128xf32>, %n: index) {
  %one = arith.constant 1.0 : f32
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<128xf32, #tile.shared>
    tile.parallel (%i) in (128) attributes {layout = #tile.layout<[128: 4 warp, 32 lane]>} {
      memref.store %one, %s[%i] : memref<128xf32, #tile.shared>
    }
    scf.for %k = %n to %n step %n {
    tile.parallel (%i) in (128) attributes {layout = #tile.layout<[128: 4 warp, 32 lane]>} {
      %v = memref.load %s[%i] : memref<128xf32, #tile.shared>
      %w = arith.addf %v, %one : f32
      memref.store %w, %s[%i] : memref<128xf32, #tile.shared>
    }
    }
    tile.parallel (%i) in (128) attributes {layout = #tile.layout<[128: 32 lane, 4 warp]>} {
      %v = memref.load %s[%i] : memref<128xf32, #tile.shared>
      memref.store %v, %o[%i] : memref<128xf32>
    }
  }
  return
}

// The stages of a pipeline by hand do not conflict; behind it, copies are still
// under way.
// CHECK-LABEL: func.func @cpasync
// CHECK: tile.pipelined
// CHECK-COUNT-1: tile.barrier
// CHECK: tile.copy %{{.*}}, %{{.*}} : memref<64xf16, #tile.shared>, memref<64xf16, #tile.fragment>
// CHECK-NEXT: {{^ *[}]$}}
// CHECK-NEXT: tile.async_wait pending(0)
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.copy
func.func @cpasync(%a: memref<4096xf16>, %o: memref<4096xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<3x64xf16, #tile.shared>
    %f = tile.alloc : memref<64xf16, #tile.fragment>
    %s0 = tile.stage %s[%c0] : memref<3x64xf16, #tile.shared> to memref<64xf16, #tile.shared>
    tile.copy %a[0], %s0 {instruction = #tile.transfer<cp_async, bytes = 16>} : memref<4096xf16>, memref<64xf16, #tile.shared>
    tile.async_commit
    %s1 = tile.stage %s[%c1] : memref<3x64xf16, #tile.shared> to memref<64xf16, #tile.shared>
    tile.copy %a[64], %s1 {instruction = #tile.transfer<cp_async, bytes = 16>} : memref<4096xf16>, memref<64xf16, #tile.shared>
    tile.async_commit
    tile.pipelined %k = 0 to %n {
      tile.async_wait pending(1)
      tile.barrier
      %i = affine.apply affine_map<(k) -> ((k + 2) mod 3)>(%k)
      %si = tile.stage %s[%i] : memref<3x64xf16, #tile.shared> to memref<64xf16, #tile.shared>
      tile.copy %a[%k * 64 + 128], %si {instruction = #tile.transfer<cp_async, bytes = 16>} : memref<4096xf16>, memref<64xf16, #tile.shared>
      tile.async_commit
      %j = affine.apply affine_map<(k) -> (k mod 3)>(%k)
      %sj = tile.stage %s[%j] : memref<3x64xf16, #tile.shared> to memref<64xf16, #tile.shared>
      tile.copy %sj, %f : memref<64xf16, #tile.shared>, memref<64xf16, #tile.fragment>
    }
    tile.copy %a[0], %s0 : memref<4096xf16>, memref<64xf16, #tile.shared>
  }
  return
}

// A stage too few: the copy overwrites what is read in the same iteration.
// CHECK-LABEL: func.func @too_few_stages
// CHECK: tile.pipelined
// CHECK: tile.async_wait pending(0)
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.copy %{{.*}}, %{{.*}} : memref<64xf16, #tile.shared>, memref<64xf16, #tile.fragment>
func.func @too_few_stages(%a: memref<4096xf16>, %n: index) {
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<2x64xf16, #tile.shared>
    %f = tile.alloc : memref<64xf16, #tile.fragment>
    tile.pipelined %k = 0 to %n {
      tile.async_wait pending(1)
      %i = affine.apply affine_map<(k) -> ((k + 2) mod 2)>(%k)
      %si = tile.stage %s[%i] : memref<2x64xf16, #tile.shared> to memref<64xf16, #tile.shared>
      tile.copy %a[%k * 64], %si {instruction = #tile.transfer<cp_async, bytes = 16>} : memref<4096xf16>, memref<64xf16, #tile.shared>
      tile.async_commit
      %j = affine.apply affine_map<(k) -> (k mod 2)>(%k)
      %sj = tile.stage %s[%j] : memref<2x64xf16, #tile.shared> to memref<64xf16, #tile.shared>
      tile.copy %sj, %f : memref<64xf16, #tile.shared>, memref<64xf16, #tile.fragment>
    }
  }
  return
}

// A copy that belongs to no group.
// CHECK-LABEL: func.func @no_group
// CHECK: tile.copy
// CHECK-NEXT: tile.async_commit
// CHECK-NEXT: tile.async_wait pending(0)
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.copy
func.func @no_group(%a: memref<64xf16>) {
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<64xf16, #tile.shared>
    tile.copy %a, %s {instruction = #tile.transfer<cp_async, bytes = 16>} : memref<64xf16>, memref<64xf16, #tile.shared>
    tile.copy %s, %a : memref<64xf16, #tile.shared>, memref<64xf16>
  }
  return
}

// Branches: the barrier is in the one that needs it, and what was read in either
// is overwritten behind.
// CHECK-LABEL: func.func @branches
// CHECK: tile.copy
// CHECK-NEXT: scf.if
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.copy
// CHECK: } else {
// CHECK-NEXT: tile.fill
// CHECK: }
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.fill
func.func @branches(%a: memref<64xf32>, %c: i1) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<64xf32, #tile.shared>
    %f = tile.alloc : memref<64xf32, #tile.fragment>
    tile.copy %a, %s : memref<64xf32>, memref<64xf32, #tile.shared>
    scf.if %c {
      tile.copy %s, %f : memref<64xf32, #tile.shared>, memref<64xf32, #tile.fragment>
    } else {
      tile.fill %f, %zero : memref<64xf32, #tile.fragment>
    }
    tile.fill %s, %zero : memref<64xf32, #tile.shared>
  }
  return
}

// Fragments, disjoint regions, and atomics among themselves need none.
// CHECK-LABEL: func.func @none
// CHECK-NOT: tile.barrier
func.func @none(%a: memref<64xf32>, %h: memref<64xi32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1 : i32
  tile.kernel (%b) in (1) {
    %f = tile.alloc : memref<64xf32, #tile.fragment>
    %s = tile.alloc : memref<128xf32, #tile.shared>
    %bins = tile.alloc : memref<16xi32, #tile.shared>
    tile.copy %a, %f : memref<64xf32>, memref<64xf32, #tile.fragment>
    tile.copy %f, %s[0] : memref<64xf32, #tile.fragment>, memref<128xf32, #tile.shared>
    tile.copy %f, %s[64] : memref<64xf32, #tile.fragment>, memref<128xf32, #tile.shared>
    tile.pipelined %k = 0 to 4 {
      tile.parallel (%i) in (64) {
        %v = memref.load %h[%i] : memref<64xi32>
        %bin = arith.index_cast %v : i32 to index
        tile.atomic add %one, %bins[%bin] : i32, memref<16xi32, #tile.shared>
      }
    }
  }
  return
}

// A loop of one trip has no later iteration; a tensor copy that no pipeline waits
// for is made by the threads.
// CHECK-LABEL: func.func @one_trip
// CHECK: tile.copy
// CHECK-NEXT: tile.barrier async
// CHECK-NOT: tile.barrier
// CHECK: return
func.func @one_trip(%a: memref<64x64xf16>, %c: memref<64x64xf32>) {
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<64x64xf16, #tile.shared>
    %cf = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.pipelined %k = 0 to 1 {
      tile.copy %a, %s {instruction = #tile.transfer<tma>} : memref<64x64xf16>, memref<64x64xf16, #tile.shared>
      tile.gemm %s, %s, %cf {clear, instruction = #tile.mma<wgmma, m = 64, n = 64, k = 16, warps_m = 4, warps_n = 1>}
        : memref<64x64xf16, #tile.shared>, memref<64x64xf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
    }
    tile.copy %cf, %c : memref<64x64xf32, #tile.fragment>, memref<64x64xf32>
  }
  return
}

// In a domain of tiles, the epilogue's buffer is stored by the tensor engine
// while the next tile begins.
// CHECK-LABEL: func.func @epilogue
// CHECK: tile.persistent
// CHECK-NEXT: tile.store_wait pending(0)
// CHECK-NEXT: tile.barrier{{$}}
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.barrier async
// CHECK-NEXT: tile.copy
func.func @epilogue(%c: memref<512x512xf32>) {
  tile.kernel (%p) in (3) {
    %t = tile.alloc : memref<128x128xf32, #tile.fragment>
    %s = tile.alloc : memref<128x128xf32, #tile.shared>
    tile.persistent (%m, %n) in (4, 4) {
      tile.copy %t, %s : memref<128x128xf32, #tile.fragment>, memref<128x128xf32, #tile.shared>
      tile.copy %s, %c[%m * 128, %n * 128] {instruction = #tile.transfer<tma>}
          : memref<128x128xf32, #tile.shared>, memref<512x512xf32>
    }
  }
  return
}

// A plain barrier is between threads only; what they wrote is unknown to the
// asynchronous proxy until there is one for it.
// CHECK-LABEL: func.func @plain_barrier
// CHECK: tile.barrier{{$}}
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.barrier async
// CHECK-NEXT: tile.copy
// CHECK-NOT: tile.barrier
func.func @plain_barrier(%c: memref<64xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%p) in (1) {
    %s = tile.alloc : memref<64xf32, #tile.shared>
    %f = tile.alloc : memref<64xf32, #tile.fragment>
    tile.fill %s, %zero : memref<64xf32, #tile.shared>
    tile.barrier
    tile.copy %s, %f : memref<64xf32, #tile.shared>, memref<64xf32, #tile.fragment>
    tile.copy %s, %c {instruction = #tile.transfer<tma>} : memref<64xf32, #tile.shared>, memref<64xf32>
  }
  return
}

// A consumer that writes into its stage gives it back behind a fence.
// CHECK-LABEL: func.func @release
// CHECK: consumer_wait
// CHECK-NOT: tile.barrier
// CHECK: tile.parallel
// CHECK: tile.barrier async
// CHECK-NEXT: tile.consumer_release
func.func @release(%a: memref<1024xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    %tiles = tile.alloc : memref<2x128xf32, #tile.shared>
    %pipeline = tile.create_pipeline : !tile.pipeline<2>
    tile.warp_specialize producer {
      tile.pipelined %k = 0 to 8 {
        %i = tile.producer_acquire %pipeline bytes(512) : !tile.pipeline<2>
        %t = tile.stage %tiles[%i] : memref<2x128xf32, #tile.shared> to memref<128xf32, #tile.shared>
        tile.copy %a[%k * 128], %t signal(%pipeline : !tile.pipeline<2>) {instruction = #tile.transfer<tma>}
            : memref<1024xf32>, memref<128xf32, #tile.shared>
        tile.producer_commit %pipeline : !tile.pipeline<2>
      }
    } consumer {
      tile.pipelined %k = 0 to 8 {
        %i = tile.consumer_wait %pipeline : !tile.pipeline<2>
        %t = tile.stage %tiles[%i] : memref<2x128xf32, #tile.shared> to memref<128xf32, #tile.shared>
        tile.parallel (%e) in (128) {
          memref.store %zero, %t[%e] : memref<128xf32, #tile.shared>
        }
        tile.consumer_release %pipeline : !tile.pipeline<2>
      }
    }
  }
  return
}

// An op that tells nothing of its accesses touches all of its operands.
// CHECK-LABEL: func.func @unknown
// CHECK: tile.fill
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: func.call
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.copy
func.func private @callee(memref<64xf32, #tile.shared>)
func.func @unknown(%c: memref<64xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%p) in (1) {
    %s = tile.alloc : memref<64xf32, #tile.shared>
    tile.fill %s, %zero : memref<64xf32, #tile.shared>
    func.call @callee(%s) : (memref<64xf32, #tile.shared>) -> ()
    tile.copy %s, %c : memref<64xf32, #tile.shared>, memref<64xf32>
  }
  return
}
