// The C driver: kernels, launches, sites, reports.
#include <cstdlib>

#include "launch.h"

using namespace tile_ascend;

const char *tileAscendReportKindName(TileAscendReportKind kind) {
  static const char *const names[] = {
#define TILE_ASCEND_REPORT(ID, NAME) NAME,
#include "tile_ascend/reports.def"
#undef TILE_ASCEND_REPORT
  };
  return names[kind];
}

static void markEnvironment(TileAscendModel &model) {
  const char *list = std::getenv("TILE_ASCEND_SKIP_SYNC");
  while (list && *list) {
    char *end;
    unsigned long site = std::strtoul(list, &end, 10);
    if (end == list)
      return;
    model.skipFromEnvironment.push_back(site);
    list = *end == ',' ? end + 1 : end;
  }
}

TileAscendModel *tileAscendModelCreate(const TileAscendChip *chip) {
  auto *model = new TileAscendModel();
  model->chip = chip;
  markEnvironment(*model);
  return model;
}

void tileAscendModelDestroy(TileAscendModel *model) { delete model; }

void tileAscendModelRegister(TileAscendModel *model, const char *name,
                             TileAscendKernelFn entry) {
  model->kernels.push_back({name, entry});
}

int tileAscendModelLaunch(TileAscendModel *model,
                          const TileAscendLaunch *launch) {
  model->reports.clear();
  model->stats = {};
  model->time.restart();
  model->error.clear();
  for (Site &site : model->sites)
    site.executed = 0;
  TileAscendKernelFn entry = nullptr;
  for (const Kernel &kernel : model->kernels)
    if (kernel.name == launch->kernel)
      entry = kernel.entry;
  if (!entry)
    model->error =
        format("expected a registered kernel, got '%s'", launch->kernel);
  else if (launch->numArgs > kMaxArgs)
    model->error = format("expected at most %zu kernel arguments, got %zu",
                          kMaxArgs, launch->numArgs);
  else if (!launch->blocks)
    model->error = "expected at least one block, got 0";
  if (!model->error.empty())
    return -1;
  Launch(*model, *launch, entry).run();
  return static_cast<int>(model->reports.list.size());
}

const char *tileAscendModelError(const TileAscendModel *model) {
  return model->error.c_str();
}
TileAscendStats tileAscendModelStats(const TileAscendModel *model) {
  return model->stats;
}
size_t tileAscendModelReportCount(const TileAscendModel *model) {
  return model->reports.list.size();
}

const TileAscendReport *tileAscendModelReport(const TileAscendModel *model,
                                              size_t index) {
  return index < model->reports.list.size() ? &model->reports.list[index]
                                            : nullptr;
}

size_t tileAscendModelSyncSiteCount(const TileAscendModel *model) {
  return model->sites.size();
}

TileAscendSyncSite tileAscendModelSyncSite(const TileAscendModel *model,
                                           size_t index) {
  const Site &site = model->sites[index];
  return {site.file.c_str(), site.line,
          site.api.c_str(),  model->rootOf(static_cast<uint32_t>(index)),
          site.executed,     site.times == 0};
}

void tileAscendModelSkipSync(TileAscendModel *model, size_t site, bool skip) {
  model->sites[site].times = skip ? 0 : 1;
}

void tileAscendModelRepeatSync(TileAscendModel *model, size_t site) {
  model->sites[site].times = 2;
}

void tileAscendModelSkipNoSync(TileAscendModel *model) {
  for (Site &site : model->sites)
    site.times = 1;
}

uint32_t TileAscendModel::site(const Loc &loc, const std::string &api) {
  for (size_t i = 0; i < sites.size(); ++i)
    if (sites[i].line == loc.line && sites[i].api == api &&
        sites[i].file == loc.file)
      return static_cast<uint32_t>(i);
  auto index = static_cast<uint32_t>(sites.size());
  sites.push_back({loc.file, loc.line, api, index});
  for (size_t skipped : skipFromEnvironment)
    if (skipped == index)
      sites.back().times = 0;
  return index;
}

uint32_t TileAscendModel::rootOf(uint32_t site) const {
  while (sites[site].parent != site)
    site = sites[site].parent;
  return site;
}

