// RUN: tile-opt-plain %s --tile-to-cpu-pipeline | FileCheck %s
// RUN: tile-opt-plain %s --tile-to-cpu-pipeline=threads=false | FileCheck %s --check-prefix=SERIAL

// One kernel with an op of each group becomes the LLVM dialect, whole.

// CHECK-NOT: {{(^|[ "])(tile|memref|scf|arith|math|vector|affine|func|cf|builtin)[.]}}
// CHECK:     llvm.call @tile_rt_parallel_for
// CHECK-NOT: {{(^|[ "])(tile|memref|scf|arith|math|vector|affine|func|cf|builtin)[.]}}
// SERIAL-NOT: tile_rt_parallel_for

!a = memref<?x?xbf16>
!c = memref<?x?xf32>
func.func @kernel(%a: !a, %b: memref<?x?xi4>, %c: !c, %x: memref<?x8x8x2xf32>) attributes {tile.rtol = 0.1} {
  %zero = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %k = memref.dim %a, %c1 : !a
  tile.kernel (%bx, %by) in (4, 4) {
    tile.rasterize group(4)
    %as = tile.alloc : memref<16x8xbf16, #tile.shared>
    %bs = tile.alloc : memref<8x15xbf16, #tile.shared>
    %cf = tile.alloc : memref<16x15xf32, #tile.fragment>
    %m = tile.alloc : memref<16xf32, #tile.fragment>
    %w = tile.alloc : memref<3x5xi4, #tile.shared>
    %i = tile.alloc : memref<4x8xf32, #tile.shared>
    tile.fill %w, 1
    tile.fill %cf, %zero : memref<16x15xf32, #tile.fragment>
    tile.pipelined %s = 0 to %k step 8 stages(2) {
      tile.copy %a[%by * 16, %s], %as : !a, memref<16x8xbf16, #tile.shared>
      tile.copy %b[%s, %bx * 15], %bs : memref<?x?xi4>, memref<8x15xbf16, #tile.shared>
      tile.gemm %as, %bs, %cf : memref<16x8xbf16, #tile.shared>, memref<8x15xbf16, #tile.shared>, memref<16x15xf32, #tile.fragment>
    }
    tile.reduce absmax %cf, %m dim(1) : memref<16x15xf32, #tile.fragment>, memref<16xf32, #tile.fragment>
    tile.scan max %m, %m dim(0) : memref<16xf32, #tile.fragment>, memref<16xf32, #tile.fragment>
    tile.parallel (%p, %q) in (16, 15) {
      %v = memref.load %cf[%p, %q] : memref<16x15xf32, #tile.fragment>
      %d = memref.load %m[%p] : memref<16xf32, #tile.fragment>
      %r = arith.divf %v, %d : f32
      %e = math.exp %r : f32
      %t = math.tanh %e : f32
      tile.atomic add %t, %c[%p, %q] : f32, !c
    }
    tile.im2col %x[%bx, 0], %i kernel(2, 2) : memref<?x8x8x2xf32>, memref<4x8xf32, #tile.shared>
    %flat = tile.reshape %w : memref<3x5xi4, #tile.shared> to memref<15xi4, #tile.shared>
    %any = tile.any_of %flat : memref<15xi4, #tile.shared>
    tile.device_assert %any, "none"
    tile.assume %any
    tile.print %m, "m" : memref<16xf32, #tile.fragment>
    tile.copy %cf, %c[%by * 16, %bx * 15] : memref<16x15xf32, #tile.fragment>, !c
  }
  return
}
