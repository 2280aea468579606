// RUN: tile-opt --ascend-expand-instructions --split-input-file %s | tile-translate --mlir-to-ascendc --split-input-file | FileCheck %s

// How operands come to the cube. On 910B, 2-byte blocks are transposed by LoadData, others in squares by
// LoadDataWithTranspose: 4-byte elements lie row of blocks after row in L1 for it, and have K in whole squares in L0A.

// CHECK-LABEL: void f32_kernel
// CHECK: for (int64_t [[I:i[0-9]+]] = 0; [[I]] < 24; [[I]] += 16) {
// CHECK-NEXT: const int64_t [[R:v[0-9]+]] = smaller(24 - [[I]], 16);
// CHECK-NEXT: DataCopy([[X:l1[_0-9]+]]{{\[}}([[I]] / 16) * 512 + ([[I]] % 16) * 8], {{.*}}{{\[}}[[I]] * 32],{{[[:space:]]+}}Nd2NzParams(1, [[R]], 32, 0, 32, 16, 1, 0));
// CHECK: for (int64_t c = 0; c < 2; c += 1)
// CHECK-NEXT: LoadDataWithTranspose([[A:l0a[0-9]+]][c * 512], [[X]][c * 256], LoadData2dTransposeParams{0, 2, 2, 1, 0, 0});
// CHECK-NEXT: for (int64_t c = 0; c < 2; c += 1)
// CHECK-NEXT: LoadDataWithTranspose([[B:l0b[0-9]+]][c * 512], [[X]][c * 512], LoadData2dTransposeParams{0, 2, 1, 0, 1, 0});
// CHECK-NEXT: MmadParams [[P:[a-z0-9]+]] = MmadParams(32, 32, 24, 0, false, true);
// CHECK-NEXT: [[P]].kDirectionAlign = true;
// CHECK-NEXT: Mmad({{.*}}, [[A]], [[B]], [[P]]);
func.func @f32(%g: memref<24x32xf32>) {
  %true = arith.constant true
  tile.kernel (%b) in (1) {
    %x = tile.alloc {ascend.address = 0 : i64} : memref<24x32xf32, #tile.l1>
    %a = tile.alloc {ascend.address = 0 : i64} : memref<32x24xf32, #tile.l0a>
    %w = tile.alloc {ascend.address = 0 : i64} : memref<24x32xf32, #tile.l0b>
    %c = tile.alloc {ascend.address = 0 : i64} : memref<32x32xf32, #tile.l0c>
    ascend.copy_gm_to_l1 %x, %g : memref<24x32xf32, #tile.l1>, memref<24x32xf32>
    ascend.load_l0a %a, %x {transpose} : memref<32x24xf32, #tile.l0a>, memref<24x32xf32, #tile.l1>
    ascend.load_l0b %w, %x : memref<24x32xf32, #tile.l0b>, memref<24x32xf32, #tile.l1>
    ascend.mmad %c, %a, %w init(%true) : memref<32x32xf32, #tile.l0c>, memref<32x24xf32, #tile.l0a>, memref<24x32xf32, #tile.l0b>
  }
  return
}

// -----

// Three blocks of N are one and a half squares: the last square of K reaches into the next row of blocks, which is loaded after it.

// CHECK-LABEL: void i8_kernel
// CHECK: LoadDataWithTranspose([[B:l0b[0-9]+]], [[X:l1[_0-9]+]], LoadData2dTransposeParams{0, 2, 2, 1, 0, 0}); PipeBarrier<PIPE_MTE1>();
// CHECK-NEXT: LoadDataWithTranspose([[B]][1536], [[X]][1024], LoadData2dTransposeParams{0, 2, 2, 1, 0, 0});
// CHECK-NOT: PipeBarrier<PIPE_MTE1>
// A single row is multiplied as two.
// CHECK: Mmad({{.*}}, MmadParams(2, 48, 64, 0, false, true));
func.func @i8() {
  %true = arith.constant true
  tile.kernel (%b) in (1) {
    %x = tile.alloc {ascend.address = 0 : i64} : memref<64x48xi8, #tile.l1>
    %a = tile.alloc {ascend.address = 0 : i64} : memref<1x64xi8, #tile.l0a>
    %w = tile.alloc {ascend.address = 0 : i64} : memref<64x48xi8, #tile.l0b>
    %c = tile.alloc {ascend.address = 0 : i64} : memref<1x48xi32, #tile.l0c>
    ascend.load_l0b %w, %x : memref<64x48xi8, #tile.l0b>, memref<64x48xi8, #tile.l1>
    ascend.mmad %c, %a, %w init(%true) : memref<1x48xi32, #tile.l0c>, memref<1x64xi8, #tile.l0a>, memref<64x48xi8, #tile.l0b>
  }
  return
}

