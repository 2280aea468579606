// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s --emit-bytecode | tile-opt | FileCheck %s

// CHECK-LABEL: @symbols
// CHECK-SAME: #tile.launch_symbol<"N", size, argument = 0, dim = 1>
// CHECK-SAME: #tile.launch_symbol<"stride0.0", stride, argument = 0, dim = 0, multiple = 2>
// CHECK-SAME: #tile.launch_symbol<"multiprocessors", multiprocessors>
// CHECK-SAME: #tile.launch_symbol<"blocks", min, values = [s0 ceildiv 64, s1 * s2 + 1]>
func.func private @symbols() attributes {examples = [
  #tile.launch_symbol<"N", size, argument = 0, dim = 1>,
  #tile.launch_symbol<"stride0.0", stride, dim = 0, multiple = 2, argument = 0>,
  #tile.launch_symbol<"multiprocessors", multiprocessors>,
  #tile.launch_symbol<"blocks", min, values = [s0 ceildiv 64, s1 * s2 + 1]>
]}

// CHECK-LABEL: @arguments
// CHECK-SAME: #tile.launch_argument<"A", memref<?x?xf16, strided<[?, 1]>>, align = 16, shape = [s0, ?], strides = [?, 1]>
// CHECK-SAME: #tile.launch_argument<"", f32>
// CHECK-SAME: #tile.launch_argument<"one", memref<f32>, align = 4>
func.func private @arguments() attributes {examples = [
  #tile.launch_argument<"A", memref<?x?xf16, strided<[?, 1]>>, align = 16, shape = [s0, ?], strides = [?, 1]>,
  #tile.launch_argument<"", f32>,
  #tile.launch_argument<"one", memref<f32>, align = 4>
]}

// CHECK-LABEL: @parameters
// CHECK-SAME: #tile.launch_parameter<pointer, argument = 0>
// CHECK-SAME: #tile.launch_parameter<stride, argument = 0, dim = 1, type = i32>
// CHECK-SAME: #tile.launch_parameter<value, value = s0 floordiv 2>
// CHECK-SAME: #tile.launch_parameter<tensor_map, map = 0>
func.func private @parameters() attributes {examples = [
  #tile.launch_parameter<pointer, argument = 0>,
  #tile.launch_parameter<stride, argument = 0, dim = 1, type = i32>,
  #tile.launch_parameter<value, value = s0 floordiv 2>,
  #tile.launch_parameter<tensor_map, map = 0>
]}

// CHECK-LABEL: @map
// CHECK-SAME: #tile.tensor_map<argument = 0, element = f16, sizes = [s1, 64], strides = [s1 * 2], box = [64, 128], swizzle = 128, l2_promotion = 256>
// CHECK-SAME: #tile.tensor_map<argument = 1, element = i8, sizes = [s0], box = [16]>
func.func private @map() attributes {examples = [
  #tile.tensor_map<argument = 0, element = f16, sizes = [s1, 64], strides = [s1 * 2], box = [64, 128], swizzle = 128,
                   l2_promotion = 256>,
  #tile.tensor_map<argument = 1, element = i8, sizes = [s0], box = [16]>
]}

// CHECK-LABEL: @scale
// CHECK-SAME: tile.launch = #tile.launch<kernel = "scale_0", function = "scale", runtime = "cuda", chip = "sm_90a"
// CHECK-SAME: symbols = [<"N", size, argument = 0, dim = 0>]
// CHECK-SAME: arguments = [<"x", memref<?xf32>, align = 16, shape = [s0]>, <"by", f32>]
// CHECK-SAME: maps = [<argument = 0, element = f32, sizes = [s0], box = [256]>]
// CHECK-SAME: parameters = [<pointer, argument = 0>, <scalar, argument = 1>, <tensor_map, map = 0>]
// CHECK-SAME: grid = [s0 ceildiv 256], block = [128], cluster = [2, 1], shared = 1024>
func.func private @scale() attributes {tile.launch = #tile.launch<
  kernel = "scale_0", function = "scale", runtime = "cuda", chip = "sm_90a",
  symbols = [<"N", size, argument = 0, dim = 0>],
  arguments = [<"x", memref<?xf32>, align = 16, shape = [s0]>, <"by", f32>],
  maps = [<argument = 0, element = f32, sizes = [s0], box = [256]>],
  parameters = [<pointer, argument = 0>, <scalar, argument = 1>, <tensor_map, map = 0>],
  grid = [s0 ceildiv 256], block = [128], cluster = [2, 1], shared = 1024>}

// CHECK-LABEL: @bare
// CHECK-SAME: tile.launch = #tile.launch<kernel = "bare_0">
func.func private @bare() attributes {tile.launch = #tile.launch<kernel = "bare_0">}

// A tensor that lies in the workspace.
// CHECK-LABEL: @workspace_map
// CHECK-SAME: maps = [<argument = -1, element = f16, sizes = [s0], box = [8]>]
// CHECK-SAME: parameters = [<tensor_map, map = 0, value = s0 * 2>], {{.*}}workspace = s0 * 4
func.func private @workspace_map() attributes {l = #tile.launch<kernel = "k", symbols = [<"n", size, argument = 0, dim = 0>],
  arguments = [<"x", memref<?xf16>, shape = [s0]>],
  maps = [<argument = -1, element = f16, sizes = [s0], box = [8]>],
  parameters = [<tensor_map, map = 0, value = s0 * 2>], grid = [1], block = [32], workspace = s0 * 4>}
