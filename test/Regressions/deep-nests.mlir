// A hazard between any two of the loops around an access is looked for, iteration by iteration: six loops took 12 s, and each one more
// seven times that. In nests of more than four loops, only the two innermost have iterations that are told apart.
//
// REQUIRES: tile-run
// RUN: %if nvidia %{ tile-opt-plain --tile-to-nvvm-pipeline=chip=sm_90a %s -o /dev/null %}
// RUN: %if amd %{ tile-opt-plain --tile-to-rocdl-pipeline=chip=gfx942 %s -o /dev/null %}
// RUN: %if nvidia %{ tile-run --no-notes --target=cuda --chip=sm_90a --device=model %s | FileCheck %s %}
// RUN: %if amd %{ tile-run --no-notes --target=hip --chip=gfx942 --device=model %s | FileCheck %s %}
// RUN: tile-run --no-notes --target=cpu %s | FileCheck %s

// CHECK: 1 passed, 0 failed

// 128 rotations by one element, each of which adds the number of the outermost iteration.
func.func @seven(%x: memref<128xi32>, %y: memref<128xi32> {tile.result}) attributes {tile.reference = @reference} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  tile.kernel (%b) in (1) threads(128) {
    %s = tile.alloc : memref<128xi32, #tile.shared>
    %t = tile.alloc : memref<128xi32, #tile.shared>
    tile.copy %x, %s
    scf.for %i0 = %c0 to %c2 step %c1 {
      scf.for %i1 = %c0 to %c2 step %c1 {
        scf.for %i2 = %c0 to %c2 step %c1 {
          scf.for %i3 = %c0 to %c2 step %c1 {
            scf.for %i4 = %c0 to %c2 step %c1 {
              scf.for %i5 = %c0 to %c2 step %c1 {
                scf.for %i6 = %c0 to %c2 step %c1 {
                  tile.parallel (%i) in (128) do %t[%i] = %s[mod(%i + 1, 128)] + i32(%i0)
                  tile.copy %t, %s
                }
              }
            }
          }
        }
      }
    }
    tile.copy %s, %y
  }
  return
}

func.func @reference(%x: memref<128xi32>, %y: memref<128xi32>) {
  %c64 = arith.constant 64 : i32
  affine.for %i = 0 to 128 {
    %v = affine.load %x[%i] : memref<128xi32>
    %w = arith.addi %v, %c64 : i32
    affine.store %w, %y[%i] : memref<128xi32>
  }
  return
}

func.func @thirty(%x: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.kernel (%b) in (1) threads(128) {
    %s = tile.alloc : memref<128xf32, #tile.shared>
    scf.for %i0 = %c0 to %n step %c1 { scf.for %i1 = %c0 to %n step %c1 { scf.for %i2 = %c0 to %n step %c1 {
    scf.for %i3 = %c0 to %n step %c1 { scf.for %i4 = %c0 to %n step %c1 { scf.for %i5 = %c0 to %n step %c1 {
    scf.for %i6 = %c0 to %n step %c1 { scf.for %i7 = %c0 to %n step %c1 { scf.for %i8 = %c0 to %n step %c1 {
    scf.for %i9 = %c0 to %n step %c1 { scf.for %i10 = %c0 to %n step %c1 { scf.for %i11 = %c0 to %n step %c1 {
    scf.for %i12 = %c0 to %n step %c1 { scf.for %i13 = %c0 to %n step %c1 { scf.for %i14 = %c0 to %n step %c1 {
    scf.for %i15 = %c0 to %n step %c1 { scf.for %i16 = %c0 to %n step %c1 { scf.for %i17 = %c0 to %n step %c1 {
    scf.for %i18 = %c0 to %n step %c1 { scf.for %i19 = %c0 to %n step %c1 { scf.for %i20 = %c0 to %n step %c1 {
    scf.for %i21 = %c0 to %n step %c1 { scf.for %i22 = %c0 to %n step %c1 { scf.for %i23 = %c0 to %n step %c1 {
    scf.for %i24 = %c0 to %n step %c1 { scf.for %i25 = %c0 to %n step %c1 { scf.for %i26 = %c0 to %n step %c1 {
    scf.for %i27 = %c0 to %n step %c1 { scf.for %i28 = %c0 to %n step %c1 { scf.for %i29 = %c0 to %n step %c1 {
    tile.copy %x[%b], %s
    tile.parallel (%i) in (128) do %x[%i] = %s[127 - %i] + %x[%i]
    }}}}}}}}}}}}}}}}}}}}}}}}}}}}}}
  }
  return
}
