// The Ascend C header of the CPU model: a kernel written for the basic API
// (static tensors) compiles against it with g++ or clang. Written from the
// public API manual; names and documented behaviour only.
#pragma once
#include "tile_ascend/copy.h"
#include "tile_ascend/cube.h"
#include "tile_ascend/sync.h"
#include "tile_ascend/vector.h"
#include "tile_ascend/vector_special.h"
