// The strict reader of facts/*.json. It runs when tilewright is built (EmbedFacts.cpp turns the files into tables) and in tests; the binary
// itself reads no JSON to know its hardware.
#pragma once
#include "target/Target.h"

#include <string>
#include <string_view>
#include <vector>

namespace tilewright::target {

struct FactsFile {
  std::string id;     // "nvidia.sm90"
  std::string schema; // "cuda.architecture", a name of FactPaths.def
  std::vector<Fact> facts;
};

/// Reads one facts file. `errors` gains a sentence for everything wrong with it, each naming the path of the leaf: one that the schema wants
/// and the file lacks, one that the schema does not know, a value of another kind or unit, an origin or a source missing. The result holds
/// the leaves that are right.
FactsFile readFacts(std::string_view json, std::vector<std::string> &errors);

} // namespace tilewright::target
