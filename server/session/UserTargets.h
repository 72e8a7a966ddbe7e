// Facts files that the user added: one JSON document each in a folder of the user's configuration, in the schemas of compiler/target/facts. Every
// command and the server read the folder at their start; a file that is wrong is left out with a warning.
// Thread rule: loadUserTargets before the first thread; the others are functions of the folder.
#pragma once
#include <string>
#include <vector>

namespace tilewright::session {

/// `$XDG_CONFIG_HOME/tilewright/targets`, else `$HOME/.config/tilewright/targets`; "" where neither variable is set.
std::string userTargetsFolder();

/// Makes targets of the files in the folder. Returns a sentence for every file that was left out.
std::vector<std::string> loadUserTargets(const std::string &folder);

struct TargetChange {
  std::vector<std::string> errors;  // none: done
  std::string id;                   // of the document
  std::string path;                 // of the file written or removed
  bool isDevice = false;            // and so a target
};
/// Checks a facts file and copies it into the folder; a document of the same id there is replaced.
TargetChange addUserTarget(const std::string &folder, const std::string &file);
/// Takes a document out of the folder again.
TargetChange removeUserTarget(const std::string &folder, const std::string &id);

} // namespace tilewright::session
