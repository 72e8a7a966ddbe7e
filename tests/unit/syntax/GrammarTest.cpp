// The grammar itself, without the tree-sitter CLI: corpus (source and expected tree), highlights (marks under the source)
// and queries. TW_UPDATE=1 rewrites the expected trees of the corpus.
#include <doctest/doctest.h>
#include <tree_sitter/api.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace fs = std::filesystem;

extern "C" const TSLanguage *tree_sitter_tilewright(void);

namespace {
const fs::path kGrammar = fs::path(TW_SOURCE_DIR) / "grammar";

std::string contents(const fs::path &path) {
  std::ifstream in(path, std::ios::binary);
  REQUIRE_MESSAGE(in.good(), path.string());
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

std::vector<fs::path> filesIn(const fs::path &folder, std::string_view extension) {
  std::vector<fs::path> found;
  for (const auto &entry : fs::directory_iterator(folder))
    if (entry.path().extension() == extension)
      found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  REQUIRE(!found.empty());
  return found;
}

struct Parsed {
  TSParser *parser = ts_parser_new();
  TSTree *tree = nullptr;
  explicit Parsed(const std::string &text) {
    REQUIRE(ts_parser_set_language(parser, tree_sitter_tilewright()));
    tree = ts_parser_parse_string(parser, nullptr, text.data(), static_cast<uint32_t>(text.size()));
  }
  Parsed(const Parsed &) = delete;
  ~Parsed() {
    ts_tree_delete(tree);
    ts_parser_delete(parser);
  }
  TSNode root() const { return ts_tree_root_node(tree); }
};

// ---- corpus ----------------------------------------------------------------------------------------------------------------

struct Case {
  std::string name, source, expected;
  bool error = false;
};

std::vector<std::string> linesOf(const std::string &text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    size_t end = text.find('\n', at);
    end = end == std::string::npos ? text.size() : end + 1;
    lines.push_back(text.substr(at, end - at));
    at = end;
  }
  return lines;
}
bool isRule(const std::string &line, char c) { return line.size() > 3 && line.find_first_not_of(std::string{c, '\n', '\r'}) == std::string::npos && line[2] == c; }

std::vector<Case> readCorpus(const std::string &text) {
  std::vector<Case> cases;
  std::vector<std::string> lines = linesOf(text);
  for (size_t i = 0; i < lines.size();) {
    if (!isRule(lines[i], '=')) {
      ++i;
      continue;
    }
    Case one;
    for (++i; i < lines.size() && !isRule(lines[i], '='); ++i) {
      std::string line = lines[i].substr(0, lines[i].find_last_not_of("\r\n") + 1);
      if (line == ":error")
        one.error = true;
      else
        one.name += line;
    }
    size_t begin = ++i, end = begin, divider = 0;
    for (; end < lines.size() && !isRule(lines[end], '='); ++end)
      if (isRule(lines[end], '-'))
        divider = end;
    REQUIRE_MESSAGE(divider > 0, one.name);
    for (size_t k = begin; k < divider; ++k)
      one.source += lines[k];
    if (!one.source.empty() && one.source.back() == '\n')
      one.source.pop_back();
    if (!one.source.empty() && one.source.back() == '\r')
      one.source.pop_back();
    for (size_t k = divider + 1; k < end; ++k)
      one.expected += lines[k];
    cases.push_back(std::move(one));
    i = end;
  }
  return cases;
}

// The tree as an expression, a node a line.
std::string printed(TSNode root) {
  std::string out;
  TSTreeCursor cursor = ts_tree_cursor_new(root);
  int depth = 0;
  std::vector<bool> opened; // by level of the cursor: whether the node was printed
  auto visit = [&] {
    TSNode node = ts_tree_cursor_current_node(&cursor);
    bool shown = ts_node_is_named(node) || ts_node_is_missing(node);
    if (shown) {
      if (!out.empty())
        out += "\n" + std::string(static_cast<size_t>(depth) * 2, ' ');
      if (const char *field = ts_tree_cursor_current_field_name(&cursor))
        out += std::string(field) + ": ";
      out += ts_node_is_missing(node) ? "(MISSING " : "(";
      std::string type = ts_node_type(node);
      out += ts_node_is_named(node) ? type : "\"" + type + "\"";
      ++depth;
    }
    opened.push_back(shown);
  };
  auto leave = [&] {
    if (opened.back()) {
      out += ')';
      --depth;
    }
    opened.pop_back();
  };
  visit();
  for (;;) {
    if (ts_tree_cursor_goto_first_child(&cursor)) {
      visit();
      continue;
    }
    for (;;) {
      leave();
      if (ts_tree_cursor_goto_next_sibling(&cursor)) {
        visit();
        break;
      }
      if (!ts_tree_cursor_goto_parent(&cursor)) {
        ts_tree_cursor_delete(&cursor);
        return out;
      }
    }
  }
}

std::string squeezed(const std::string &text) {
  std::string out;
  for (char c : text) {
    if (c == ' ' || c == '\n' || c == '\r' || c == '\t') {
      if (!out.empty() && out.back() != ' ')
        out += ' ';
    } else {
      if (c == ')' && !out.empty() && out.back() == ' ')
        out.pop_back();
      out += c;
    }
  }
  while (!out.empty() && out.back() == ' ')
    out.pop_back();
  return out;
}

// ---- queries ---------------------------------------------------------------------------------------------------------------

struct Query {
  TSQuery *query = nullptr;
  explicit Query(const fs::path &path) {
    std::string text = contents(path);
    uint32_t at = 0;
    TSQueryError error = TSQueryErrorNone;
    query = ts_query_new(tree_sitter_tilewright(), text.data(), static_cast<uint32_t>(text.size()), &at, &error);
    REQUIRE_MESSAGE(query, path.filename().string() << ": " << text.substr(at, 60));
  }
  Query(const Query &) = delete;
  ~Query() { ts_query_delete(query); }
};

struct Capture {
  std::string name;
  uint32_t begin, end;
  uint32_t pattern;
};

// Whether the predicates of a match hold: eq?, any-of?, match?.
bool holds(const TSQuery *query, const TSQueryMatch &match, const std::string &text) {
  uint32_t count = 0;
  const TSQueryPredicateStep *steps = ts_query_predicates_for_pattern(query, match.pattern_index, &count);
  std::vector<std::string> arguments;
  for (uint32_t i = 0; i < count; ++i) {
    if (steps[i].type == TSQueryPredicateStepTypeDone) {
      const std::string &name = arguments[0];
      if (name == "set!") {
      } else if (name == "eq?") {
        if (arguments[1] != arguments[2])
          return false;
      } else if (name == "any-of?") {
        if (std::find(arguments.begin() + 2, arguments.end(), arguments[1]) == arguments.end())
          return false;
      } else if (name == "match?") {
        if (!std::regex_search(arguments[1], std::regex(arguments[2])))
          return false;
      } else {
        FAIL("predicate ", name, " is not read here");
      }
      arguments.clear();
    } else if (steps[i].type == TSQueryPredicateStepTypeString) {
      uint32_t size = 0;
      const char *value = ts_query_string_value_for_id(query, steps[i].value_id, &size);
      arguments.emplace_back(value, size);
    } else {
      for (uint16_t k = 0; k < match.capture_count; ++k)
        if (match.captures[k].index == steps[i].value_id) {
          TSNode node = match.captures[k].node;
          arguments.push_back(text.substr(ts_node_start_byte(node), ts_node_end_byte(node) - ts_node_start_byte(node)));
          break;
        }
    }
  }
  return true;
}

std::vector<Capture> capturesOf(const Query &query, const std::string &text) {
  Parsed parsed(text);
  TSQueryCursor *cursor = ts_query_cursor_new();
  ts_query_cursor_exec(cursor, query.query, parsed.root());
  std::vector<Capture> found;
  for (TSQueryMatch match; ts_query_cursor_next_match(cursor, &match);) {
    if (!holds(query.query, match, text))
      continue;
    for (uint16_t i = 0; i < match.capture_count; ++i) {
      uint32_t size = 0;
      const char *name = ts_query_capture_name_for_id(query.query, match.captures[i].index, &size);
      TSNode node = match.captures[i].node;
      found.push_back({std::string(name, size), ts_node_start_byte(node), ts_node_end_byte(node), match.pattern_index});
    }
  }
  ts_query_cursor_delete(cursor);
  return found;
}

// The capture that colours a byte: the innermost, of equal ones the last pattern's.
std::string colourAt(const std::vector<Capture> &captures, uint32_t at) {
  const Capture *best = nullptr;
  for (const Capture &capture : captures) {
    if (capture.name[0] == '_' || at < capture.begin || at >= capture.end)
      continue;
    if (!best || capture.end - capture.begin < best->end - best->begin ||
        (capture.end - capture.begin == best->end - best->begin && capture.pattern >= best->pattern))
      best = &capture;
  }
  return best ? best->name : "";
}
} // namespace

