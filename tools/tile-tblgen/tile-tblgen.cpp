//===- tile-tblgen.cpp - tables and documents from td records -------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Records.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/TableGen/Main.h"

using namespace llvm;

enum class Action { Tables, Docs };

static cl::opt<Action>
    action(cl::desc("what to generate"), cl::Required,
           cl::values(clEnumValN(Action::Tables, "gen-target-tables",
                                 "C++ enumerations and constant tables"),
                      clEnumValN(Action::Docs, "gen-target-docs",
                                 "the support matrix in Markdown")));

static bool generate(raw_ostream &os, const RecordKeeper &records) {
  return action == Action::Tables ? tile::tblgen::emitTables(os, records)
                                  : tile::tblgen::emitDocs(os, records);
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  cl::ParseCommandLineOptions(argc, argv);
  return TableGenMain(argv[0], generate);
}
