// RUN: tile-opt --ascend-expand-instructions %s | tile-translate --mlir-to-ascendc | FileCheck %s
// RUN: tile-translate --mlir-to-ascend-build %s | FileCheck %s --check-prefix=BUILD

// The paths between the cores of 950.

// Without the definition, the vendor's headers take another way to L1.
// BUILD: exec bisheng --npu-arch=dav-3510 {{.*}} -DENABLE_CV_COMM_VIA_SSBUF=true

// The parameters of Fixpipe to UB are those of the vendor with one more.
// CHECK: static constexpr FixpipeConfig rowsToUB = {CO2Layout::ROW_MAJOR, true};
// CHECK: struct toBothCores : FixpipeParamsArch3510<CO2Layout::ROW_MAJOR> {
// CHECK-NEXT: __aicore__ inline toBothCores(uint16_t columns, uint16_t rows, uint16_t height, uint32_t pitch)
// CHECK-NEXT: : FixpipeParamsArch3510(columns, rows, height, pitch) { dualDstCtl = 1; }
// CHECK: struct toOneCore : FixpipeParamsArch3510<CO2Layout::ROW_MAJOR> {
// CHECK-NEXT: __aicore__ inline toOneCore({{.*}}, uint8_t core,
// CHECK-NEXT: QuantMode_t quant, bool relu)
// CHECK-NEXT: : FixpipeParamsArch3510(columns, rows, height, pitch) { quantPre = quant; reluEn = relu; subBlockId = core; }

module attributes {tile.target = #tile.target<"950">} {
  // CHECK-LABEL: paths_kernel(
  func.func @paths() {
    tile.kernel (%b) in (1) {
      %c = tile.alloc {ascend.address = 0 : i64} : memref<32x64xf32, #tile.l0c>
      %x = tile.alloc {ascend.address = 0 : i64} : memref<16x64xf32, #tile.ub>
      %y = tile.alloc {ascend.address = 4096 : i64} : memref<16x64xf16, #tile.ub>
      %z = tile.alloc {ascend.address = 8192 : i64} : memref<32x64xf32, #tile.ub>
      %p = tile.alloc {ascend.address = 0 : i64} : memref<32x64xf16, #tile.l1>
      %q = tile.alloc {ascend.address = 8192 : i64} : memref<16x64xf16, #tile.l1>
      ascend.section cube {
        // One instruction writes both halves.
        // CHECK: Fixpipe<float, float, rowsToUB>([[X:.*]], [[C:l0c[0-9]+]], toBothCores(64, 32, 32, 64));
        ascend.fixpipe %x, %c {halves} : memref<16x64xf32, #tile.ub>, memref<32x64xf32, #tile.l0c>
        // With a conversion, each core has an instruction: 16 rows of L0C are 256 elements.
        // CHECK-NEXT: Fixpipe<half, float, rowsToUB>([[Y:.*]], [[C]], toOneCore(64, 16, 32, 64, 0, QuantMode_t::F322F16, true));
        // CHECK-NEXT: Fixpipe<half, float, rowsToUB>([[Y]], [[C]][256], toOneCore(64, 16, 32, 64, 1, QuantMode_t::F322F16, true));
        ascend.fixpipe %y, %c {halves, relu} : memref<16x64xf16, #tile.ub>, memref<32x64xf32, #tile.l0c>
        // All of it to both.
        // CHECK-NEXT: Fixpipe<float, float, rowsToUB>([[Z:.*]], [[C]], toOneCore(64, 32, 32, 64, 0, QuantMode_t::NoQuant, false));
        // CHECK-NEXT: Fixpipe<float, float, rowsToUB>([[Z]], [[C]], toOneCore(64, 32, 32, 64, 1, QuantMode_t::NoQuant, false));
        ascend.fixpipe %z, %c : memref<32x64xf32, #tile.ub>, memref<32x64xf32, #tile.l0c>
        // To one.
        // CHECK-NEXT: toOneCore(64, 32, 32, 64, 1, QuantMode_t::NoQuant, false));
        ascend.fixpipe %z, %c sub_block(1) : memref<32x64xf32, #tile.ub>, memref<32x64xf32, #tile.l0c>
        // CHECK: CrossCoreSetFlag<2, PIPE_FIX>(0);
        ascend.cross_core_set_flag fix id(0)
      }
      ascend.section vector {
        // CHECK: CrossCoreWaitFlag<2, PIPE_V>(0);
        ascend.cross_core_wait_flag id(0) on v
        // CHECK: for (int64_t c = 0; c < 4; c += 1)
        // CHECK-NEXT: DataCopy([[P:l1_[0-9]+]][c * 512][GetSubBlockIdx() * 256], [[Y]][c * 16], DataCopyParams{16, 1, 3, 0});
        ascend.copy_ub_to_l1 %p, %y {halves} : memref<32x64xf16, #tile.l1>, memref<16x64xf16, #tile.ub>
        // CHECK: for (int64_t c = 0; c < 4; c += 1) DataCopy([[Q:l1_[0-9]+]][c * 256], [[Y]][c * 16], DataCopyParams{16, 1, 3, 0});
        ascend.copy_ub_to_l1 %q, %y : memref<16x64xf16, #tile.l1>, memref<16x64xf16, #tile.ub>
      }
    }
    return
  }
}
