// RUN: tile-opt %s --tile-to-gpu-pipeline --verify-diagnostics

// A grid that no launch can have.
// expected-error @below {{cannot be launched: grid: expected divisors of at least 1, got 0}}
func.func @grid(%n: index, %x: memref<?xf32>) {
  %zero = arith.constant 0 : index
  %value = arith.constant 0.0 : f32
  %blocks = arith.floordivsi %n, %zero : index
  tile.kernel (%b) in (%blocks) threads(32) {
    tile.parallel (%i) in (1) {
      memref.store %value, %x[%b] : memref<?xf32>
    }
  }
  return
}