TEST_CASE("corpus: source and tree") {
  const char *update = std::getenv("TW_UPDATE");
  for (const fs::path &path : filesIn(kGrammar / "test" / "corpus", ".txt")) {
    std::string text = contents(path);
    std::vector<Case> cases = readCorpus(text);
    CHECK_MESSAGE(!cases.empty(), path.string());
    std::string rewritten;
    std::set<std::string> names;
    for (const Case &one : cases) {
      INFO(path.filename().string(), ": ", one.name, "\n", one.source);
      CHECK(names.insert(one.name).second);
      Parsed parsed(one.source);
      CHECK(ts_node_has_error(parsed.root()) == one.error);
      std::string actual = printed(parsed.root());
      if (update && *update)
        rewritten += std::string(80, '=') + "\n" + one.name + "\n" + (one.error ? ":error\n" : "") + std::string(80, '=') + "\n\n" +
                     one.source.substr(one.source[0] == '\n' ? 1 : 0) + "\n" + std::string(80, '-') + "\n\n" + actual + "\n\n";
      else
        CHECK(squeezed(actual) == squeezed(one.expected));
    }
    if (update && *update)
      std::ofstream(path, std::ios::binary) << rewritten;
  }
}

TEST_CASE("highlights: marks under the source") {
  Query query(kGrammar / "queries" / "highlights.scm");
  static const std::regex mark(R"(^(\s*)#\s*(<-|[\^]+)\s*(!?)([\w.]+)\s*$)");
  for (const fs::path &path : filesIn(kGrammar / "test" / "highlight", ".py")) {
    std::string text = contents(path);
    std::vector<Capture> captures = capturesOf(query, text);
    size_t lineStart = 0, at = 0;
    int marks = 0, number = 0;
    for (const std::string &line : linesOf(text)) {
      ++number;
      std::smatch match;
      std::string bare = line.substr(0, line.find_last_not_of("\r\n") + 1);
      if (std::regex_match(bare, match, mark)) {
        ++marks;
        std::vector<size_t> columns;
        if (match[2] == "<-")
          columns.push_back(static_cast<size_t>(match[1].length()));
        else
          for (size_t i = 0; i < static_cast<size_t>(match[2].length()); ++i)
            columns.push_back(static_cast<size_t>(match.position(2)) + i);
        for (size_t column : columns) {
          std::string colour = colourAt(captures, static_cast<uint32_t>(lineStart + column));
          INFO(path.filename().string(), ":", number, " column ", column + 1);
          if (match[3] == "!")
            CHECK(colour != match[4].str());
          else
            CHECK(colour == match[4].str());
        }
      } else {
        lineStart = at;
      }
      at += line.size();
    }
    CHECK(marks > 0);
  }
}

