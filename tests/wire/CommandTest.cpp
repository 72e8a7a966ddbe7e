// The command line from outside: exit codes, where answers and errors go, and that nothing is half-written.
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/wait.h>

namespace fs = std::filesystem;

namespace {
struct Ran {
  int code;
  std::string out, err;
};
std::string slurp(const fs::path &path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// A folder of its own for a test, gone afterwards.
struct Folder {
  fs::path path;
  Folder() {
    std::string name = (fs::temp_directory_path() / "tilewright-command-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~Folder() { fs::remove_all(path); }
  std::string write(const std::string &name, const std::string &text) const {
    std::ofstream(path / name) << text;
    return (path / name).string();
  }
  Ran run(const std::string &arguments) const {
    std::string line = "cd '" + path.string() + "' && '" TW_BINARY "' " + arguments + " >.out 2>.err";
    int status = std::system(line.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, slurp(path / ".out"), slurp(path / ".err")};
  }
  size_t files() const { return static_cast<size_t>(std::distance(fs::directory_iterator(path), fs::directory_iterator())); }
};

const std::string kGood = R"(from tilefoundry.dsl import *
from tilefoundry.target import CudaTarget


@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4),))
class M:
    @func
    def f(x: Tensor[(8, 4), "f32"]) -> Tensor[(8, 4), "f32"]:
        return x + x
)";
} // namespace

TEST_CASE("an answer goes to standard output or, complete, to a file") {
  Folder folder;
  folder.write("good.py", kGood);
  Ran bare = folder.run("analyze good.py");
  CHECK(bare.code == 0);
  CHECK(bare.err == "");
  CHECK(bare.out.find("tf.add(x, x)") != std::string::npos);
  CHECK(folder.run("analyze good.py -").out == bare.out);
  CHECK(folder.run("analyze good.py:M.f").out == bare.out);
  CHECK(folder.run("emit good.py --form=hir").out.find("= tf.add(x, x)\n") != std::string::npos);
  Ran filed = folder.run("analyze good.py report.txt --memory");
  CHECK(filed.code == 0);
  CHECK(filed.out == "");
  CHECK(slurp(folder.path / "report.txt").rfind("# analysis target=nvidia.h200_sxm", 0) == 0);
  CHECK(folder.files() == 4);
}

TEST_CASE("a refused program leaves nothing and says file, line, column, code") {
  Folder folder;
  folder.write("bad.py", kGood + "    @func\n    def g(x: Tensor[(8, 4), \"f32\"]) -> Tensor[(8, 4), \"f32\"]:\n        return x + tf.nothing(x)\n");
  Ran ran = folder.run("analyze bad.py:M.g report.txt --memory");
  CHECK(ran.code == 1);
  CHECK(ran.out == "");
  CHECK(ran.err.rfind("bad.py:12:", 0) == 0);
  CHECK(ran.err.find(": error[unknown-op]: ") != std::string::npos);
  CHECK(ran.err.find("        return x + tf.nothing(x)") != std::string::npos);
  CHECK(ran.err.find("^") != std::string::npos);
  CHECK_FALSE(fs::exists(folder.path / "report.txt"));
  ran = folder.run("analyze bad.py:M.g report.json --memory --json");
  CHECK(ran.code == 1);
  CHECK(ran.err.rfind("{\"diagnostics\":[{\"code\":\"unknown-op\"", 0) == 0);
  CHECK(ran.err.find("\"severity\":\"error\"") != std::string::npos);
  CHECK(folder.run("analyze absent.py out.txt --memory").code == 1);
  CHECK(folder.run("analyze bad.py missing/report.txt --memory").code == 1);
}

TEST_CASE("wrong usage is told apart") {
  Folder folder;
  folder.write("good.py", kGood);
  CHECK(folder.run("analyze").code == 2);
  CHECK(folder.run("analyze good.py --no-such-flag").code == 2);
  CHECK(folder.run("analyze good.py out.json --json").code == 2);
  CHECK(folder.run("no-such-verb").code == 2);
  CHECK(folder.run("emit good.py --form=poem").code == 2);
  CHECK(folder.run("lsp --stdio --listen 0").code == 2);
  CHECK(folder.run("explain no-such-code").code == 2);
  CHECK(folder.run("analyze good.py --dim N=1 --dim N=1").code == 1); // as the reference
  CHECK(folder.run("--version").out.rfind("tilewright ", 0) == 0);
  CHECK(folder.run("").code == 0);
}

TEST_CASE("explain knows every code") {
  Folder folder;
  std::istringstream all(folder.run("explain").out);
  size_t codes = 0;
  for (std::string code, severity; all >> code >> severity; ++codes)
    if (codes % 8 == 0)
      CHECK(folder.run("explain " + code).out.rfind(code + " ", 0) == 0);
  CHECK(codes > 20);
}

