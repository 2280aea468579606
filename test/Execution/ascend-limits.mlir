// REQUIRES: tile-run
// RUN: tile-run --target=ascend %s | FileCheck %s
// RUN: tile-opt --tile-to-ascend-pipeline %s | tile-translate --mlir-to-ascendc | FileCheck %s --check-prefix=EMIT

// More than one instruction takes: rows of a copy (4095), repeats (255), elements from row to row of a matrix for the cube
// (65535).

// CHECK-NOT: FAIL
// CHECK: {{^}}13 passed, 0 failed

// EMIT: void rows_kernel
// EMIT: [[N:v[0-9]+]] = smaller(4095, [[ROWS:v[0-9]+]]), [[REST:v[0-9]+]] = smaller(905, [[ROWS]] - 4095),
// EMIT: DataCopyPad(ub[[X:[0-9]+]], g0[{{.*}}],{{[[:space:]]+}}DataCopyExtParams([[N]],
// EMIT: DataCopyPad(ub[[X]][32760], g0[{{.*}} * 4095],{{[[:space:]]+}}DataCopyExtParams([[REST]],
// EMIT: DataCopyPad(g1[{{.*}}], ub[[X]],{{[[:space:]]+}}DataCopyExtParams(
// EMIT: DataCopyPad(g1[{{.*}} * 4095], ub[[X]][32760],{{[[:space:]]+}}DataCopyExtParams(
func.func @rows(%x: memref<?x?xf32> {tile.shape = "MxN"}, %y: memref<?x?xf32> {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @rows_reference,
                tile.cases = ["M=5000 N=8", "M=4095 N=8", "M=4096 N=5", "M=4097 N=3", "M=1 N=8", "M=0 N=8", "M=9001 N=7"]} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %m = memref.dim %x, %c0 : memref<?x?xf32>
  %blocks = affine.apply affine_map<(m) -> (m ceildiv 5000)>(%m)
  tile.kernel (%b) in (%blocks) {
    %t = tile.alloc : memref<5000x8xf32, #tile.shared>
    tile.copy %x[%b * 5000, 0], %t : memref<?x?xf32>, memref<5000x8xf32, #tile.shared>
    tile.parallel (%i, %j) in (5000, 8) {
      %v = memref.load %t[%i, %j] : memref<5000x8xf32, #tile.shared>
      %w = arith.addf %v, %one : f32
      memref.store %w, %t[%i, %j] : memref<5000x8xf32, #tile.shared>
    }
    tile.copy %t, %y[%b * 5000, 0] : memref<5000x8xf32, #tile.shared>, memref<?x?xf32>
  }
  return
}

func.func @rows_reference(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %m = memref.dim %x, %c0 : memref<?x?xf32>
  %n = memref.dim %x, %c1 : memref<?x?xf32>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %v = affine.load %x[%i, %j] : memref<?x?xf32>
      %w = arith.addf %v, %one : f32
      affine.store %w, %y[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// EMIT: void broadcast_kernel
// EMIT: Brcb(ub{{[0-9]+}}, ub{{[0-9]+}}, 255, BrcbRepeatParams{1, 8});
// EMIT-NEXT: Brcb(ub{{[0-9]+}}[16320], ub{{[0-9]+}}[2040], 8, BrcbRepeatParams{1, 8});
func.func @broadcast(%x: memref<?xf32> {tile.shape = "M"}, %y: memref<?x?xf32> {tile.shape = "Mx8", tile.result})
    attributes {tile.reference = @broadcast_reference, tile.cases = ["M=2100", "M=2041", "M=3"]} {
  %c0 = arith.constant 0 : index
  %m = memref.dim %x, %c0 : memref<?xf32>
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<2100xf32, #tile.shared>
    %t = tile.alloc : memref<2100x8xf32, #tile.shared>
    tile.copy %x[0], %s : memref<?xf32>, memref<2100xf32, #tile.shared>
    tile.parallel (%i, %j) in (2100, 8) {
      %v = memref.load %s[%i] : memref<2100xf32, #tile.shared>
      memref.store %v, %t[%i, %j] : memref<2100x8xf32, #tile.shared>
    }
    tile.copy %t, %y[0, 0] : memref<2100x8xf32, #tile.shared>, memref<?x?xf32>
  }
  return
}

func.func @broadcast_reference(%x: memref<?xf32>, %y: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %m = memref.dim %x, %c0 : memref<?xf32>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to 8 {
      %v = affine.load %x[%i] : memref<?xf32>
      affine.store %v, %y[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// EMIT: void pitch_kernel
// EMIT: for (int64_t [[I:i[0-9]+]] = 0; [[I]] < 32; [[I]] += 1){{[[:space:]]+}}DataCopy({{.*}}, Nd2NzParams(1, 1, 64, 0, 1,
func.func @pitch(%a: memref<32x70000xf16>, %b: memref<?x?xf16> {tile.shape = "64xN"},
                 %c: memref<?x?xf32> {tile.shape = "32xN", tile.result})
    attributes {tile.reference = @pitch_reference, tile.rtol = 1.0e-5, tile.atol = 1.0e-5,
                tile.cases = ["N=64", "N=33", "N=1"]} {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%block) in (1) {
    %as = tile.alloc : memref<32x64xf16, #tile.shared>
    %bs = tile.alloc : memref<64x64xf16, #tile.shared>
    %acc = tile.alloc : memref<32x64xf32, #tile.fragment>
    tile.copy %a[0, 0], %as : memref<32x70000xf16>, memref<32x64xf16, #tile.shared>
    tile.copy %b[0, 0], %bs : memref<?x?xf16>, memref<64x64xf16, #tile.shared>
    tile.fill %acc, %zero : memref<32x64xf32, #tile.fragment>
    tile.gemm %as, %bs, %acc : memref<32x64xf16, #tile.shared>, memref<64x64xf16, #tile.shared>, memref<32x64xf32, #tile.fragment>
    tile.copy %acc, %c[0, 0] : memref<32x64xf32, #tile.fragment>, memref<?x?xf32>
  }
  return
}

func.func @pitch_reference(%a: memref<32x70000xf16>, %b: memref<?x?xf16>, %c: memref<?x?xf32>) {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %b, %c1 : memref<?x?xf16>
  affine.for %i = 0 to 32 {
    affine.for %j = 0 to %n {
      %sum = affine.for %k = 0 to 64 iter_args(%s = %zero) -> f32 {
        %x = affine.load %a[%i, %k] : memref<32x70000xf16>
        %y = affine.load %b[%k, %j] : memref<?x?xf16>
        %u = arith.extf %x : f16 to f32
        %v = arith.extf %y : f16 to f32
        %p = arith.mulf %u, %v : f32
        %t = arith.addf %s, %p : f32
        affine.yield %t : f32
      }
      affine.store %sum, %c[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