TEST_CASE("queries: each one compiles, and the schedule's captures name its constructs") {
  for (const fs::path &path : filesIn(kGrammar / "queries", ".scm"))
    Query{path};
  Query query(kGrammar / "queries" / "schedule.scm");
  std::string text = R"(@module(entry="f")
class M:
    @func
    def f(x: Tensor[(4,), "f32", "smem"]):
        with Mesh(block[1:2, :], layout=(4,), names=("w",)) as work:
            for k in tf.tile(4, 2):
                y = tf.reshard(x, (2 @ work.w, 2) @ {B()}, "rmem")
        with threads[0, :32] as one:
            z = T.cuda.sm90.Wgmma(n=256)
            l = Layout((1,), (2,)) | Swizzle(3, 4, 3)
)";
  std::multimap<std::string, std::string> found;
  for (const Capture &capture : capturesOf(query, text)) {
    std::string what = text.substr(capture.begin, capture.end - capture.begin);
    found.emplace(capture.name, what.substr(0, what.find('\n')));
  }
  auto is = [&](const std::string &name, std::multiset<std::string> expected) {
    std::multiset<std::string> actual;
    for (auto [at, end] = found.equal_range(name); at != end; ++at)
      actual.insert(at->second);
    CHECK_MESSAGE(actual == expected, name);
  };
  is("module.name", {"M"});
  is("function.name", {"f"});
  is("tensor", {"Tensor[(4,), \"f32\", \"smem\"]"});
  is("storage", {"\"smem\""});
  is("mesh.slice", {"block[1:2, :]", "threads[0, :32]"});
  is("mesh.name", {"work", "one"});
  is("tile.name", {"k"});
  is("axis", {"work.w"});
  is("state", {"{B()}"});
  is("op", {"tile", "reshard"});
  is("instruction", {"T.cuda.sm90.Wgmma"});
  is("layout.swizzle", {"Layout((1,), (2,)) | Swizzle(3, 4, 3)"});
}

