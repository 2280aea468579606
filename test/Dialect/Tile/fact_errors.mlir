// RUN: tile-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{expected an argument and a dimension of at least 0, got -1}}
func.func private @argument() attributes {examples = [#tile.fact<size, argument = -1>]}

// -----

// expected-error @below {{expected a multiple of at least 1, got 0}}
func.func private @multiple() attributes {examples = [#tile.fact<size, argument = 0, multiple = 0>]}

// -----

// expected-error @below {{expected no dimension and no minimum of an address}}
func.func private @address() attributes {examples = [#tile.fact<address, argument = 0, min = 16, multiple = 16>]}

// -----

// expected-error @below {{expected a power of two for an address, got 12}}
func.func private @power() attributes {examples = [#tile.fact<address, argument = 0, multiple = 12>]}
