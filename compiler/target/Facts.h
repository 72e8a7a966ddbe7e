// The strict reader of facts/*.json. It runs when tilewright is built (EmbedFacts.cpp turns the files into tables), in tests, and on documents
// that a user added; the binary reads no JSON to know the hardware it was built with.
#pragma once
#include "target/Target.h"

#include <optional>

#include <string>
#include <string_view>
#include <vector>

namespace tilewright::target {

struct FactsFile {
  std::string id;           // "nvidia.sm90"
  std::string schema;       // "cuda.architecture", a name of FactPaths.def
  std::string kind;         // "architecture", "device"
  std::string architecture; // of a device: the document it goes with
  std::string digest;       // SHA-256 of the file
  std::vector<Fact> facts;
};

/// Reads one facts file. `errors` gains a sentence for everything wrong with it, each naming the path of the leaf: one that the schema wants
/// and the file lacks, one that the schema does not know, a value of another kind or unit, an origin or a source missing. The result holds
/// the leaves that are right.
FactsFile readFacts(std::string_view json, std::vector<std::string> &errors);

/// The schema of a built-in document.
std::optional<std::string_view> builtInSchema(std::string_view id);
/// Makes targets of documents that the user added, each device with its architecture, built in or among them. Call it before the first use of
/// all() and find(); ids are new and every architecture is there.
void addTargets(std::vector<FactsFile> files);

} // namespace tilewright::target
