// RUN: tile-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{expected 'tile.launch' to be a #tile.launch}}
func.func private @launch() attributes {tile.launch = {kernel = "k"}}

// -----

// Symbols are computed in their order.
// expected-error @below {{symbol 0: expected an expression of 0 symbols, got s0}}
func.func private @order() attributes {l = #tile.launch<kernel = "k", symbols = [<"least", min, values = [s0, 1]>]>}

// -----

// expected-error @below {{symbol 0: expected one of 0 arguments, got index 0}}
func.func private @argument() attributes {l = #tile.launch<kernel = "k", symbols = [<"N", size, argument = 0, dim = 0>]>}

// -----

// expected-error @below {{parameter 1: expected one of 1 tensor maps, got index 1}}
func.func private @map() attributes {l = #tile.launch<kernel = "k", arguments = [<"x", memref<8xf32>, shape = [8]>],
  maps = [<argument = 0, element = f32, sizes = [8], box = [8]>], parameters = [<tensor_map, map = 0>, <tensor_map, map = 1>]>}

// -----

// expected-error @below {{parameter 0: expected an expression of 0 symbols, got s4}}
func.func private @value() attributes {l = #tile.launch<kernel = "k", parameters = [<value, value = s4 * 2>]>}

// -----

// expected-error @below {{argument 0: expected 2 sizes and strides, got 1}}
func.func private @shape() attributes {l = #tile.launch<kernel = "k", arguments = [<"x", memref<8x?xf32>, shape = [8]>]>}

// -----

// expected-error @below {{argument 0: expected an expression of 0 symbols, got s0}}
func.func private @size() attributes {l = #tile.launch<kernel = "k", arguments = [<"x", memref<?xf32>, shape = [s0]>]>}

// -----

// expected-error @below {{tensor map 0: expected an expression of 0 symbols, got s1}}
func.func private @box() attributes {l = #tile.launch<kernel = "k", arguments = [<"x", memref<8xf32>, shape = [8]>],
  maps = [<argument = 0, element = f32, sizes = [s1], box = [8]>]>}

// -----

// expected-error @below {{expected a grid of at most 3 dimensions, got 4}}
func.func private @grid() attributes {l = #tile.launch<kernel = "k", grid = [1, 1, 1, 1]>}

// -----

// expected-error @below {{grid: expected an expression of 0 symbols, got s0}}
func.func private @extent() attributes {l = #tile.launch<kernel = "k", grid = [s0]>}

// -----

// expected-error @below {{tensor map 0: expected integers or floats, got 'tensor<2xf16>'}}
func.func private @element() attributes {l = #tile.launch<kernel = "k", arguments = [<"x", memref<8xf32>, shape = [8]>],
  maps = [<argument = 0, element = tensor<2xf16>, sizes = [8], box = [8]>]>}

// -----

// expected-error @below {{expected conditions of a version, and of nothing else, got 0 and a general form}}
func.func private @no_conditions() attributes {tile.launch = #tile.launch<kernel = "v", general = "k">}

// -----

// expected-error @below {{expected conditions of a version, and of nothing else, got 1 and no general form}}
func.func private @no_general() attributes {tile.launch = #tile.launch<
  kernel = "v", arguments = [<"x", memref<?xf32>>], conditions = [<size, argument = 0, min = 1>]>}

// -----

// expected-error @below {{expected the general form to be another kernel, got 'k'}}
func.func private @itself() attributes {tile.launch = #tile.launch<
  kernel = "k", arguments = [<"x", memref<?xf32>>], general = "k", conditions = [<size, argument = 0, min = 1>]>}

// -----

// expected-error @below {{condition 0: expected one of 1 arguments, got index 1}}
func.func private @condition_argument() attributes {tile.launch = #tile.launch<
  kernel = "v", arguments = [<"x", memref<?xf32>>], general = "k", conditions = [<size, argument = 1, min = 1>]>}

// -----

// expected-error @below {{condition 0: expected a buffer, got argument 0}}
func.func private @condition_scalar() attributes {tile.launch = #tile.launch<
  kernel = "v", arguments = [<"n", i32>], general = "k", conditions = [<size, argument = 0, min = 1>]>}

// -----

// expected-error @below {{condition 0: expected a dimension below 1, got 1}}
func.func private @condition_dim() attributes {tile.launch = #tile.launch<
  kernel = "v", arguments = [<"x", memref<?xf32>>], general = "k", conditions = [<size, argument = 0, dim = 1, min = 1>]>}

// -----

// expected-error @below {{block: expected extents of at least 1, got -128}}
func.func private @negative_block() attributes {l = #tile.launch<kernel = "k", block = [-128]>}

// -----

// expected-error @below {{block: expected extents of at least 1, got 0}}
func.func private @zero_block() attributes {l = #tile.launch<kernel = "k", block = [32, 0]>}

// -----

// expected-error @below {{expected a block of at most 3 dimensions, got 4}}
func.func private @flat_block() attributes {l = #tile.launch<kernel = "k", block = [1, 1, 1, 1]>}

// -----

// expected-error @below {{block: expected at most 1024 on sm_90a, got 2048}}
func.func private @large_block() attributes {l = #tile.launch<kernel = "k", chip = "sm_90a", block = [64, 32]>}

// -----

// expected-error @below {{block: expected at most 1024 on gfx942, got 9223372036854775807}}
func.func private @huge_block() attributes {l = #tile.launch<kernel = "k", chip = "gfx942", block = [9223372036854775807, 4]>}

// -----

// expected-error @below {{parameter 0: expected a workspace of the kernel}}
func.func private @no_workspace() attributes {l = #tile.launch<kernel = "k", parameters = [<workspace, value = 0>]>}

// -----

// expected-error @below {{cluster: expected extents of at least 1, got -2}}
func.func private @negative_cluster() attributes {l = #tile.launch<kernel = "k", grid = [4], cluster = [-2]>}

// -----

// expected-error @below {{cluster: expected extents that divide the grid, got 2 for 3}}
func.func private @indivisible_cluster() attributes {l = #tile.launch<kernel = "k", grid = [3], cluster = [2]>}

// -----

// expected-error @below {{cluster: expected extents that divide the grid, got 2 for 1}}
func.func private @deep_cluster() attributes {l = #tile.launch<kernel = "k", grid = [4], cluster = [2, 2]>}

// -----

// expected-error @below {{cluster: expected at most 1 on sm_80, got 2}}
func.func private @no_clusters() attributes {l = #tile.launch<kernel = "k", chip = "sm_80", grid = [4], cluster = [2]>}

// -----

// expected-error @below {{expected at least 0 bytes of shared memory, got -1}}
func.func private @negative_shared() attributes {l = #tile.launch<kernel = "k", shared = -1>}

// -----

// expected-error @below {{expected at most 166912 bytes of shared memory on sm_80, got 166913}}
func.func private @large_shared() attributes {l = #tile.launch<kernel = "k", chip = "sm_80", shared = 166913>}

// -----

// expected-error @below {{grid: expected divisors of at least 1, got 0}}
func.func private @zero_divisor() attributes {l = #tile.launch<kernel = "k", symbols = [<"n", scalar, argument = 1>], arguments = [<"x", memref<8x?xf32>, shape = [8, ?]>, <"n", i32>, <"s", f32>], grid = [s0 floordiv 0]>}

// -----

// expected-error @below {{grid: expected divisors of at least 1, got -3}}
func.func private @negative_divisor() attributes {l = #tile.launch<kernel = "k", symbols = [<"n", scalar, argument = 1>], arguments = [<"x", memref<8x?xf32>, shape = [8, ?]>, <"n", i32>, <"s", f32>], grid = [s0 ceildiv -3]>}

// -----

// expected-error @below {{parameter 0: expected divisors of at least 1, got 0}}
func.func private @zero_modulus() attributes {l = #tile.launch<kernel = "k", symbols = [<"n", scalar, argument = 1>], arguments = [<"x", memref<8x?xf32>, shape = [8, ?]>, <"n", i32>, <"s", f32>], parameters = [<value, value = s0 mod 0>]>}

// -----

// expected-error @below {{grid: expected an expression, got '?'}}
func.func private @no_extent() attributes {l = #tile.launch<kernel = "k", grid = [?]>}

// -----

// expected-error @below {{symbol 0: expected an argument}}
func.func private @no_argument() attributes {l = #tile.launch<kernel = "k", symbols = [<"n", size, dim = 0>], arguments = [<"x", memref<8x?xf32>, shape = [8, ?]>, <"n", i32>, <"s", f32>]>}

// -----

// expected-error @below {{symbol 0: expected argument 1 to be a memref, got 'i32'}}
func.func private @size_of_scalar() attributes {l = #tile.launch<kernel = "k", symbols = [<"n", size, argument = 1, dim = 0>], arguments = [<"x", memref<8x?xf32>, shape = [8, ?]>, <"n", i32>, <"s", f32>]>}

// -----

// expected-error @below {{symbol 0: expected argument 0 to be a scalar, got 'memref<8x?xf32>'}}
func.func private @scalar_of_memref() attributes {l = #tile.launch<kernel = "k", symbols = [<"n", scalar, argument = 0>], arguments = [<"x", memref<8x?xf32>, shape = [8, ?]>, <"n", i32>, <"s", f32>]>}

// -----

// expected-error @below {{symbol 0: expected argument 2 to be an integer, got 'f32'}}
func.func private @scalar_of_float() attributes {l = #tile.launch<kernel = "k", symbols = [<"n", scalar, argument = 2>], arguments = [<"x", memref<8x?xf32>, shape = [8, ?]>, <"n", i32>, <"s", f32>]>}

// -----

// expected-error @below {{symbol 0: expected one of 2 dimensions, got 2}}
func.func private @dimension() attributes {l = #tile.launch<kernel = "k", symbols = [<"n", stride, argument = 0, dim = 2>], arguments = [<"x", memref<8x?xf32>, shape = [8, ?]>, <"n", i32>, <"s", f32>]>}

// -----

// expected-error @below {{symbol 0: expected no dimension, got 0}}
func.func private @scalar_dimension() attributes {l = #tile.launch<kernel = "k", symbols = [<"n", scalar, argument = 1, dim = 0>], arguments = [<"x", memref<8x?xf32>, shape = [8, ?]>, <"n", i32>, <"s", f32>]>}

// -----

// expected-error @below {{symbol 0: expected a multiple of at least 1, got 0}}
func.func private @multiple() attributes {l = #tile.launch<kernel = "k", symbols = [<"n", scalar, argument = 1, multiple = 0>], arguments = [<"x", memref<8x?xf32>, shape = [8, ?]>, <"n", i32>, <"s", f32>]>}

// -----

// expected-error @below {{symbol 0: expected a name of letters, digits, '_' and '.' that is no operator, got 'a b'}}
func.func private @name() attributes {l = #tile.launch<kernel = "k", symbols = [<"a b", scalar, argument = 1>], arguments = [<"x", memref<8x?xf32>, shape = [8, ?]>, <"n", i32>, <"s", f32>]>}

// -----

// expected-error @below {{symbol 0: expected a name of letters, digits, '_' and '.' that is no operator, got 'mod'}}
func.func private @operator() attributes {l = #tile.launch<kernel = "k", symbols = [<"mod", scalar, argument = 1>], arguments = [<"x", memref<8x?xf32>, shape = [8, ?]>, <"n", i32>, <"s", f32>]>}

// -----

// expected-error @below {{symbol 1: expected a name of its own, got 'n' again}}
func.func private @twice() attributes {l = #tile.launch<kernel = "k", symbols = [<"n", scalar, argument = 1>, <"n", size, argument = 0, dim = 1>], arguments = [<"x", memref<8x?xf32>, shape = [8, ?]>, <"n", i32>, <"s", f32>]>}

// -----

// expected-error @below {{symbol 0: expected values of 'min', got 0}}
func.func private @min_of_nothing() attributes {l = #tile.launch<kernel = "k", symbols = [<"n", min>]>}

// -----

// expected-error @below {{symbol 0: expected no values of 'scalar', got 1}}
func.func private @values() attributes {l = #tile.launch<kernel = "k", symbols = [<"n", scalar, argument = 1, values = [1]>], arguments = [<"x", memref<8x?xf32>, shape = [8, ?]>, <"n", i32>, <"s", f32>]>}

// -----

// expected-error @below {{symbol 0: expected no argument of 'multiprocessors'}}
func.func private @device_argument() attributes {l = #tile.launch<kernel = "k", symbols = [<"n", multiprocessors, argument = 1>], arguments = [<"x", memref<8x?xf32>, shape = [8, ?]>, <"n", i32>, <"s", f32>]>}

// -----

// expected-error @below {{argument 0: expected a memref or a scalar, got 'tensor<4xf32>'}}
func.func private @argument_type() attributes {l = #tile.launch<kernel = "k", arguments = [<"x", tensor<4xf32>>]>}

// -----

// expected-error @below {{argument 0: expected a power of two as alignment, got 24}}
func.func private @align() attributes {l = #tile.launch<kernel = "k", arguments = [<"x", memref<8xf32>, align = 24, shape = [8]>]>}

// -----

// expected-error @below {{argument 0: expected a power of two as alignment, got 0}}
func.func private @no_align() attributes {l = #tile.launch<kernel = "k", arguments = [<"x", memref<8xf32>, align = 0, shape = [8]>]>}

// -----

// expected-error @below {{argument 0: expected a size of dimension 0 that 'memref<8xf32>' can have, got 9}}
func.func private @other_size() attributes {l = #tile.launch<kernel = "k", arguments = [<"x", memref<8xf32>, shape = [9]>]>}

// -----

// expected-error @below {{argument 0: expected a size of dimension 0 that 'memref<?xf32>' can have, got -1}}
func.func private @negative_size() attributes {l = #tile.launch<kernel = "k", arguments = [<"x", memref<?xf32>, shape = [-1]>]>}

// -----

// expected-error @below {{parameter 0: expected argument 1 to be a memref, got 'i32'}}
func.func private @pointer_to_scalar() attributes {l = #tile.launch<kernel = "k", arguments = [<"x", memref<8x?xf32>, shape = [8, ?]>, <"n", i32>, <"s", f32>], parameters = [<pointer, argument = 1>]>}

// -----

// expected-error @below {{parameter 0: expected argument 0 to be a scalar, got 'memref<8x?xf32>'}}
func.func private @scalar_memref() attributes {l = #tile.launch<kernel = "k", arguments = [<"x", memref<8x?xf32>, shape = [8, ?]>, <"n", i32>, <"s", f32>], parameters = [<scalar, argument = 0>]>}

// -----

// expected-error @below {{parameter 0: expected a value of 'value'}}
func.func private @no_value() attributes {l = #tile.launch<kernel = "k", parameters = [<value>]>}

// -----

// expected-error @below {{parameter 0: expected no value of 'pointer'}}
func.func private @value_of_pointer() attributes {l = #tile.launch<kernel = "k", arguments = [<"x", memref<8x?xf32>, shape = [8, ?]>, <"n", i32>, <"s", f32>], parameters = [<pointer, argument = 0, value = 1>]>}

// -----

// expected-error @below {{parameter 0: expected a map of 'tensor_map'}}
func.func private @no_map() attributes {l = #tile.launch<kernel = "k", parameters = [<tensor_map>]>}

// -----

// expected-error @below {{parameter 0: expected a value of 'tensor_map'}}
func.func private @nowhere() attributes {l = #tile.launch<kernel = "k", maps = [<argument = -1, element = f16, sizes = [8], strides = [], box = [8]>], parameters = [<tensor_map, map = 0>], workspace = 16>}

// -----

// expected-error @below {{parameter 0: expected a workspace of the kernel}}
func.func private @no_workspace() attributes {l = #tile.launch<kernel = "k", maps = [<argument = -1, element = f16, sizes = [8], strides = [], box = [8]>], parameters = [<tensor_map, map = 0, value = 0>]>}

// -----

// expected-error @below {{parameter 0: expected no argument of 'value'}}
func.func private @value_argument() attributes {l = #tile.launch<kernel = "k", arguments = [<"x", memref<8x?xf32>, shape = [8, ?]>, <"n", i32>, <"s", f32>], parameters = [<value, argument = 0, value = 1>]>}

// -----

// expected-error @below {{parameter 0: expected i32 or i64, got 'i16'}}
func.func private @narrow() attributes {l = #tile.launch<kernel = "k", parameters = [<value, value = 1, type = i16>]>}

// -----

// expected-error @below {{parameter 0: expected no type, got 'i32'}}
func.func private @pointer_type() attributes {l = #tile.launch<kernel = "k", arguments = [<"x", memref<8x?xf32>, shape = [8, ?]>, <"n", i32>, <"s", f32>], parameters = [<pointer, argument = 0, type = i32>]>}

// -----

// expected-error @below {{tensor map 0: expected argument 1 to be a memref, got 'i32'}}
func.func private @map_of_scalar() attributes {l = #tile.launch<kernel = "k", arguments = [<"x", memref<8x?xf32>, shape = [8, ?]>, <"n", i32>, <"s", f32>], maps = [<argument = 1, element = f32, sizes = [8], box = [8]>]>}

// -----

// expected-error @below {{tensor map 0: expected as many extents of the box as sizes, and one stride fewer, got 1, 2 and 1}}
func.func private @map_ranks() attributes {l = #tile.launch<kernel = "k", arguments = [<"x", memref<8x?xf32>, shape = [8, ?]>, <"n", i32>, <"s", f32>], maps = [<argument = 0, element = f32, sizes = [8, 8], strides = [32], box = [8]>]>}

// -----

// expected-error @below {{tensor map 0: expected a box with extents from 1, got 0}}
func.func private @empty_box() attributes {l = #tile.launch<kernel = "k", arguments = [<"x", memref<8x?xf32>, shape = [8, ?]>, <"n", i32>, <"s", f32>], maps = [<argument = 0, element = f32, sizes = [8], box = [0]>]>}

// -----

// expected-error @below {{tensor map 0: expected a box with extents from 1 to 256, got 257}}
func.func private @large_box() attributes {l = #tile.launch<kernel = "k", chip = "sm_90a", arguments = [<"x", memref<8x?xf32>, shape = [8, ?]>, <"n", i32>, <"s", f32>], maps = [<argument = 0, element = f32, sizes = [8], box = [257]>]>}

// -----

// expected-error @below {{tensor map 0: expected a swizzle of 0 or a span that sm_90a has, got 48}}
func.func private @swizzle() attributes {l = #tile.launch<kernel = "k", chip = "sm_90a", arguments = [<"x", memref<8x?xf32>, shape = [8, ?]>, <"n", i32>, <"s", f32>], maps = [<argument = 0, element = f32, sizes = [8], box = [8], swizzle = 48>]>}

// -----

// expected-error @below {{tensor map 0: expected an l2_promotion of at least 0, got -1}}
func.func private @promotion() attributes {l = #tile.launch<kernel = "k", arguments = [<"x", memref<8x?xf32>, shape = [8, ?]>, <"n", i32>, <"s", f32>], maps = [<argument = 0, element = f32, sizes = [8], box = [8], l2_promotion = -1>]>}

// -----

// expected-error @below {{tensor map 0: gfx942 has no tensor copies}}
func.func private @no_tensor_copies() attributes {l = #tile.launch<kernel = "k", chip = "gfx942", arguments = [<"x", memref<8x?xf32>, shape = [8, ?]>, <"n", i32>, <"s", f32>], maps = [<argument = 0, element = f32, sizes = [8], box = [8]>]>}

// -----

// expected-error @below {{expected the name of the kernel}}
func.func private @no_name() attributes {l = #tile.launch<kernel = "">}

// -----

module attributes {tile.target = #tile.target<"sm_80">} {
  // expected-error @below {{expected a launch on 'sm_80', the target of the module, got one on 'sm_90a'}}
  func.func private @other_chip() attributes {tile.launch = #tile.launch<kernel = "k", chip = "sm_90a">}
}

// -----

// expected-error @below {{tensor map 0: expected at most 5 dimensions on sm_90a, got 6}}
func.func private @map_rank() attributes {l = #tile.launch<kernel = "k", chip = "sm_90a", arguments = [<"x", memref<8xf32>, shape = [8]>],
  maps = [<argument = 0, element = f32, sizes = [8, 1, 1, 1, 1, 1], strides = [32, 32, 32, 32, 32], box = [8, 1, 1, 1, 1, 1]>]>}
