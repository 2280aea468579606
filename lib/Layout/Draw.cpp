//===- Draw.cpp - Pictures of layouts -------------------------------------===//
//
// Part of the tile project, under the licence in the root of this repository.
//
//===----------------------------------------------------------------------===//

#include "Tile/Layout/Draw.h"

#include "Detail.h"

#include <algorithm>

using namespace tile::layout;
using namespace tile::layout::detail;

/// A picture of more cells would help nobody.
static constexpr int64_t kMaxCells = int64_t(1) << 16;

static Status checkDrawable(const Layout &layout) {
  if (layout.numElements() > kMaxCells)
    return fail("expected at most ", kMaxCells, " elements to draw, got ",
                layout.numElements());
  return Success{};
}

std::string tile::layout::cellText(const Layout &layout, const Coord &coord) {
  Position position = layout.at(coord);
  AxisSet axes = layout.axes();
  std::string text;
  const std::pair<Axis, const char *> parts[] = {{Axis::Device, "D"},
                                                 {Axis::Block, "B"},
                                                 {Axis::Warp, "W"},
                                                 {Axis::Lane, "T"}};
  for (const auto &[axis, letter] : parts) {
    if (axes & axisBit(axis))
      text += letter + std::to_string(position[axis]);
  }
  for (Axis axis : {Axis::Reg, Axis::Offset}) {
    bool alone = text.empty() && axis == Axis::Offset;
    if ((axes & axisBit(axis)) || alone)
      text += (text.empty() ? "" : ":") + std::to_string(position[axis]);
  }
  if (layout.numCopies() > 1)
    text += "x" + std::to_string(layout.numCopies());
  return text;
}

namespace {
/// A layout as pages of rows and columns.
struct Pages {
  explicit Pages(const Layout &layout) : layout(layout) {
    int rank = layout.rank();
    rows = rank >= 2 ? layout.extent(rank - 2) : 1;
    columns = rank >= 1 ? layout.extent(rank - 1) : 1;
    count = layout.numElements() / (rows * columns);
  }
  Coord coord(int64_t page, int64_t row, int64_t column) const {
    return unflatten(layout.shape(), (page * rows + row) * columns + column);
  }
  /// "(1, 0, :, :)", or nothing when there is one page.
  std::string title(int64_t page) const {
    if (layout.rank() <= 2)
      return "";
    Coord first = coord(page, 0, 0);
    first.resize(layout.rank() - 2);
    std::string text = coordStr(first);
    return text.substr(0, text.size() - 1) + ", :, :)";
  }

  const Layout &layout;
  int64_t rows, columns, count;
};
} // namespace

static std::string padded(const std::string &text, size_t width) {
  return std::string(width > text.size() ? width - text.size() : 0, ' ') + text;
}

Result<std::string> tile::layout::drawTable(const Layout &layout) {
  if (Status ok = checkDrawable(layout); !ok)
    return ok.failure();
  Pages pages(layout);
  size_t width = std::to_string(pages.columns - 1).size();
  size_t margin = std::to_string(pages.rows - 1).size();
  forEachCoord(layout.shape(), [&](const Coord &coord) {
    width = std::max(width, cellText(layout, coord).size());
    return true;
  });
  std::string text;
  for (int64_t page = 0; page < pages.count; ++page) {
    if (layout.rank() > 2)
      text += (page ? "\n" : "") + pages.title(page) + "\n";
    text += std::string(margin, ' ') + " |";
    for (int64_t column = 0; column < pages.columns; ++column)
      text += " " + padded(std::to_string(column), width);
    text += "\n" + std::string(margin, '-') + "-+" +
            std::string(pages.columns * (width + 1), '-') + "\n";
    for (int64_t row = 0; row < pages.rows; ++row) {
      text += padded(std::to_string(row), margin) + " |";
      for (int64_t column = 0; column < pages.columns; ++column)
        text += " " +
                padded(cellText(layout, pages.coord(page, row, column)), width);
      text += "\n";
    }
  }
  return text;
}

/// The number that chooses a cell's colour.
static int64_t colourOf(const Layout &layout, const Position &position,
                        const SvgOptions &options) {
  if (!(layout.axes() & kThreadAxes))
    return position[Axis::Offset] % options.offsetColours;
  int64_t thread = 0;
  for (Axis axis : {Axis::Device, Axis::Block, Axis::Warp, Axis::Lane})
    thread = thread * layout.axisSize(axis) + position[axis];
  return thread;
}

/// Neighbouring numbers get distant hues: steps of the golden angle.
static std::string fillOf(int64_t number) {
  int64_t hue = number * 1375 / 10 % 360;
  int64_t light = number / 8 % 2 ? 84 : 74;
  return "hsl(" + std::to_string(hue) + ",70%," + std::to_string(light) + "%)";
}

static std::string svgText(int64_t x, int64_t y, const std::string &text) {
  return "<text x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) +
         "\">" + text + "</text>\n";
}

static std::string svgCell(int64_t x, int64_t y, int64_t width, int64_t height,
                           const std::string &fill, bool marked,
                           const std::string &text) {
  return "<rect x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) +
         "\" width=\"" + std::to_string(width) + "\" height=\"" +
         std::to_string(height) + "\" fill=\"" + fill + "\" " +
         (marked ? "stroke=\"red\" stroke-width=\"3\"" : "stroke=\"gray\"") +
         "/>\n" + svgText(x + width / 2, y + height / 2, text);
}

Result<std::string> tile::layout::drawSvg(const Layout &layout,
                                          const SvgOptions &options) {
  if (Status ok = checkDrawable(layout); !ok)
    return ok.failure();
  size_t cells = layout.numElements();
  if (!options.marks.empty() && options.marks.size() != cells)
    return fail("expected ", cells, " marks, got ", options.marks.size());
  if (options.offsetColours < 1)
    return fail("expected at least 1 colour, got ", options.offsetColours);
  Pages pages(layout);
  size_t longest = 3;
  forEachCoord(layout.shape(), [&](const Coord &coord) {
    longest = std::max(longest, cellText(layout, coord).size());
    return true;
  });
  const int64_t width = 8 * longest + 8, height = 24, margin = 40;
  int64_t pageHeight = (pages.rows + 2) * height;
  std::string svg =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" +
      std::to_string(margin + pages.columns * width + 8) + "\" height=\"" +
      std::to_string(pages.count * pageHeight + 8) +
      "\" font-family=\"monospace\" font-size=\"12\" text-anchor=\"middle\" "
      "dominant-baseline=\"central\">\n<title>" +
      layout.str() + "</title>\n";
  size_t index = 0;
  for (int64_t page = 0; page < pages.count; ++page) {
    int64_t top = page * pageHeight + height;
    for (int64_t column = 0; column < pages.columns; ++column)
      svg += svgText(margin + column * width + width / 2, top - height / 2,
                     std::to_string(column));
    for (int64_t row = 0; row < pages.rows; ++row) {
      int64_t y = top + row * height;
      svg += svgText(margin / 2, y + height / 2, std::to_string(row));
      for (int64_t column = 0; column < pages.columns; ++column, ++index) {
        Coord coord = pages.coord(page, row, column);
        bool marked = !options.marks.empty() && options.marks[index];
        // The marked frames are drawn over their neighbours' thin ones.
        svg += svgCell(margin + column * width, y, width, height,
                       fillOf(colourOf(layout, layout.at(coord), options)),
                       marked, cellText(layout, coord));
      }
    }
  }
  return svg + "</svg>\n";
}
