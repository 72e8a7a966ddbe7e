// docs/diagnostics.md tells about every code, in the order of Diagnostics.def, under a heading that is its anchor. TW_UPDATE=1 writes it anew.
#include "support/Diagnostic.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

using namespace tilewright;

TEST_CASE("the page of diagnostics is that of the table") {
  std::string page = "# Diagnostics\n\nEvery code that tilewright gives, with the severity an editor shows. `tilewright explain CODE` prints the same paragraph. Written from\n"
                     "`compiler/support/Diagnostics.def`; `TW_UPDATE=1` with the unit tests writes it anew.\n";
  for (size_t i = 0; i < codeCount(); ++i) {
    const CodeInfo &one = info(static_cast<Code>(i));
    constexpr const char *kNames[] = {"error", "warning", "information", "hint"};
    page += "\n## " + std::string(one.spelling) + "\n\n*" + kNames[static_cast<size_t>(one.severity)] + "*: " + std::string(one.explanation) + "\n";
  }
  const std::string path = std::string(TW_SOURCE_DIR) + "/docs/diagnostics.md";
  if (std::getenv("TW_UPDATE") && !std::getenv("CI"))
    std::ofstream(path) << page;
  std::ifstream file(path);
  std::stringstream written;
  written << file.rdbuf();
  CHECK_MESSAGE(written.str() == page, "docs/diagnostics.md does not say what Diagnostics.def says: run the unit tests with TW_UPDATE=1");
}
