// Host tool of the build: facts/*.json in, one C++ table per file out. A file that the reader refuses stops the build.
// usage: embed_facts OUTPUT.inc FACTS.json...
#include "target/Facts.h"

#include <cstdio>
#include <fstream>
#include <iterator>

using namespace tilewright::target;

namespace {
// A raw literal, since URLs and prose want no escapes.
std::string quoted(const std::string &text) { return "R\"~(" + text + ")~\""; }
} // namespace

int main(int argc, char **argv) {
  if (argc < 3)
    return std::fprintf(stderr, "usage: embed_facts OUTPUT FACTS...\n"), 2;
  std::string out = "// Made from facts/*.json by EmbedFacts.cpp.\n", files;
  int failed = 0;
  for (int i = 2; i < argc; ++i) {
    std::ifstream in(argv[i]);
    std::string json((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    std::vector<std::string> errors;
    FactsFile file = readFacts(json, errors);
    for (const std::string &error : errors)
      std::fprintf(stderr, "%s: error: %s\n", argv[i], error.c_str()), failed = 1;
    std::string rows;
    for (size_t f = 0; f < file.facts.size(); ++f) {
      const Fact &fact = file.facts[f];
      std::string list = "nullptr, 0";
      if (!fact.list.empty()) {
        list = "kList" + std::to_string(i) + "_" + std::to_string(f);
        out += "constexpr std::string_view " + list + "[] = {";
        for (const std::string &item : fact.list)
          out += quoted(item) + ", ";
        out += "};\n";
        list += ", " + std::to_string(fact.list.size());
      }
      rows += "    {" + quoted(fact.path) + ", " + (fact.integer ? "true, " + std::to_string(*fact.integer) : std::string("false, 0")) + ", " + quoted(fact.text) + ", " + list + ", " +
              quoted(fact.unit) + ", " + quoted(fact.origin) + ", " + quoted(fact.conditions) + ", " + quoted(fact.source) + "},\n";
    }
    std::string table = "kFacts" + std::to_string(i);
    out += "constexpr EmbeddedFact " + table + "[] = {\n" + rows + "};\n";
    files += "    {" + quoted(file.id) + ", " + quoted(file.schema) + ", " + quoted(file.digest) + ", " + table + "},\n";
  }
  out += "constexpr EmbeddedFile kFiles[] = {\n" + files + "};\n";
  if (failed)
    return 1;
  std::ofstream(argv[1]) << out;
  return 0;
}
