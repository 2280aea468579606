//===- tile-tblgen.cpp - tables, documents and code of td records ---------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Records.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/TableGen/Main.h"

using namespace llvm;

enum class Action { Tables, Docs, CEnums, OpBytecode };

static cl::opt<Action>
    action(cl::desc("what to generate"), cl::Required,
           cl::values(clEnumValN(Action::Tables, "gen-target-tables",
                                 "C++ enumerations and constant tables"),
                      clEnumValN(Action::Docs, "gen-target-docs",
                                 "the support matrix in Markdown"),
                      clEnumValN(Action::CEnums, "gen-c-enums",
                                 "the C API of the dialect's enumerations"),
                      clEnumValN(Action::OpBytecode, "gen-op-bytecode",
                                 "methods that write ops to bytecode")));

static bool generate(raw_ostream &os, const RecordKeeper &records) {
  switch (action) {
  case Action::Tables:
    return tile::tblgen::emitTables(os, records);
  case Action::Docs:
    return tile::tblgen::emitDocs(os, records);
  case Action::CEnums:
    return tile::tblgen::emitCEnums(os, records);
  case Action::OpBytecode:
    return tile::tblgen::emitOpBytecode(os, records);
  }
  llvm_unreachable("covered switch");
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  cl::ParseCommandLineOptions(argc, argv);
  return TableGenMain(argv[0], generate);
}
