// Prints and assertions of kernels on GPUs: a block prints once, fragments by whoever has an element.

// REQUIRES: tile-run, nvidia, amd
// RUN: tile-run %s --func=prints --check=none --target=cuda --chip=sm_80 --device=model | FileCheck %s --check-prefix=PRINT
// RUN: tile-run %s --func=prints --check=none | FileCheck %s --check-prefix=PRINT
// PRINT-DAG: {{^}}100% of x = -0.5{{$}}
// PRINT-DAG: {{^}}n = 9000000000{{$}}
// PRINT-DAG: {{^}}block = 12{{$}}
// PRINT-DAG: {{^}}shared[0, 0] = 0{{$}}
// PRINT-DAG: {{^}}shared[0, 1] = 1{{$}}
// PRINT-DAG: {{^}}shared[1, 2] = 5{{$}}
// PRINT-DAG: {{^}}fragment[0] = 0{{$}}
// PRINT-DAG: {{^}}fragment[39] = 39{{$}}
// PRINT-DAG: {{^}}local[1] = 7{{$}}
// PRINT-DAG: {{^}}odd = 3{{$}}

// Once each, over all threads.
// RUN: tile-run %s --func=prints --check=none --target=cuda --chip=sm_90a --device=model | grep -c '=' | FileCheck %s --check-prefix=LINES
// RUN: tile-run %s --func=prints --check=none | grep -c '=' | FileCheck %s --check-prefix=LINES
// LINES: {{^}}53{{$}}

// RUN: not tile-run %s --func=fails --check=none --target=cuda --chip=sm_90a --device=model 2>&1 | FileCheck %s --check-prefix=ASSERT
// ASSERT: assertion failed: x is negative
// RUN: not tile-run %s --func=fails --check=none --target=hip --chip=gfx942 --device=model 2>&1 | FileCheck %s --check-prefix=TRAP
// TRAP: the kernel has stopped itself
// RUN: tile-run %s --func=holds --arg=1:3 --check=cpu --target=cuda --chip=sm_90a --device=model
// RUN: tile-run %s --func=holds --arg=1:3 --check=cpu --target=hip --chip=gfx942 --device=model

// RUN: not tile-run %s --func=prints --check=none --target=hip --chip=gfx942 --device=model 2>&1 | FileCheck %s --check-prefix=AMD
// AMD: error: 'tile.print' op cannot be lowered to threads of gfx942, which print nothing; run the kernel on the CPU

// RUN: tile-translate %s --tile-to-ptx --chip=sm_90a --gpu-function=fails -o - | FileCheck %s --check-prefix=PTX
// PTX: .extern .func __assertfail

func.func @prints(%x: memref<2x3xf16> {tile.init = "iota"}, %y: memref<40xi32> {tile.init = "iota"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c12 = arith.constant 12 : index
  %half = arith.constant -0.5 : f16
  %n = arith.constant 9000000000 : i64
  %seven = arith.constant 7 : i8
  tile.kernel (%b) in (1) threads(64) {
    tile.print %half, "100% of x" : f16
    tile.print %n, "n" : i64
    tile.print %c12, "block" : index
    %s = tile.alloc : memref<2x3xf16, #tile.shared>
    %f = tile.alloc : memref<40xi32, #tile.fragment>
    %l = tile.alloc : memref<2xi8, #tile.local>
    tile.copy %x, %s : memref<2x3xf16>, memref<2x3xf16, #tile.shared>
    tile.print %s, "shared" : memref<2x3xf16, #tile.shared>
    tile.copy %y, %f : memref<40xi32>, memref<40xi32, #tile.fragment>
    tile.print %f, "fragment" : memref<40xi32, #tile.fragment>
    memref.store %seven, %l[%c0] : memref<2xi8, #tile.local>
    memref.store %seven, %l[%c1] : memref<2xi8, #tile.local>
    tile.print %l, "local" : memref<2xi8, #tile.local>
    tile.parallel (%i) in (5) {
      %odd = arith.remui %i, %c12 : index
      %three = arith.constant 3 : index
      %isThree = arith.cmpi eq, %odd, %three : index
      scf.if %isThree {
        tile.print %odd, "odd" : index
      }
      %two = arith.constant 2 : index
      %isTwo = arith.cmpi eq, %odd, %two : index
      scf.if %isTwo {
        tile.print %odd, "two" : index
      }
    }
  }
  return
}

func.func @fails(%x: memref<40xf32>, %y: memref<40xf32> {tile.result}) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) threads(64) {
    tile.parallel (%i) in (40) {
      %v = memref.load %x[%i] : memref<40xf32>
      %ok = arith.cmpf oge, %v, %zero : f32
      tile.device_assert %ok, "x is negative"
      memref.store %v, %y[%i] : memref<40xf32>
    }
  }
  return
}

func.func @holds(%x: memref<40xf32> {tile.init = "iota"}, %n: index, %y: memref<40xf32> {tile.result}) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  tile.kernel (%b) in (1) threads(64) {
    %positive = arith.cmpi sge, %n, %c0 : index
    tile.device_assert %positive, "n is negative"
    tile.parallel (%i) in (40) {
      %v = memref.load %x[%i] : memref<40xf32>
      %ok = arith.cmpf oge, %v, %zero : f32
      tile.device_assert %ok, "x is negative"
      memref.store %v, %y[%i] : memref<40xf32>
    }
  }
  return
}
