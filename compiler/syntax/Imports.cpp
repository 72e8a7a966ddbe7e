// Import statements: what comes from the DSL becomes Opaque names, what comes from Python's library a Builtin, the rest unknown.
#include "syntax/Interpreter.h"

#include <algorithm>

namespace tilewright::syntax {

bool isDslName(std::string_view name) {
  // What `from tilefoundry.dsl import *` and `from tilefoundry.target import *` bring in, sorted.
  static constexpr std::string_view names[] = {
      "AmxTarget", "Analyzer", "AppleAmx", "AppleM2Pro", "Architecture", "B", "BinaryKind", "BoolDType", "Broadcast", "CallableType", "ComposedLayout",
      "ConstTensor", "CpuTarget", "CudaArchitecture", "CudaDevice", "CudaTarget", "D", "DType", "Device", "DimVar", "Dynamic", "FloatDType", "IntTuple",
      "IntegerDType", "Layout", "LayoutBase", "Mesh", "ModuleList", "P", "Partial", "Pattern", "Placement", "PointerType", "RangePattern", "ReduceKind", "S",
      "ShardAttr", "ShardLayout", "Split", "StorageKind", "Swizzle", "T", "Target", "Tensor", "TensorType", "Topology", "Tuple", "TupleType", "Type",
      "UnaryKind", "UnitType", "callable_type_for", "ceildiv", "default_target", "func", "make_mesh", "make_shard_tensor_type", "make_tensor_type", "module",
      "prim_func", "register_target", "registered_targets", "resolve_layout", "shape_of", "tf"};
  return std::binary_search(std::begin(names), std::end(names), name);
}

static bool under(std::string_view module, std::string_view package) {
  return module == package || (module.size() > package.size() && module.substr(0, package.size()) == package && module[package.size()] == '.');
}
static bool isDslModule(std::string_view module) { return under(module, "tilefoundry") || under(module, "tvm_tirx") || under(module, "tvm"); }

static bool isSupported(std::string_view module) {
  for (std::string_view known : {"math", "functools", "itertools", "operator", "collections", "collections.abc", "dataclasses", "enum", "copy", "typing",
                                 "abc", "numbers", "string", "sys", "os", "os.path", "re", "json", "time", "random", "pathlib", "logging", "argparse", "types",
                                 "contextlib", "inspect", "warnings", "struct", "datetime", "subprocess", "io", "textwrap", "typing_extensions", "decimal",
                                 "fractions", "statistics", "bisect", "heapq", "array", "hashlib", "tempfile", "shutil", "glob", "csv", "pprint", "traceback",
                                 "threading", "queue", "weakref", "string", "unittest", "uuid", "platform", "ctypes", "cmath", "builtins", "__future__"})
    if (module == known)
      return true;
  return false;
}

static Node aliasName(Node alias) {
  for (Node child : alias.children())
    if (child.is(Kind::Name))
      return child;
  return {};
}

static void notes(Evaluation *out, std::string_view module, std::string_view name) {
  if (!out)
    return;
  out->importsDsl |= under(module, "tilefoundry");
  out->importsTirx |= under(module, "tvm_tirx") || (under(module, "tvm") && (module.find("tirx") != module.npos || name == "tirx"));
}

void Interpreter::importModules(Node node) {
  for (Node alias : node.children()) {
    if (!alias.is(Kind::Alias))
      continue;
    at = alias;
    std::string_view dotted = alias.text();
    Node as = aliasName(alias);
    std::string_view top = dotted.substr(0, dotted.find('.'));
    notes(out, dotted, "");
    std::string_view imported = as ? dotted : top;
    ValueRef value;
    if (isDslModule(dotted))
      value = make(Opaque{std::string(imported), false, {}, {}, here()});
    else {
      if (!isSupported(dotted))
        ++doubts_; // it may be missing
      value = std::make_shared<Value>(Builtin{std::string(imported)});
    }
    bind(as ? as.text() : top, std::move(value), as ? as : alias);
  }
}

void Interpreter::importNames(Node node) {
  std::string_view module = node.text();
  if (module == "__future__") { // what it brings is a feature of the reader; that it was asked for can be seen by its name
    for (Node alias : node.children())
      if (alias.is(Kind::Alias))
        bind(alias.text(), make(true), alias);
    return;
  }
  for (Node alias : node.children()) {
    if (!alias.is(Kind::Alias))
      continue;
    at = alias;
    std::string_view name = alias.text();
    notes(out, module, name);
    if (name == "*") {
      Scope *globals = root();
      if (globals->owner != id)
        unknown("an import inside a function is not evaluated here");
      if (under(module, "tilefoundry"))
        globals->starDsl = true;
      else if (module == "math")
        for (std::string_view one : {"ceil", "floor", "trunc", "sqrt", "exp", "log", "log2", "log10", "prod", "gcd", "lcm", "comb", "perm", "factorial", "isqrt",
                                     "pow", "fmod", "fabs", "pi", "e", "tau", "inf", "nan", "isnan", "isinf", "isfinite", "isclose", "hypot", "fsum",
                                     "copysign", "sin", "cos", "tan"})
          bind(one, libraryAttribute("math", one), alias);
      else
        globals->starUnknown = std::string(module);
      continue;
    }
    Node as = aliasName(alias);
    ValueRef value;
    if (isDslModule(module)) {
      bool package = (module == "tilefoundry" || module == "tvm" || module == "tvm_tirx") && std::none_of(name.begin(), name.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
      value = make(Opaque{package ? std::string(module) + "." + std::string(name) : std::string(name), false, {}, {}, here()});
    } else if (!module.empty() && module[0] == '.')
      value = unknownHere("`" + std::string(name) + "` comes from another file, which is not read");
    else if (isSupported(module)) {
      value = libraryAttribute(std::string(module), name);
      if (!value)
        raise("ImportError", "cannot import name '" + std::string(name) + "' from '" + std::string(module) + "'");
    } else {
      ++doubts_;
      value = unknownHere("`" + std::string(module) + "." + std::string(name) + "` is not evaluated: `" + std::string(module) + "` is not read");
    }
    bind(as ? as.text() : name, std::move(value), as ? as : alias);
  }
}

} // namespace tilewright::syntax
