// RUN: tile-translate --tile-to-ptx --chip=sm_90a --gpu-function=scale %s | FileCheck %s --check-prefix=SCALE
// RUN: tile-translate --tile-to-ptx --chip=sm_90a --gpu-function=update %s | FileCheck %s --check-prefix=UPDATE

// Nothing writes the weights, so that they are read in whole vectors between the stores of the loop, of which eight elements are one.
// SCALE: .entry scale_0
// SCALE-NOT: ld.global.v
// SCALE-DAG: ld.global.nc.v4.b32
// SCALE-DAG: st.global.v4.b32
// SCALE-NOT: st.global.v2
// SCALE: ret;
func.func @scale(%x: memref<64x4096xbf16>, %w: memref<4096xbf16>, %y: memref<64x4096xbf16>) {
  tile.kernel (%b) in (64) threads(512) {
    %row = tile.alloc : memref<1x4096xbf16, #tile.shared>
    tile.copy %x[%b, 0], %row prefer(cp_async)
    tile.parallel (%i, %j) in (1, 4096) do %y[%b, %j] = bf16(f32(%row[%i, %j]) * f32(%w[%j]))
  }
  return
}

// What the kernel writes is not constant.
// UPDATE: .entry update_0
// UPDATE-NOT: ld.global.nc
// UPDATE: ret;
func.func @update(%y: memref<64x4096xbf16>) {
  tile.kernel (%b) in (64) threads(512) {
    tile.parallel (%j) in (4096) do %y[%b, %j] = bf16(f32(%y[%b, %j]) * 2.0)
  }
  return
}
