// RUN: tile-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{unknown target 'sm_99'; known NVIDIA targets: sm_80, sm_86, sm_89, sm_90a, sm_100a, sm_120, sm_120a; closest match: sm_90a}}
func.func private @nvidia() attributes {t = #tile.target<"sm_99">}

// -----

// expected-error @below {{unknown target 'gfx940'; known AMD targets: gfx90a, gfx942, gfx950, gfx1100, gfx1200, gfx1201; closest match: gfx942}}
func.func private @amd() attributes {t = #tile.target<"gfx940">}

// -----

// expected-error @below {{unknown target '910A'; known Ascend targets: 910B, 910C, 950; closest match: 910B}}
func.func private @ascend() attributes {t = #tile.target<"910A">}

// -----

// expected-error @below {{unknown target 'quux'; known targets: sm_80, sm_86, sm_89, sm_90a, sm_100a, sm_120, sm_120a, gfx90a, gfx942, gfx950, gfx1100, gfx1200, gfx1201, 910B, 910C, 950, x86-64-v3, avx512, neon, generic}}
func.func private @unknown() attributes {t = #tile.target<"quux">}

// -----

// expected-error @below {{expected string}}
// expected-error @below {{failed to parse Tile_TargetAttr parameter 'chip'}}
func.func private @bare() attributes {t = #tile.target<sm_80>}
