// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @create_pipeline_c1(%c: i1) {
  tile.kernel (%b) in (1) {
    // expected-note @below {{it is in this op}}
    scf.if %c {
      // expected-error @below {{'tile.create_pipeline' op expected to be directly in the body of a 'tile.kernel'}}
      %r = tile.create_pipeline : !tile.pipeline<2>
    }
  }
  return
}

// -----

func.func @create_pipeline_c2() {
  tile.kernel (%b) in (1) {
    // expected-error @below {{'tile.create_pipeline' op expected 'offset' to be a multiple of 8 and not negative, got 4}}
    %r = tile.create_pipeline {offset = 4} : !tile.pipeline<2>
  }
  return
}

// -----

func.func @create_pipeline_c2_negative() {
  tile.kernel (%b) in (1) {
    // expected-error @below {{'tile.create_pipeline' op expected 'offset' to be a multiple of 8 and not negative, got -8}}
    %r = tile.create_pipeline {offset = -8} : !tile.pipeline<2>
  }
  return
}

// -----

// expected-error @below {{expected between 1 and 16 stages, got 0}}
func.func private @no_stage(!tile.pipeline<0>)

// -----

// expected-error @below {{expected between 1 and 16 stages, got 17}}
func.func private @stages(!tile.pipeline<17>)
