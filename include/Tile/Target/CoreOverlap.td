//===- CoreOverlap.td - loops that both cores share --------*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How `ascend-pipeline-loops` overlaps a loop that the cube core and the vector cores of a chip share: how many of its steps stand
// in the body, and how many steps later a part runs than the part that it takes a tile from. All figures are those with which the
// account of time (docs/AscendModel.md) has the fewest cycles for flash attention and sparse attention; nothing published was found.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TARGET_COREOVERLAP
#define TILE_TARGET_COREOVERLAP

include "llvm/TableGen/SearchableTable.td"

// Beyond `most` steps buffers are idle: a tile is with the cube core about a step after it was written, and back in three.
class CoreSteps<string name, int few, int most> {
  string Chip = name;
  bits<32> Few = few;             // that loops of fewer stages have, too
  bits<32> Most = most;
}

def CoreStepsTable : GenericTable {
  let FilterClass = "CoreSteps";
  let CppTypeName = "CoreSteps";
  let Fields = ["Chip", "Few", "Most"];
}

// One choice of distances; the one with the lowest rank whose buffers fit the memories is taken.
class CoreDistances<string name, int rank, int cube, int vector, int copy> {
  string Chip = name;
  bits<32> Rank = rank;
  bits<32> FromCube = cube;       // from a part of the cube core to one of the vector cores
  bits<32> FromVector = vector;   // the other way round
  bits<32> FromCopy = copy;       // from the copy of a tile out of GM to the part that uses it
}

def CoreDistancesTable : GenericTable {
  let FilterClass = "CoreDistances";
  let CppTypeName = "CoreDistances";
  let Fields = ["Chip", "Rank", "FromCube", "FromVector", "FromCopy"];
}

// What the cube writes is with the vector cores later than the other way round, by the products before it.
foreach chip = ["910B", "950"] in {
  def : CoreSteps<chip, 4, 8>;
  def : CoreDistances<chip, 0, 3, 1, 0>;
  def : CoreDistances<chip, 1, 2, 1, 1>;
  def : CoreDistances<chip, 2, 1, 1, 1>;
  def : CoreDistances<chip, 3, 1, 1, 0>;
}

#endif // TILE_TARGET_COREOVERLAP