TEST_CASE("text of the dialect is read, verified and printed") {
  Folder folder;
  folder.write("good.py", kGood);
  Ran emitted = folder.run("emit good.py --form=mlir-hir -o good.mlir");
  CHECK(emitted.code == 0);
  Ran read = folder.run("opt good.mlir");
  CHECK(read.code == 0);
  CHECK(read.out == slurp(folder.path / "good.mlir"));
  folder.write("bad.mlir", "hir.nothing");
  CHECK(folder.run("opt bad.mlir").code == 1);
}

TEST_CASE("doctor finds nothing wrong, even on half a file") {
  Folder folder;
  folder.write("good.py", kGood);
  folder.write("half.py", kGood.substr(0, kGood.size() - 12) + "(\n  \xF0\x9F\x98\x80\n");
  folder.write("empty.py", "");
  folder.write("other.py", "import os\n");
  for (const char *name : {"good.py", "half.py", "empty.py", "other.py"}) {
    Ran ran = folder.run(std::string("doctor ") + name);
    CHECK_MESSAGE(ran.code == 0, ran.out);
    CHECK(ran.out.find("every request was answered") != std::string::npos);
  }
}

TEST_CASE("a layout is drawn with its bank conflicts, as text and as SVG") {
  Folder folder;
  Ran plain = folder.run("layout '((64, 64), (64, 1))' --rows 1 --columns 2");
  CHECK(plain.code == 0);
  CHECK(plain.out.find("cell: byte/bank of 8 elements") != std::string::npos);
  CHECK(plain.out.find("ldmatrix, 8 rows each, 16 B   wavefronts 32, without conflicts 4 (8-way)") != std::string::npos);
  Ran swizzled = folder.run("layout '((64, 64), (64, 1)) | Swizzle(3, 4, 3)' --dtype bf16 --svg tile.svg");
  CHECK(swizzled.out.find("ldmatrix, 8 rows each, 16 B   wavefronts 4, without conflicts 4\n") != std::string::npos);
  CHECK(slurp(folder.path / "tile.svg").rfind("<svg ", 0) == 0);
  Ran fragment = folder.run("layout '(8 @ th.g, 4 @ th.t, 2)' --shape 8,8 --rows 2 --mesh 'th=Mesh((Topology(\"thread\", 32),), layout=(8, 4), names=(\"g\", \"t\"))'");
  CHECK(fragment.out.find("0  0:0-1  1:0-1  2:0-1  3:0-1") != std::string::npos);
  CHECK(folder.run("layout '(8, 8' ").code == 1);
  CHECK(folder.run("layout '(8 @ th.g, 8)'").err.find("'th' is not defined") != std::string::npos);
  CHECK(folder.run("layout '((8, 4), (2**60, 1))'").err.find("offsets below 2^56") != std::string::npos);
  CHECK(folder.run("layout '(8, 8)' --dtype b16").code == 2);
  CHECK(folder.run("layout '(8, 8)' --shape 8,x").code == 2);
}

TEST_CASE("a tile is judged, or the best are ranked, as text and as JSON") {
  Folder folder;
  Ran judged = folder.run("tile --diagnose --m 8192 --n 17408 --k 5120 --block-m 128 --block-n 256 --block-k 64");
  CHECK(judged.code == 0);
  CHECK(judged.out.find("C1 shared/stage     48.0 KB -> total    144.0 KB") != std::string::npos);
  CHECK(judged.out.find("4352 tiles") != std::string::npos);
  CHECK(judged.out.find("33 wave(s), last wave  97.0% full") != std::string::npos);
  Ran swept = folder.run("tile --m 8192 --n 17408 --k 5120 --topk 1");
  CHECK(swept.out.find("feasible configurations found: 459") != std::string::npos);
  CHECK(swept.out.find("     256     256      16  2  512   11693.7    32.0      128      1    17    48%  regs") != std::string::npos);
  Ran json = folder.run("tile --diagnose --block-n 12 --threads 2048 --json");
  CHECK(json.code == 0); // what the hardware cannot take is a verdict
  CHECK(json.out.find("\"constraint\": \"C3\"") != std::string::npos);
  CHECK(folder.run("tile --k 8 --json").out.find("\"feasible\": 0") != std::string::npos);
  Ran ranked = folder.run("tile --m 8192 --n 17408 --k 5120 --dtype bf16 --target nvidia.h200_sxm --model performance --topk 1 --explain --svg space.svg");
  CHECK(ranked.out.find("     128     256      64  3  256") != std::string::npos);
  CHECK(ranked.out.find("stages 3 -> 4         rejected  kernel") != std::string::npos);
  CHECK(slurp(folder.path / "space.svg").rfind("<svg ", 0) == 0);
}

