// RUN: tile-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{expected an axis (reg, lane, warp, block, device, offset or none), got 'thread'}}
func.func private @axis() attributes {l = #tile.layout<[4: 4 thread]>}

// -----

// expected-error @below {{expected the digits of dimension 0 to cover 9, got 8}}
func.func private @cover() attributes {l = #tile.layout<[9: 2 lane, 4 reg]>}

// -----

// expected-error @below {{expected '[', got the end}}
func.func private @empty() attributes {l = #tile.layout<>}

// -----

// expected-error @below {{expected '>'}}
func.func private @end() attributes {l = #tile.layout<[4: 4 reg] = 1>}

// -----

// expected-error @below {{expected '[', got the end}}
func.func private @text() attributes {l = #tile.layout<"[4: 4 reg]">}

// -----

// expected-error @below {{expected a number up to 281474976710656, got a larger one}}
func.func private @huge() attributes {l = #tile.layout<[99999999999999999999: 4 reg]>}

// -----

// expected-error @below {{unbalanced '[' character in pretty dialect name}}
func.func private @open() attributes {l = #tile.layout<[4: 4 reg}