TEST_CASE("tags and locals name the definitions") {
  auto names = [](const char *file, const std::string &capture, const std::string &text) {
    Query query(kGrammar / "queries" / file);
    std::multiset<std::string> found;
    for (const Capture &one : capturesOf(query, text))
      if (one.name == capture)
        found.insert(text.substr(one.begin, one.end - one.begin));
    return found;
  };
  std::string text = "import a.b as c\nN = 1\nclass A:\n    def m(self, x=1): return [i for i in x]\ndef f(): pass\n";
  CHECK(names("tags.scm", "name", text) == std::multiset<std::string>{"N", "A", "m", "f"});
  CHECK(names("locals.scm", "local.definition.var", text) == std::multiset<std::string>{"N", "i"});
  CHECK(names("locals.scm", "local.definition.parameter", text) == std::multiset<std::string>{"self", "x"});
  CHECK(names("locals.scm", "local.definition.import", text) == std::multiset<std::string>{"c"});
}

// The scanner's state: bounded, and what is read back is what was written.
extern "C" {
void *tree_sitter_tilewright_external_scanner_create(void);
void tree_sitter_tilewright_external_scanner_destroy(void *);
unsigned tree_sitter_tilewright_external_scanner_serialize(void *, char *);
void tree_sitter_tilewright_external_scanner_deserialize(void *, const char *, unsigned);
}

constexpr size_t kStateSize = 1024; // of the runtime

TEST_CASE("the scanner's state survives being stored and stays small") {
  std::unique_ptr<void, void (*)(void *)> scanner(tree_sitter_tilewright_external_scanner_create(), tree_sitter_tilewright_external_scanner_destroy);
  char empty[kStateSize] = {};
  unsigned size = tree_sitter_tilewright_external_scanner_serialize(scanner.get(), empty);
  CHECK(size <= 1);
  // Deeper nesting of blocks and of f-strings than the scanner keeps.
  std::string deep;
  for (int i = 0; i < 400; ++i)
    deep += std::string(static_cast<size_t>(i), ' ') + "if x:\n";
  std::string strings = "x = ";
  for (int i = 0; i < 400; ++i)
    strings += "f\"{";
  for (const std::string &text : {deep, strings}) {
    Parsed parsed(text);
    CHECK(parsed.tree != nullptr);
  }
  char state[kStateSize] = {2, 1, 8, 4, 0, 8, 0};
  tree_sitter_tilewright_external_scanner_deserialize(scanner.get(), state, 7);
  char again[kStateSize] = {};
  CHECK(tree_sitter_tilewright_external_scanner_serialize(scanner.get(), again) == 7);
  CHECK(std::equal(state, state + 7, again));
}
