# SPDX-License-Identifier: Apache-2.0
"""Writes the program of a measured cell in C++: main.cpp, which gets the cell's number through the library's public header,
and CMakeLists.txt. It prints what run.py prints."""
import dataclasses
import string
from typing import Any, Dict, Mapping

from ngraphbench.adaptor import CompilerError
from ngraphbench.program import Cell, environment_of, processors_of, write_files

_TYPES = {"f32": "float", "f64": "double", "i64": "int64_t", "i32": "int32_t", "i8": "int8_t", "u8": "uint8_t", "bool": "bool"}


@dataclasses.dataclass(frozen=True)
class CppParts:
    """A compiler's own part of a program in C++. The texts are lines without a line break at the end."""
    includes: str
    # Defines `struct Session`: its constructor receives std::vector<Array>& inputs, which have the measured values and
    # outlive it; run() is the call that is timed; outputs() returns a std::vector<const void*>. FOLDER is a literal.
    session: str
    cmake: str  # finds the library: sets the lists INCLUDES and LIBRARIES
    hint: str   # what cmake is told, as in "-D CMAKE_PREFIX_PATH=…"
    environment: Mapping[str, str] = dataclasses.field(default_factory=dict)
    file: str = ""  # that the compiler has made, and the program reads in place of the ONNX file
    standard: int = 17


def shape_of(row) -> str:
    """Return "{1, 3, 224, 224}"."""
    return "{" + ", ".join(map(str, row["shape"])) + "}"


def write(question, cell: Cell, take_home) -> Dict[str, Any]:
    """Write main.cpp, CMakeLists.txt and README.md. Returns what program.answer tells."""
    if not hasattr(take_home, "cpp"):
        raise CompilerError("invalid_option", "programs in C++ are not written for this compiler yet",
                            "leave --form out; docs/export.md lists those for which they are")
    parts: CppParts = take_home.cpp(cell)
    write_files(cell, {"main.cpp": _MAIN, "CMakeLists.txt": _CMAKE, "README.md": _README}, _words(question, cell, parts))
    return {"reads_model": not parts.file, "needs_pytorch": False}


def _words(question, cell: Cell, parts: CppParts) -> Dict[str, str]:
    variables = environment_of(question, cell, parts.environment)
    processors = processors_of(cell.facts.get("affinity", "")) or list(range(cell.threads))
    return {"title": question["title"], "number": question["number"], "batch": str(question["batch"]),
            "environment": ",\n    ".join(f'{{"{name}", "{value}"}}' for name, value in variables.items()),
            "processors": ", ".join(map(str, processors)), "includes": parts.includes, "session": parts.session,
            "inputs": ", ".join(f'load("{row["file"]}")' for row in cell.inputs), "compares": _compares(question, cell),
            "cmake": parts.cmake, "hint": parts.hint, "standard": str(parts.standard),
            "made_by": question["expected"].get("made_by", "nothing"), "model": parts.file or cell.model}


def _compares(question, cell: Cell) -> str:
    expected = question["expected"]
    lines = []
    for i, row in enumerate(cell.outputs):
        if row["is_sensitive"]:
            continue
        if row["type"] not in _TYPES:
            raise CompilerError("invalid_model", f'programs in C++ do not compare outputs of {row["type"]} yet')
        lines.append(f'    compare<{_TYPES[row["type"]]}>({i}, outputs, {expected["relative"]!r}, {expected["absolute"]!r}, '
                     f'{str(expected["is_of_largest"]).lower()}, {str(expected["allows_rare"]).lower()});')
    return "\n".join(lines)


