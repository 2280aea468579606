// Numbers of all types that a kernel takes: C, in which the host's side is written, has no f16 and no bf16.

// REQUIRES: tile-run, ascend
// RUN: tile-run %s --arg=0:0.1 --arg=1:0.3 --arg=2:1.5 --arg=3:1 --arg=4:-5 --arg=5:-300 --arg=6:-70000 | FileCheck %s
// RUN: tile-run %s --target=ascend --arg=0:0.1 --arg=1:0.3 --arg=2:1.5 --arg=3:1 --arg=4:-5 --arg=5:-300 --arg=6:-70000 | FileCheck %s
// RUN: tile-run %s --target=ascend --chip=950 --arg=0:-0.1 --arg=1:-3 --arg=2:0 --arg=3:1 --arg=4:-5 --arg=5:-300 --arg=6:-70000 | FileCheck %s
// RUN: tile-run %s --target=ascend --arg=0:6e-8 --arg=1:inf --arg=2:1 --arg=3:1 --arg=4:-5 --arg=5:-300 --arg=6:-70000 | FileCheck %s
// RUN: tile-run %s --target=ascend --arg=0:-inf --arg=1:nan --arg=2:inf --arg=3:1 --arg=4:-5 --arg=5:-300 --arg=6:-70000 | FileCheck %s
// RUN: tile-run %s --target=ascend --arg=0:nan --arg=1:-0.0 --arg=2:-0.0 --arg=3:1 --arg=4:-5 --arg=5:-300 --arg=6:-70000 | FileCheck %s
// RUN: tile-opt --tile-to-ascend-pipeline %s | tile-translate --mlir-to-ascend-host -o %t.c
// RUN: gcc -std=c11 -Wall -Wextra -Wpedantic -Werror -c %t.c -o %t.o
// CHECK: {{^}}1 passed, 0 failed{{$}}

func.func @arguments(%h: f16, %g: bf16, %f: f32, %b: i1, %c: i8, %s: i16, %l: i64, %x: memref<64xf16>, %y: memref<64xf16> {tile.result},
                     %z: memref<64xbf16> {tile.result}, %n: memref<7xf32> {tile.result}) attributes {tile.reference = @arguments_reference} {
  tile.kernel (%k) in (1) threads(32) {
    tile.parallel (%i) in (64) do {
      %y[%i] = %x[%i] * %h
      %z[%i] = bf16(f32(%x[%i])) * %g
    }
    tile.parallel (%i) in (1) do {
      %n[0] = f32(%h * %h)
      %n[1] = f32(%g * %g)
      %n[2] = %f
      %n[3] = f32(%b)
      %n[4] = f32(%c)
      %n[5] = f32(%s)
      %n[6] = f32(%l)
    }
  }
  return
}

func.func private @arguments_reference(%h: f16, %g: bf16, %f: f32, %b: i1, %c: i8, %s: i16, %l: i64, %x: memref<64xf16>, %y: memref<64xf16>,
                                       %z: memref<64xbf16>, %n: memref<7xf32>) {
  affine.for %i = 0 to 64 {
    %v = affine.load %x[%i] : memref<64xf16>
    %p = arith.mulf %v, %h : f16
    affine.store %p, %y[%i] : memref<64xf16>
    %w = arith.extf %v : f16 to f32
    %u = arith.truncf %w : f32 to bf16
    %q = arith.mulf %u, %g : bf16
    affine.store %q, %z[%i] : memref<64xbf16>
  }
  %hh = arith.mulf %h, %h : f16
  %h32 = arith.extf %hh : f16 to f32
  affine.store %h32, %n[0] : memref<7xf32>
  %gg = arith.mulf %g, %g : bf16
  %g32 = arith.extf %gg : bf16 to f32
  affine.store %g32, %n[1] : memref<7xf32>
  affine.store %f, %n[2] : memref<7xf32>
  %b32 = arith.uitofp %b : i1 to f32
  affine.store %b32, %n[3] : memref<7xf32>
  %c32 = arith.sitofp %c : i8 to f32
  affine.store %c32, %n[4] : memref<7xf32>
  %s32 = arith.sitofp %s : i16 to f32
  affine.store %s32, %n[5] : memref<7xf32>
  %l32 = arith.sitofp %l : i64 to f32
  affine.store %l32, %n[6] : memref<7xf32>
  return
}
