#include "schedule/TileDraw.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

namespace tilewright::schedule {
namespace {

constexpr int kLeft = 64, kTop = 44, kWidth = 560, kHeight = 320;

std::string number(double value, const char *format = "%.1f") {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string label(double x, double y, const std::string &content, const std::string &more = {}) {
  return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\"" + more + ">" + content + "</text>\n";
}

std::string size(const TileConfig &config) {
  return std::to_string(config.blockM) + "x" + std::to_string(config.blockN) + "x" + std::to_string(config.blockK) + ", " + std::to_string(config.stages) + " stages, " +
         std::to_string(config.threads) + " threads";
}

} // namespace

std::string drawTileSpace(const TileProblem &problem, TileInstruction instruction, const TileDevice &device, const TileConfig &chosen) {
  struct Mark {
    int feasible = 0, failed = 0;
  };
  std::map<std::pair<double, int64_t>, Mark> marks; // by traffic and resident warps
  const auto place = [&](const TileVerdict &v) { return std::pair(v.dramTraffic, v.blocksPerSm * v.config.threads / device.warpSize); };
  for (const TileConfig &config : tileSpace(problem, instruction)) {
    const TileVerdict v = evaluate(problem, config, device);
    ++(v.feasible() ? marks[place(v)].feasible : marks[place(v)].failed);
  }
  const TileVerdict best = evaluate(problem, chosen, device);
  marks[place(best)]; // drawn even where it is no configuration of the sweep
  const double least = marks.begin()->first.first, most = marks.rbegin()->first.first;
  const double low = std::log10(least) - 0.05, high = std::log10(most) + 0.05;
  const double warps = static_cast<double>(device.threadsPerSm / device.warpSize);
  const auto x = [&](double traffic) { return kLeft + (std::log10(traffic) - low) / (high - low) * kWidth; };
  const auto y = [&](double resident) { return kTop + kHeight - std::min(resident / warps, 1.0) * kHeight; };

  std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" viewBox=\"0 0 680 440\" width=\"680\" height=\"440\" font-family=\"sans-serif\" font-size=\"11\">\n";
  const std::string title = "GEMM " + std::to_string(problem.m) + " x " + std::to_string(problem.n) + " x " + std::to_string(problem.k) + ", " + std::string(name(problem.dtype)) + ", " +
                            std::string(name(instruction)) + ", " + device.name;
  out += "<title>" + title + "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n" + label(kLeft, 22, title, " font-size=\"13\" font-weight=\"bold\"");
  for (int i = 0; i <= 4; ++i) {
    const double at = warps * i / 4;
    out += "<line x1=\"" + number(kLeft) + "\" y1=\"" + number(y(at)) + "\" x2=\"" + number(kLeft + kWidth) + "\" y2=\"" + number(y(at)) + "\" stroke=\"#e0e0e0\"/>\n";
    out += label(kLeft - 8, y(at) + 4, number(at, "%.0f"), " text-anchor=\"end\"");
  }
  for (int exponent = static_cast<int>(std::floor(low)); exponent <= static_cast<int>(std::ceil(high)); ++exponent)
    for (int digit : {1, 2, 5}) {
      const double traffic = digit * std::pow(10.0, exponent);
      if (std::log10(traffic) < low || std::log10(traffic) > high)
        continue;
      out += "<line x1=\"" + number(x(traffic)) + "\" y1=\"" + number(kTop) + "\" x2=\"" + number(x(traffic)) + "\" y2=\"" + number(kTop + kHeight) + "\" stroke=\"#e0e0e0\"/>\n";
      out += label(x(traffic), kTop + kHeight + 16, number(traffic / 1e6, "%.6g"), " text-anchor=\"middle\"");
    }
  out += "<rect x=\"" + number(kLeft) + "\" y=\"" + number(kTop) + "\" width=\"" + number(kWidth) + "\" height=\"" + number(kHeight) + "\" fill=\"none\" stroke=\"#444444\"/>\n";
  out += label(kLeft + kWidth / 2.0, kTop + kHeight + 34, "DRAM traffic of the model, MB", " text-anchor=\"middle\"");
  out += label(16, kTop + kHeight / 2.0, "resident warps per SM", " text-anchor=\"middle\" transform=\"rotate(-90 16 " + number(kTop + kHeight / 2.0) + ")\"");
  for (const bool feasible : {false, true}) // feasible marks lie on top
    for (const auto &[at, mark] : marks)
      if (const int count = feasible ? mark.feasible : mark.failed; count > 0)
        out += "<circle cx=\"" + number(x(at.first)) + "\" cy=\"" + number(y(static_cast<double>(at.second))) + "\" r=\"" + number(2.5 + std::min(count, 12) * 0.25) +
               (feasible ? "\" fill=\"#2166ac\" fill-opacity=\"0.7\"" : "\" fill=\"none\" stroke=\"#b2182b\" stroke-opacity=\"0.6\"") + "/>\n";
  const auto [traffic, resident] = place(best);
  const double cx = x(traffic), cy = y(static_cast<double>(resident));
  out += "<circle cx=\"" + number(cx) + "\" cy=\"" + number(cy) + "\" r=\"9\" fill=\"none\" stroke=\"#000000\" stroke-width=\"1.5\"/>\n";
  const bool right = cx < kLeft + kWidth / 2.0;
  out += label(right ? cx + 13 : cx - 13, cy - 8, size(chosen), right ? " font-weight=\"bold\"" : " font-weight=\"bold\" text-anchor=\"end\"");
  const double legend = kTop + kHeight + 58;
  out += "<circle cx=\"" + number(kLeft + 5) + "\" cy=\"" + number(legend - 4) + "\" r=\"4\" fill=\"#2166ac\" fill-opacity=\"0.7\"/>\n" + label(kLeft + 14, legend, "feasible");
  out += "<circle cx=\"" + number(kLeft + 85) + "\" cy=\"" + number(legend - 4) + "\" r=\"4\" fill=\"none\" stroke=\"#b2182b\"/>\n" + label(kLeft + 94, legend, "fails a constraint");
  out += "<circle cx=\"" + number(kLeft + 215) + "\" cy=\"" + number(legend - 4) + "\" r=\"6\" fill=\"none\" stroke=\"#000000\" stroke-width=\"1.5\"/>\n" + label(kLeft + 226, legend, "chosen; larger marks stand for more configurations at one place");
  return out + "</svg>\n";
}

} // namespace tilewright::schedule
