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
