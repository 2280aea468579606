// RUN: tile-opt %s --tile-set-target --verify-diagnostics
// RUN: tile-opt %s --tile-set-target=family=GPU --verify-diagnostics

// expected-error @below {{expected a target; give the option 'chip' or the module the attribute 'tile.target'}}
module {
}
