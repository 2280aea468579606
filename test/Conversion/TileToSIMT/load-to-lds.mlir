// RUN: tile-opt %s --tile-set-target=chip=gfx942 --convert-tile-to-simt --canonicalize --cse | FileCheck %s
// RUN: tile-opt %s --tile-set-target=chip=gfx942 --convert-tile-to-simt --remarks-filter=convert-tile-to-simt -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// 64 x 32 halves are eight loads of 4 bytes by each of 128 lanes. Each wave names the place of its first lane; the swizzle is in the
// coordinates that a lane reads.
!swizzled = memref<64x32xf16, #tile.shared>

// CHECK: #[[$LOADS:[a-z_0-9]+]] = #llvm.alias_scope<id = "loads to LDS"
// CHECK-LABEL: gpu.func @groups_0
// CHECK-DAG: %[[ISSUED:.*]] = llvm.alloca {{.*}} x !llvm.array<1 x i32>
// CHECK-DAG: arith.xori
// CHECK-COUNT-16: rocdl.global.load.lds %{{.*}}, %{{.*}}, 4, 0, 0 {alias_scopes = [#[[$LOADS]]]}
// Eight loads or more since the group that it waits for, which leaves eight; otherwise none.
// CHECK: %[[COUNT:.*]] = rocdl.readfirstlane %{{.*}} : i32
// CHECK: %[[ENOUGH:.*]] = arith.cmpi uge, %[[COUNT]], %c8_i32
// CHECK: scf.if %[[ENOUGH]] {
// CHECK-NEXT: rocdl.s.waitcnt 3960
// CHECK-NEXT: } else {
// CHECK-NEXT: rocdl.s.waitcnt 3952
// CHECK-NEXT: }
// The barrier waits for accesses of LDS, and not for loads.
// CHECK: rocdl.s.waitcnt 49279
// CHECK-NEXT: llvm.fence syncscope("wavefront") release
// CHECK-NEXT: rocdl.s.barrier
// CHECK-NEXT: llvm.fence syncscope("wavefront") acquire
// CHECK: llvm.load {{.*}} {{.*}}noalias_scopes = [#[[$LOADS]]]{{.*}}!llvm.ptr<3>
func.func @groups(%a: memref<64x32xf16>, %b: memref<64x32xf16>, %c: memref<64x32xf16>) {
  tile.kernel (%x) in (1) threads(128) {
    %s = tile.alloc {layout = #tile.layout<[64: 64 offset*32][32: 32 offset] swizzle(2, 3, 3)>} : !swizzled
    %t = tile.alloc {layout = #tile.layout<[64: 64 offset*32][32: 32 offset] swizzle(2, 3, 3)>} : !swizzled
    tile.copy %a, %s {instruction = #tile.transfer<cp_async, bytes = 4>} : memref<64x32xf16>, !swizzled
    tile.async_commit
    tile.copy %b, %t {instruction = #tile.transfer<cp_async, bytes = 4>} : memref<64x32xf16>, !swizzled
    tile.async_commit
    tile.async_wait pending(1)
    tile.barrier
    tile.copy %s, %c : !swizzled, memref<64x32xf16>
  }
  return
}

// Rows with a gap behind them are no place for lanes side by side.
// CHECK-LABEL: gpu.func @gaps_0
// CHECK-NOT: rocdl.global.load.lds
// REMARK: [Missed] AsyncCopy | {{.*}}expected a tile whose elements fill its shared memory without gaps, got the layout [64: 64 offset*40][32: 32 offset]
func.func @gaps(%a: memref<64x32xf16>) {
  tile.kernel (%x) in (1) threads(128) {
    %s = tile.alloc {layout = #tile.layout<[64: 64 offset*40][32: 32 offset]>} : !swizzled
    tile.copy %a, %s {instruction = #tile.transfer<cp_async, bytes = 4>} : memref<64x32xf16>, !swizzled
    tile.async_wait pending(0)
  }
  return
}

// 96 vectors on 128 threads; of a tile at the edge, what lies outside is stored.
// CHECK-LABEL: gpu.func @edge_0
// CHECK: arith.cmpi ult, %{{.*}}, %c96_i32
// CHECK: rocdl.global.load.lds
// CHECK: rocdl.global.load.lds
// CHECK: } else {
// CHECK: llvm.store %{{.*}} !llvm.ptr<3>
// CHECK-NOT: vector.extract
func.func @edge(%a: memref<?x12xi32>, %i: index) {
  tile.kernel (%x) in (1) threads(128) {
    %s = tile.alloc : memref<8x12xi32, #tile.shared>
    tile.copy %a[%i, 0], %s {instruction = #tile.transfer<cp_async, bytes = 4>} : memref<?x12xi32>, memref<8x12xi32, #tile.shared>
    tile.async_wait pending(0)
  }
  return
}
