// RUN: tile-translate --tile-to-ptx --chip=sm_90a --gpu-function=few %s | FileCheck %s --check-prefix=FEW
// RUN: tile-translate --tile-to-ptx --chip=sm_90a --gpu-function=many %s | FileCheck %s --check-prefix=MANY

// A block has a processor for itself: as many vectors are under way as its registers hold, before the first is written.
// FEW: .entry few_0
// FEW-COUNT-53: ld.global.v4
// FEW-NOT: ld.global
// FEW-COUNT-53: st.global.v2
// FEW-COUNT-19: ld.global.v4
// FEW: ret;
func.func @few(%a: memref<8192x576xf32>, %o: memref<8192x576xbf16>) {
  tile.kernel (%b) in (128) threads(128) {
    tile.copy %a[%b * 64, 0] [64, 576], %o[%b * 64, 0] [64, 576]
  }
  return
}

// Many blocks hide each other's waits.
// MANY: .entry many_0
// MANY-COUNT-16: ld.global.v4
// MANY-NOT: ld.global
// MANY-COUNT-16: st.global.v2
// MANY: ret;
func.func @many(%a: memref<819200x576xf32>, %o: memref<819200x576xbf16>) {
  tile.kernel (%b) in (12800) threads(128) {
    tile.copy %a[%b * 64, 0] [64, 576], %o[%b * 64, 0] [64, 576]
  }
  return
}
