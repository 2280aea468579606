// Functions that launch kernels are inlined into host code, those that they call first; private ones are gone then. What calls
// itself stays, and what launches nothing.

// RUN: tile-opt %s --tile-inline-calls | FileCheck %s
// RUN: tile-opt %s --tile-inline-calls | FileCheck %s --check-prefix=GONE

// GONE-NOT: @step
// GONE-NOT: @two_steps

func.func private @step(%x: memref<64xf32>, %by: f32) {
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (64) do %x[%i] = %x[%i] * %by
  }
  return
}

func.func private @two_steps(%x: memref<64xf32>, %by: f32) -> f32 {
  func.call @step(%x, %by) : (memref<64xf32>, f32) -> ()
  %more = arith.addf %by, %by : f32
  func.call @step(%x, %more) : (memref<64xf32>, f32) -> ()
  return %more : f32
}

func.func private @number(%f: f32) -> f32 {
  %g = arith.mulf %f, %f : f32
  return %g : f32
}

// CHECK-LABEL: func.func @host
// CHECK-SAME:  (%[[X:.*]]: memref<64xf32>, %[[BY:.*]]: f32)
// CHECK:       scf.for
// CHECK:         %[[NUMBER:.*]] = func.call @number(%[[BY]])
// CHECK:         tile.kernel
// CHECK:           arith.mulf %{{.*}}, %[[NUMBER]]
// CHECK:         %[[MORE:.*]] = arith.addf %[[NUMBER]], %[[NUMBER]]
// CHECK:         tile.kernel
// CHECK:           arith.mulf %{{.*}}, %[[MORE]]
// CHECK:         tile.kernel
// CHECK:           arith.mulf %{{.*}}, %[[MORE]]
func.func @host(%x: memref<64xf32>, %by: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %i = %c0 to %c3 step %c1 {
    %n = func.call @number(%by) : (f32) -> f32
    %m = func.call @two_steps(%x, %n) : (memref<64xf32>, f32) -> f32
    func.call @step(%x, %m) : (memref<64xf32>, f32) -> ()
  }
  return
}

// CHECK-LABEL: func.func @again
// CHECK:         func.call @again
func.func @again(%x: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %more = arith.cmpi sgt, %n, %c0 : index
  scf.if %more {
    tile.kernel (%b) in (1) {
      tile.parallel (%i) in (64) do %x[%i] = %x[%i] + 1.0
    }
    %less = arith.subi %n, %c1 : index
    func.call @again(%x, %less) : (memref<64xf32>, index) -> ()
  }
  return
}
