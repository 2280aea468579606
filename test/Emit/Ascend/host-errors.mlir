// RUN: tile-translate --mlir-to-ascend-host --split-input-file --verify-diagnostics %s

// expected-error@+1 {{expected one block around kernels}}
func.func @blocks(%x: memref<64xf32>) {
  tile.kernel (%b) in (1) {
  }
  cf.br ^next
^next:
  return
}

// -----

memref.global "private" @values : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>

func.func @not_constant(%x: memref<4xf32>) {
  // expected-error@+1 {{expected a constant with values of whole bytes on an NPU; pass the buffer as an argument}}
  %values = memref.get_global @values : memref<4xf32>
  tile.kernel (%b) in (1) {
  }
  return
}

// -----

memref.global "private" constant @many : memref<1048577xf32> = dense<1.0>

func.func @many_bytes(%x: memref<4xf32>) {
  // expected-error@+1 {{expected at most 4194304 bytes of constants around kernels of an NPU, got 4194308; pass the buffer as an argument}}
  %values = memref.get_global @many : memref<1048577xf32>
  tile.kernel (%b) in (1) {
  }
  return
}

// -----

func.func @elements(%x: memref<4xf16>) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{host code around kernels of an NPU accesses elements of f32 and of integers of 8 to 64 bits, got 'f16'; have a kernel convert it, or load it in the kernel}}
  %v = memref.load %x[%c0] : memref<4xf16>
  tile.kernel (%b) in (1) {
  }
  return
}

// -----

// expected-error@+1 {{host code around kernels of an NPU takes numbers of f32, f16, bf16 and integers, got 'f8E4M3FN'; pass it in a buffer}}
func.func @numbers(%x: memref<4xf16>, %y: f8E4M3FN) {
  tile.kernel (%b) in (1) {
  }
  return
}

// -----

func.func @computes(%x: memref<4xf16>, %y: f16) {
  // expected-error@+1 {{host code around kernels of an NPU computes with f32 and integers, got 'f16'; compute it in the kernel}}
  %z = arith.addf %y, %y : f16
  tile.kernel (%b) in (1) {
  }
  return
}