void TileAscendModel::unite(uint32_t a, uint32_t b) {
  a = rootOf(a), b = rootOf(b);
  sites[a < b ? b : a].parent = a < b ? a : b;
}

namespace {
std::string placeText(const TileAscendPlace &place) {
  std::string where =
      place.line ? format("%s:%u: ", place.file, place.line) : "";
  return where + format("block %u %s %s #%u %s", place.block, place.core,
                        pipeNameOf(place.pipe), place.ordinal, place.op);
}

std::string quoted(const char *text) {
  std::string result = "\"";
  for (; *text; ++text) {
    if (*text == '"' || *text == '\\')
      result += '\\';
    result += *text;
  }
  return result + "\"";
}

std::string placeJson(const TileAscendPlace &place) {
  return format("{\"op\":%s,\"file\":%s,\"line\":%u,\"block\":%u,\"core\":\"%"
                "s\",\"pipe\":\"%s\",\"ordinal\":%u}",
                quoted(place.op).c_str(), quoted(place.file).c_str(),
                place.line, place.block, place.core, pipeNameOf(place.pipe),
                place.ordinal);
}
} // namespace

TileAscendPlace Reports::keep(const Place &place) {
  return {names.insert(place.op).first->c_str(),
          names.insert(place.loc.file).first->c_str(),
          place.loc.line,
          place.core,
          place.block,
          place.pipe,
          place.ordinal};
}

void Reports::add(TileAscendReportKind kind, const Place &at,
                  const Place *other, const std::string &message) {
  // One report per kind and pair of source places: loops and blocks only raise
  // its count.
  std::string key =
      format("%d|%s|%s|%u|%s", kind, at.op, at.loc.file, at.loc.line, at.core);
  if (other)
    key += format("|%s|%s|%u|%s", other->op, other->loc.file, other->loc.line,
                  other->core);
  auto [it, isNew] = index.emplace(std::move(key), list.size());
  if (!isNew) {
    ++list[it->second].count;
    return;
  }
  messages.push_back(message);
  TileAscendReport report{};
  report.kind = kind;
  report.at = keep(at);
  report.hasOther = other;
  if (other)
    report.other = keep(*other);
  report.message = messages.back().c_str();
  report.count = 1;
  list.push_back(report);
}

void Reports::clear() {
  list.clear();
  messages.clear();
  names.clear();
  index.clear();
}

const char *tileAscendModelReportText(TileAscendModel *model) {
  model->text.clear();
  for (const TileAscendReport &report : model->reports.list) {
    model->text +=
        format("%s: %s: %s", placeText(report.at).c_str(),
               tileAscendReportKindName(report.kind), report.message);
    if (report.count > 1)
      model->text += format(" (%llu times)",
                            static_cast<unsigned long long>(report.count));
    model->text += '\n';
    if (report.hasOther)
      model->text +=
          format("  note: the other is %s\n", placeText(report.other).c_str());
  }
  return model->text.c_str();
}

const char *tileAscendModelReportJson(TileAscendModel *model) {
  const TileAscendStats &stats = model->stats;
  using ull = unsigned long long;
  model->json = format(
      "{\"chip\":\"%s\",\"stats\":{\"instructions\":%llu,\"setFlags\":%llu,"
      "\"waitFlags\":%llu,\"pipeBarriers\":%llu,"
      "\"crossSets\":%llu,\"crossWaits\":%llu},\"reports\":[",
      model->chip->name, static_cast<ull>(stats.instructions),
      static_cast<ull>(stats.setFlags), static_cast<ull>(stats.waitFlags),
      static_cast<ull>(stats.pipeBarriers), static_cast<ull>(stats.crossSets),
      static_cast<ull>(stats.crossWaits));
  bool first = true;
  for (const TileAscendReport &report : model->reports.list) {
    model->json +=
        format("%s{\"kind\":\"%s\",\"message\":%s,\"count\":%llu,\"at\":%s",
               first ? "" : ",", tileAscendReportKindName(report.kind),
               quoted(report.message).c_str(), static_cast<ull>(report.count),
               placeJson(report.at).c_str());
    if (report.hasOther)
      model->json += ",\"other\":" + placeJson(report.other);
    model->json += "}";
    first = false;
  }
  model->json += "]}";
  return model->json.c_str();
}