TEST_CASE("sizes that are no sizes are refused with the limit") {
  Folder folder;
  for (const char *wrong : {"--m 0", "--n -4", "--k x", "--threads 1e3", "--stages 9223372036854775808", "--block-k ''", "--topk -1", "--sm-count 0"}) {
    Ran ran = folder.run(std::string("tile ") + wrong);
    CHECK_MESSAGE(ran.code == 2, wrong);
    CHECK_MESSAGE(ran.err.find("9223372036854775807") != std::string::npos, wrong);
    CHECK(ran.out == "");
  }
  CHECK(folder.run("tile --smem-kb 9223372036854775807").err.find("from 1 to 9007199254740991") != std::string::npos);
  CHECK(folder.run("tile --m 4294967296 --n 4294967296").code == 2);
  CHECK(folder.run("tile --instr fma").code == 2);
  CHECK(folder.run("tile --target cpu").code == 2);
  CHECK(folder.run("tile --target nvidia.b200_sxm --instr wgmma").code == 2);
  CHECK(folder.run("tile --model guess").code == 2);
}

TEST_CASE("facts take the instruction before or after the target") {
  Folder folder;
  const Ran first = folder.run("schedule facts T.copy --target nvidia.h200_sxm");
  CHECK(first.code == 0);
  CHECK(first.out.starts_with("T.copy\n  target             nvidia.h200_sxm\n"));
  CHECK(folder.run("schedule facts --target nvidia.h200_sxm T.copy -").out == first.out);
  CHECK(folder.run("schedule facts T.copy --target nvidia.h200_sxm report").code == 0);
  CHECK(slurp(folder.path / "report") == first.out);
  CHECK(folder.run("schedule facts --target nvidia.h200_sxm T.copy report").code == 0);
  CHECK(folder.run("schedule facts --target nvidia.h200_sxm").out.starts_with("target nvidia.h200_sxm\ninstructions\n"));
  CHECK(folder.run("schedule facts --target cpu --json").out.find("\"id\": \"T.relu\"") != std::string::npos);
}

TEST_CASE("facts that there are not say which there are") {
  Folder folder;
  CHECK(folder.run("schedule facts T.copy").code == 2);
  const Ran slip = folder.run("schedule facts T.copy_asinc --target nvidia.h200_sxm report");
  CHECK(slip.code == 1);
  CHECK(slip.err.find("did you mean `T.copy_async`?") != std::string::npos);
  CHECK_FALSE(fs::exists(folder.path / "report"));
  CHECK(folder.run("schedule facts Wgmma report --target nvidia.h200_sxm").err.find("did you mean `T.cuda.sm90.Wgmma`?") != std::string::npos);
  const Ran other = folder.run("schedule facts T.cuda.sm90.Wgmma --target nvidia.b200_sxm");
  CHECK(other.code == 1);
  CHECK(other.err.find("needs wgmma.mma_async") != std::string::npos);
  const Ran nowhere = folder.run("schedule facts T.copy --target h200");
  CHECK(nowhere.code == 1);
  CHECK(nowhere.err.find("did you mean `nvidia.h200_sxm`?") != std::string::npos);
}

TEST_CASE("a target of one's own is known to every verb until it is removed") {
  Folder folder;
  std::string facts = slurp(fs::path(TW_SOURCE_DIR) / "compiler/target/facts/nvidia.h200_sxm.json");
  for (const auto &[from, to] : {std::pair<std::string, std::string>{"\"id\": \"nvidia.h200_sxm\"", "\"id\": \"lab.half\""}, {"\"value\": 132", "\"value\": 66"}})
    facts.replace(facts.find(from), from.size(), to);
  folder.write("half.json", facts);
  std::string program = kGood;
  program.replace(program.find("nvidia.h200_sxm"), 15, "lab.half");
  folder.write("own.py", program);
  const auto run = [&](const std::string &arguments) {
    std::string line = "cd '" + folder.path.string() + "' && XDG_CONFIG_HOME=config '" TW_BINARY "' " + arguments + " >.out 2>.err";
    int status = std::system(line.c_str());
    return Ran{WIFEXITED(status) ? WEXITSTATUS(status) : -1, slurp(folder.path / ".out"), slurp(folder.path / ".err")};
  };
  CHECK(run("analyze own.py").code == 1);
  CHECK(run("target add half.json").code == 0);
  CHECK(run("target list").out.find("CudaTarget(\"lab.half\")         identity: lab.half  added\n") != std::string::npos);
  CHECK(run("target show lab.half").out.find("  compute.sm_count: 66 count [vendor]\n") != std::string::npos);
  CHECK(run("analyze own.py").code == 0);
  CHECK(run("schedule facts T.copy --target lab.half").code == 0);
  CHECK(run("target remove lab.half").code == 0);
  CHECK(run("target show lab.half").code == 1);
}