// -----

// A product of half of the columns.

// CHECK-LABEL: void part_kernel
// CHECK: Mmad({{.*}}[768], {{.*}}, {{.*}}, MmadParams(40, 16, 16, 0, false, true));
func.func @part() {
  %true = arith.constant true
  tile.kernel (%b) in (1) {
    %a = tile.alloc {ascend.address = 0 : i64} : memref<40x16xf16, #tile.l0a>
    %w = tile.alloc {ascend.address = 0 : i64} : memref<16x16xf16, #tile.l0b>
    %c = tile.alloc {ascend.address = 0 : i64} : memref<40x32xf32, #tile.l0c>
    %v = memref.subview %c[0, 16] [40, 16] [1, 1] : memref<40x32xf32, #tile.l0c> to memref<40x16xf32, strided<[32, 1], offset: 16>, #tile.l0c>
    ascend.mmad %v, %a, %w init(%true) : memref<40x16xf32, strided<[32, 1], offset: 16>, #tile.l0c>, memref<40x16xf16, #tile.l0a>, memref<16x16xf16, #tile.l0b>
  }
  return
}

// -----

// On 950 one LoadData moves or transposes a whole matrix, and L1 has columns of blocks.

// CHECK-LABEL: void steps_kernel
// CHECK: DataCopy([[X:l1[_0-9]+]], {{.*}}, Nd2NzParams(1, 64, 32, 0, 32, 64, 1, 0));
// CHECK: LoadData([[A:.*]], [[X]], LoadData2DParamsV2{2, 0, 2, 4, 4, 2, true, 0});
// CHECK: LoadData([[B:.*]], [[X]], LoadData2DParamsV2{0, 0, 4, 4, 4, 2, true, 0});
// CHECK: LoadData([[C:.*]], [[X]], LoadData2DParamsV2{0, 0, 4, 4, 4, 4, false, 0});
// CHECK-NOT: kDirectionAlign
func.func @steps(%g: memref<64x32xf32>) attributes {tile.target = #tile.target<"950">} {
  tile.kernel (%b) in (1) {
    %x = tile.alloc {ascend.address = 0 : i64} : memref<64x32xf32, #tile.l1>
    %a = tile.alloc {ascend.address = 0 : i64} : memref<32x32xf32, #tile.l0a>
    %w = tile.alloc {ascend.address = 0 : i64} : memref<64x32xf32, #tile.l0b>
    %w2 = tile.alloc {ascend.address = 8192 : i64} : memref<32x64xf32, #tile.l0b>
    %v = memref.subview %x[32, 0] [32, 32] [1, 1] : memref<64x32xf32, #tile.l1> to memref<32x32xf32, strided<[32, 1], offset: 1024>, #tile.l1>
    ascend.copy_gm_to_l1 %x, %g : memref<64x32xf32, #tile.l1>, memref<64x32xf32>
    ascend.load_l0a %a, %v {transpose} : memref<32x32xf32, #tile.l0a>, memref<32x32xf32, strided<[32, 1], offset: 1024>, #tile.l1>
    ascend.load_l0b %w, %x : memref<64x32xf32, #tile.l0b>, memref<64x32xf32, #tile.l1>
    ascend.load_l0b %w2, %x {transpose} : memref<32x64xf32, #tile.l0b>, memref<64x32xf32, #tile.l1>
  }
  return
}