_MAIN = string.Template('''\
// $title: $number
// Written by ngb export. It needs the library that CMakeLists.txt names, and nothing of ngb.
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

$includes

const std::vector<std::pair<const char*, const char*>> kEnvironment{
    $environment};

struct Array {  // the values of a file, which begin at a multiple of 64 bytes, as buffers did when this was measured
  size_t bytes = 0;
  void* data = nullptr;
};

Array allocate(size_t bytes) { return {bytes, std::aligned_alloc(64, (bytes + 127) / 64 * 64)}; }

Array load(const std::string& name) {
  std::ifstream file(FOLDER + name, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (text.size() < 10) throw std::runtime_error("there is no " FOLDER + name);
  const size_t begin = 10 + static_cast<unsigned char>(text[8]) + 256 * static_cast<unsigned char>(text[9]);
  const Array array = allocate(text.size() - begin);
  std::memcpy(array.data, text.data() + begin, array.bytes);
  return array;
}

$session

// Compares an output with that of $made_by, within the tolerance of the measurement.
template <class T>
void compare(int i, const std::vector<const void*>& outputs, double relative, double absolute, bool is_of_largest,
             bool allows_rare) {
  const std::string name = "expected_" + std::to_string(i) + ".npy";
  const Array expected = load(name);
  const T* const got = static_cast<const T*>(outputs.at(i));
  const T* const want = static_cast<const T*>(expected.data);
  const size_t count = expected.bytes / sizeof(T);
  double largest = 0;
  for (size_t k = 0; k < count; ++k) {
    if (std::isfinite(static_cast<double>(want[k]))) largest = std::max(largest, std::abs(static_cast<double>(want[k])));
  }
  if (is_of_largest) absolute *= largest;
  size_t far = 0;
  for (size_t k = 0; k < count; ++k) {
    const double wanted = static_cast<double>(want[k]);
    if (std::isnan(wanted) || got[k] == want[k]) continue;
    if (!(std::abs(static_cast<double>(got[k]) - wanted) <= absolute + relative * std::abs(wanted))) ++far;
  }
  if (far <= (allows_rare ? count / 10'000 : 0)) return;
  throw std::runtime_error("output " + std::to_string(i) + " is not " + name + " in " + std::to_string(far) + " of " +
                           std::to_string(count) + " elements");
}

long page_faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

void measure(Session& session, double seconds, bool is_json) {
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); };
  for (const auto start = Clock::now(); since(start) < seconds / 2;) session.run();  // warm-up
  std::vector<double> laps;
  laps.reserve(1 << 22);
  double sum = 0;
  const long faults = page_faults();
  const std::clock_t cpu = std::clock();
  const auto begin = Clock::now();
  while (laps.size() < 10 || since(begin) < seconds) {
    const auto start = Clock::now();
    session.run();
    laps.push_back(since(start));
    sum += laps.back();
  }
  const double busy = static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC / since(begin);
  const double faulted = static_cast<double>(page_faults() - faults) / laps.size();
  std::sort(laps.begin(), laps.end());
  const auto at = [&](double part) { return laps[static_cast<size_t>(part * (laps.size() - 1))] * 1e3; };
  std::printf(is_json ? "{\\"p50_ms\\": %.6g, \\"p90_ms\\": %.6g, \\"samples_per_s\\": %.6g, \\"page_faults\\": %.3f, "
                        "\\"processors\\": %.3f}\\n"
                      : "p50 %.4g ms, p90 %.4g ms, %.4g samples/s; %.0f page faults an inference, %.2f processors busy\\n",
              at(0.5), at(0.9), $batch * laps.size() / sum, faulted, busy);
}

int main(int argc, char** argv) try {
  bool has_changed = false;  // the C library reads its part when a program starts, hence the second start
  for (const auto& [name, value] : kEnvironment) {
    const char* const now = std::getenv(name);
    has_changed = has_changed || now == nullptr || std::strcmp(now, value) != 0;
    setenv(name, value, 1);
  }
  if (has_changed) execv("/proc/self/exe", argv);
  cpu_set_t processors;
  CPU_ZERO(&processors);
  for (const int each : {$processors}) CPU_SET(each, &processors);
  if (sched_setaffinity(0, sizeof processors, &processors) != 0) std::perror("other processors are used");
  std::vector<Array> inputs{$inputs};
  Session session(inputs);
  session.run();
  const std::vector<const void*> outputs = session.outputs();
$compares
  measure(session, 2, argc > 1 && std::string(argv[1]) == "--json");
  std::fflush(nullptr);
  std::_Exit(0);  // libraries need not be torn down
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\\n", error.what());
  return 1;
}
''')

_CMAKE = string.Template('''\
# cmake -S . -B build $hint && cmake --build build
cmake_minimum_required(VERSION 3.16)
project(program CXX)
set(CMAKE_CXX_STANDARD $standard)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
$cmake
add_executable(program main.cpp)
target_compile_definitions(program PRIVATE FOLDER="$${CMAKE_SOURCE_DIR}/")
target_include_directories(program SYSTEM PRIVATE $${INCLUDES})
target_link_libraries(program PRIVATE $${LIBRARIES})
''')

_README = string.Template('''\
# $title

$number, measured by NGraphBench. `main.cpp` gets this number with the library alone:

    cmake -S . -B build $hint
    cmake --build build
    build/program            # checks the outputs, measures, and prints p50, p90 and samples/s

`struct Session` is what your program needs. `$model` is what it loads, `input_*.npy` are the measured inputs, and
`expected_*.npy` the outputs of $made_by for them. `cell.json` has the number, the machine and everything that the
compiler reported. The library's version has to be the measured one: the title says it.

What differs in a real program, and what to do about it:

- New inputs each time: write them into the inputs' buffers, which costs a pass over their memory.
- Outputs are overwritten by the next call: copy what you keep.
- Other threads and programs beside it: this was measured on processors of its own. Pin it, or expect waits.
- The C library's allocator: kEnvironment sets its thresholds. Without them it may return memory in every inference.
- Another batch size, number of threads or precision is another cell: measure it.
''')
