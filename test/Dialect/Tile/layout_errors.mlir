// RUN: tile-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{placeholder}}
func.func private @axis() attributes {l = #tile.layout<[4: 4 thread]>}

// -----

// expected-error @below {{placeholder}}
func.func private @cover() attributes {l = #tile.layout<[9: 2 lane, 4 reg]>}

// -----

// expected-error @below {{placeholder}}
func.func private @empty() attributes {l = #tile.layout<>}

// -----

// expected-error @below {{placeholder}}
func.func private @end() attributes {l = #tile.layout<[4: 4 reg] = 1>}

// -----

// expected-error @below {{placeholder}}
func.func private @text() attributes {l = #tile.layout<"[4: 4 reg]">}

// -----

// expected-error @below {{placeholder}}
func.func private @huge() attributes {l = #tile.layout<[99999999999999999999: 4 reg]>}

// -----

// expected-error @below {{placeholder}}
func.func private @open() attributes {l = #tile.layout<[4: 4 reg}
