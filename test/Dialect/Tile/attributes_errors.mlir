// RUN: tile-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{unknown attribute 'register' in dialect 'tile'; memory spaces are global, shared, fragment, local, tmem, l1, ub, l0a, l0b, l0c, bt}}
func.func private @unknown_space(memref<4xf32, #tile.register>)

// -----

// expected-error @below {{expected 'tile.reference' to be the name of a function}}
func.func private @reference_name() attributes {tile.reference = "f"}

// -----

// expected-error @below {{reference @missing does not exist}}
func.func private @reference_missing() attributes {tile.reference = @missing}

// -----

// expected-error @below {{expected the reference to have type '(f32) -> ()', got '(f16) -> ()'}}
func.func private @reference_type(f32) attributes {tile.reference = @other}
// expected-note @below {{the reference is here}}
func.func private @other(f16)

// -----

// A reference that is itself wrong is reported there, not followed.
func.func private @reference_broken(f32) attributes {tile.reference = @broken}
// expected-error @below {{'func.func' op requires attribute 'function_type'}}
"func.func"() <{sym_name = "broken", sym_visibility = "private"}> ({}) : () -> ()

// -----

// expected-error @below {{expected 'tile.atol' to be a float}}
func.func private @tolerance() attributes {tile.atol = 1}

// -----

// expected-error @below {{expected 'tile.rtol' to be a float}}
func.func private @relative_tolerance() attributes {tile.rtol = "small"}

// -----

// expected-error @below {{expected 'tile.cases' to be an array of strings such as ["M=64 N=100", "M=1 N=7"]}}
func.func private @cases() attributes {tile.cases = ["M=1", 2]}

// -----

// expected-error @below {{unknown attribute 'tile.tolerance'; expected tile.reference, tile.cases, tile.atol or tile.rtol on a function, tile.launch or tile.versions on a kernel of a device, tile.parameters on a kernel or loop, tile.pads, tile.resident_blocks or tile.spread_rows on a kernel, tile.multicast on a copy, tile.ahead on a tile.consumer_wait, tile.unroll on a tile.pipelined, tile.warpgroups on a barrier or a copy, tile.consumers on a tile.warp_specialize or a tile.alloc, tile.cluster_sum on a copy or a tile.parallel, tile.spread on a reduction, tile.defaults on a parameter, tile.bindings on a module, or tile.target}}
func.func private @unknown() attributes {tile.tolerance = 1.0}

// -----

func.func @resident_blocks() {
  // expected-error @below {{expected 'tile.resident_blocks' on a kernel to be a number of blocks of at least 1, got 0 : i32}}
  tile.kernel (%b) in (1) attributes {tile.resident_blocks = 0 : i32} {
  }
  return
}

// -----

func.func @not_a_kernel() {
  // expected-error @below {{expected 'tile.resident_blocks' on a kernel to be a number of blocks of at least 1, got 2 : i32}}
  %c = arith.constant {tile.resident_blocks = 2 : i32} 0 : index
  return
}

// -----

func.func @not_a_function() {
  // expected-error @below {{expected 'tile.cases' to be on a function}}
  %c = arith.constant {tile.cases = ["M=1"]} 0 : index
  return
}

// -----

// expected-error @below {{expected 'tile.shape' to be a string}}
func.func private @shape(memref<?xf32> {tile.shape = 4})

// -----

// expected-error @below {{expected 'tile.init' to be a string}}
func.func private @init(memref<?xf32> {tile.init})

// -----

// expected-error @below {{expected 'tile.result' to have no value}}
func.func private @result(memref<?xf32> {tile.result = true})

// -----

// expected-error @below {{unknown argument attribute 'tile.output'; expected tile.shape, tile.align, tile.init or tile.result}}
func.func private @unknown_argument(memref<?xf32> {tile.output})

// -----

// expected-error @below {{expected a gemm instruction, got 'tma'}}
func.func private @mma_family() attributes {i = #tile.mma<tma, m = 64, n = 64, k = 16, warps_m = 4, warps_n = 1>}

// -----

// expected-error @below {{expected positive extents and numbers of warps, got 0}}
func.func private @mma_warps() attributes {i = #tile.mma<wgmma, m = 64, n = 64, k = 16, warps_m = 0, warps_n = 1>}

// -----

// expected-error @below {{expected a copy instruction, got 'wgmma'}}
func.func private @transfer_family() attributes {i = #tile.transfer<wgmma>}

// -----

// expected-error @below {{expected 'bytes' not to be negative, got -16}}
func.func private @transfer_bytes() attributes {i = #tile.transfer<cp_async, bytes = -16>}

// -----

// expected-error @below {{expected 'tile.target' to be a #tile.target}}
module attributes {tile.target = "sm_90a"} {
}

// -----

// expected-error @below {{expected a number of at least 1 behind '%' in 'tile.shape', got 'K%0'}}
func.func private @multiple(memref<?x?xf32> {tile.shape = "MxK%0"})

// -----

// expected-error @below {{expected a number of at least 1 behind '%' in 'tile.shape', got 'K%'}}
func.func private @multiple_missing(memref<?x?xf32> {tile.shape = "K%xM"})

// -----

// expected-error @below {{expected a formula such as 'ceildiv(K, 2)', 'floordiv(K, 2)', 'K * 2', 'K + 1' or 'K - 1' in 'tile.shape', got 'ceildiv(K, 0)'}}
func.func private @division_by_zero(memref<?xf32> {tile.shape = "K"}, memref<?xf32> {tile.shape = "ceildiv(K, 0)"})

// -----

// expected-error @below {{in 'tile.shape', got 'K * K'}}
func.func private @two_names(memref<?xf32> {tile.shape = "K"}, memref<?xf32> {tile.shape = "K * K"})

// -----

// expected-error @below {{in 'tile.shape', got 'K * 9223372036854775808'}}
func.func private @too_large(memref<?xf32> {tile.shape = "K"}, memref<?xf32> {tile.shape = "K * 9223372036854775808"})

// -----

// expected-error @below {{in 'tile.shape', got 'floordiv(K 2)'}}
func.func private @no_comma(memref<?xf32> {tile.shape = "K"}, memref<?xf32> {tile.shape = "floordiv(K 2)"})

// -----

// expected-error @below {{expected 'M' of 'M + 1' in 'tile.shape' to be the name of a dynamic extent of an argument}}
func.func private @unknown_name(memref<?xf32> {tile.shape = "K"}, memref<?xf32> {tile.shape = "M + 1"})

// -----

// A static extent has its number.
// expected-error @below {{expected 'K' of 'K + 1' in 'tile.shape' to be the name of a dynamic extent of an argument}}
func.func private @static_extent(memref<8xf32> {tile.shape = "K"}, memref<?xf32> {tile.shape = "K + 1"})

// -----

// expected-error @below {{expected 'tile.align' to be a power of two, got 12 : i64}}
func.func private @align(memref<?xf32> {tile.align = 12})

// -----

// expected-error @below {{expected 'tile.align' to be a power of two, got "16"}}
func.func private @align_text(memref<?xf32> {tile.align = "16"})

// -----

// expected-error @below {{expected 'tile.pads' on a kernel to be numbers of arguments of its function, got 0}}
func.func @pads() attributes {tile.pads = 0} {
  return
}

// -----

func.func @padded_argument() {
  // expected-error @below {{expected 'tile.pads' on a kernel to be numbers of arguments of its function, got array<i64: 0, -1>}}
  tile.kernel (%b) in (1) attributes {tile.pads = array<i64: 0, -1>} {
  }
  return
}

// -----

// expected-error @below {{expected 'tile.versions' to be a list of #tile.launch beside 'tile.launch'}}
func.func private @alone() attributes {tile.versions = []}

// -----

func.func @cluster_sum_of_one(%a: memref<4xf32>, %c: memref<4xf32>) {
  tile.kernel (%z) in (1) {
    // expected-error @below {{expected 'tile.cluster_sum' on a copy or a tile.parallel to be a number of blocks above 1, got 1 : i64}}
    tile.copy %a, %c {tile.cluster_sum = 1}
  }
  return
}

// -----

func.func @room_alone(%a: memref<4xf32>) {
  tile.kernel (%z) in (1) {
    // expected-error @below {{expected 'tile.cluster_room' beside 'tile.cluster_sum' to be an offset of bytes, got 0 : i64}}
    tile.parallel (%i) in (4) attributes {tile.cluster_room = 0} do %a[%i] = 0.0
  }
  return
}

// -----

func.func @ahead() {
  tile.kernel (%b) in (1) {
    %pipeline = tile.create_pipeline : !tile.pipeline<2>
    // expected-error @below {{expected 'tile.ahead' on a tile.consumer_wait to be 0 or 1, got 2 : i64}}
    %i = tile.consumer_wait %pipeline {tile.ahead = 2} : !tile.pipeline<2>
  }
  return
}

// -----

func.func @unroll() {
  tile.kernel (%b) in (1) {
    // expected-error @below {{expected 'tile.unroll' on a tile.pipelined to be a number of iterations between 1 and 64, got 65 : i64}}
    tile.pipelined %k = 0 to 4 attributes {tile.unroll = 65} {
    }
  }
  return
}

// -----

// expected-error @below {{expected 'tile.unroll' on a tile.pipelined to be a number of iterations between 1 and 64, got 2 : i64}}
func.func @unroll_of_a_function() attributes {tile.unroll = 2} {
  return
}

// -----

func.func @warpgroups() {
  tile.kernel (%p) in (4) threads(256) {
    // expected-error @below {{expected 'tile.warpgroups' on a barrier or a copy of a partition to have no value}}
    tile.barrier {tile.warpgroups}
  }
  return
}

// -----

func.func @consumers() {
  tile.kernel (%p) in (4) threads(128) {
    // expected-error @below {{expected 'tile.consumers' on a tile.warp_specialize or a shared tile.alloc to be an i64 of 2 or more, got 1 : i64}}
    tile.warp_specialize attributes {tile.consumers = 1 : i64} producer {
    } consumer {
    }
  }
  return
}

// -----

func.func @consumers_of_fragment() {
  tile.kernel (%p) in (4) threads(128) {
    // expected-error @below {{expected 'tile.consumers' on a tile.warp_specialize or a shared tile.alloc to be an i64 of 2 or more, got 2 : i64}}
    %f = tile.alloc {tile.consumers = 2 : i64} : memref<64xf32, #tile.fragment>
  }
  return
}
