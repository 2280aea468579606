//===- tile-layout.cpp - Print and draw a layout --------------------------===//
//
// Part of the tile project, under the licence in the root of this repository.
//
//===----------------------------------------------------------------------===//

#include "Tile/Layout/Access.h"
#include "Tile/Layout/Draw.h"
#include "Tile/Layout/MmaLayouts.h"

#include <iostream>

using namespace tile::layout;

static const char kUsage[] =
    "usage: tile-layout [options] LAYOUT\n"
    "  LAYOUT  text such as '[16: 2 reg*2, 8 lane*4][8: 4 lane, 2 reg]', or\n"
    "          an instruction and its operand, such as mma.m16n8k16.b16:a\n"
    "  --help, --version\n"
    "  --list           list the instructions\n"
    "  --canonical      print the canonical form only\n"
    "  --svg            draw as SVG instead of a table\n"
    "  --memory=LAYOUT  where the tile lies in memory: print the vector width\n"
    "                   and the bank conflicts, and mark these in the SVG\n"
    "  --bits=N         bits of an element (16)\n"
    "  --banks=N --bank-bytes=N --phase-bytes=N   the banks (32, 4, 128)\n";

template <typename T>
static T orDie(Result<T> result) {
  if (!result) {
    std::cerr << "tile-layout: " << result.reason() << "\n";
    std::exit(1);
  }
  return *std::move(result);
}

struct Options {
  bool list = false, svg = false, canonical = false;
  std::string layout, memory;
  int64_t bits = 16;
  BankModel banks{32, 4, 128};
};

static Result<Options> readOptions(int argc, char **argv) {
  Options o;
  const std::pair<std::string, bool *> flags[] = {
      {"--list", &o.list}, {"--svg", &o.svg}, {"--canonical", &o.canonical}};
  const std::pair<std::string, int64_t *> numbers[] = {
      {"--bits=", &o.bits},
      {"--banks=", &o.banks.banks},
      {"--bank-bytes=", &o.banks.bankBytes},
      {"--phase-bytes=", &o.banks.phaseBytes}};
  for (int i = 1; i < argc; ++i) {
    std::string arg = argv[i];
    if (arg == "--help" || arg == "--version") {
      std::cout << (arg == "--help" ? kUsage : "tile-layout " TILE_VERSION "\n");
      std::exit(0);
    }
    bool known = arg.rfind("--", 0) != 0;
    if (known)
      o.layout = arg;
    for (const auto &[name, value] : flags)
      known |= arg == name && (*value = true);
    for (const auto &[name, value] : numbers)
      known |= arg.rfind(name, 0) == 0 &&
               (*value = std::atoll(arg.c_str() + name.size())) > 0;
    if (arg.rfind("--memory=", 0) == 0)
      known = !(o.memory = arg.substr(9)).empty();
    if (!known)
      return fail("expected an option as below, got '", arg, "'\n", kUsage);
  }
  if (o.layout.empty() && !o.list)
    return fail("expected a layout, got none\n", kUsage);
  return o;
}

static SvgOptions reportBanks(const Options &o, const Layout &registers) {
  Layout memory = orDie(Layout::parse(o.memory));
  int64_t limit = std::max<int64_t>(128 / o.bits, 1);
  int64_t width = orDie(maxVectorWidth(registers, memory, limit));
  BankReport report =
      orDie(countBankConflicts(registers, memory, o.bits, width, o.banks));
  std::cerr << "vectors of " << width << ", " << report.wavefronts
            << " wavefronts, " << report.conflicts() << " of them conflicts\n";
  return {
      orDie(conflictingElements(registers, memory, o.bits, width, o.banks))};
}

int main(int argc, char **argv) {
  Options o = orDie(readOptions(argc, argv));
  if (o.list) {
    for (const MmaLayout &mma : mmaLayouts())
      std::cout << mma.name << "\n  a " << mma.a << "\n  b " << mma.b
                << "\n  c " << mma.c << "\n  " << mma.source << "\n";
    return 0;
  }
  Layout layout = orDie(parseLayoutOrOperand(o.layout));
  SvgOptions svg;
  if (!o.memory.empty())
    svg = reportBanks(o, layout);
  std::cout << (o.canonical ? orDie(layout.canonical()).str() + "\n"
                : o.svg     ? orDie(drawSvg(layout, svg))
                            : orDie(drawTable(layout)));
  return 0;
}
