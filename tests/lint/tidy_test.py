#!/usr/bin/env python3
"""House rules that a compiler does not check. Each finding is `file:line: rule: what to do`.

usage: tidy_test.py [SOURCE_ROOT]     checks the tree
       tidy_test.py --self-test       shows that every rule can fail
"""
import pathlib
import re
import subprocess
import sys
import tempfile

# folder -> folders whose headers it may include. Arrows point down only.
LAYERS = {
    "crypto": {"crypto"},
    "blockdev": {"blockdev", "crypto"},
    "daemon": {"daemon", "blockdev", "crypto"},
    "tools": {"tools", "blockdev", "crypto"},
    "tests": {"tests", "tools", "daemon", "blockdev", "crypto"},
}
# Floors within them: folder -> what of the tree it may include, beside itself and what lies in it. A
# folder that is not named here is held by LAYERS alone.
FLOORS = {
    "crypto/base": {"crypto/isa"},
    "crypto/isa": set(),
    "blockdev/device": {"crypto/base"},
    "blockdev/host": {"crypto/base", "crypto/kdf"},
    "blockdev/backing": {"blockdev/device", "blockdev/host", "crypto/base"},
    "blockdev/layers": {"blockdev/device", "crypto"},
    "blockdev/simulate": {"blockdev/device", "blockdev/layers", "crypto"},
    "blockdev/formats": {"blockdev/device", "blockdev/host", "blockdev/layers", "crypto"},
    "daemon/serve": {"blockdev", "crypto"},
    "daemon/fuse": {"daemon/serve", "blockdev", "crypto"},
    "tools/common": {"blockdev", "crypto"},
    "tools/volt": {"tools/common", "blockdev", "crypto"},
    "tools/voltest": {"tools/common", "blockdev", "crypto"},
}
# What knows one volume format by name: the format itself, the list of formats, and the measuring of
# its key derivations.
KNOW_A_FORMAT = r"blockdev/formats/formats\.cc$|tools/voltest/commands/(kdf\.cc|voltest_commands\.h)$|tests/"
# system header prefix -> regular expression of the files that may include it
GUARDED_HEADERS = {
    "fuse": r"daemon/fuse/|tests/(perf|e2e|daemon)/",
    "botan/": r"crypto/(.*/)?botan_\w+\.(cc|h)$|crypto/kdf/|tests/",
    "arm_neon.h": r"crypto/isa/",
    "immintrin.h": r"crypto/isa/",
    "emmintrin.h": r"crypto/isa/",
    "liburing.h": r"blockdev/backing/|tools/voltest/|daemon/serve/|tests/",
    "nlohmann/": r"blockdev/stack/(facts_json|volume_status)\.|tools/|tests/",
    "CLI/": r"blockdev/host/command_line.cc$",
    "fmt/": r"daemon/|tools/|tests/",
    "openssl/": r"tests/",
}
BANNED_CALLS = {
    "strcpy": "use std::string or memcpy with a checked length",
    "strcat": "use std::string",
    "sprintf": "use fmt::format, or snprintf",
    "gets": "use getline",
    "system": "use posix_spawn with an argument list",
    "rand": "use crypto/base/random.h, or a seeded std::mt19937_64",
    "srand": "use crypto/base/random.h, or a seeded std::mt19937_64",
    "atoi": "use std::from_chars and check",
    "strtok": "use std::string_view",
    "alloca": "use a buffer with a bound",
    "usleep": "wait for an event",
}
MAKERS_FEATURES = re.compile(r"\bcpu_(s?sse|aesni|pclmul|avx|v(aes|pclmul)|gfni|sha\b|bmi|neon|armv8)")
# what has one place (outside tests/): pattern -> files that may have it, advice
ONE_PLACE = {
    r"(?<![\w.>:])(::)?close\((?!\))": (
        r"blockdev/host/(file_descriptor\.h|quiet_terminal\.cc)$",
        "blockdev/host/file_descriptor.h owns descriptors"),
    r"mountinfo|/proc/(self/)?mounts": (
        r"blockdev/host/mount_table\.cc$", "blockdev/host/mount_table.h reads the mount table"),
    r"(?<![\w.>])(::)?(v?fork|posix_spawnp?|waitpid|waitid|execv\w*)\(": (
        r"blockdev/host/child\.cc$|daemon/process/launch\.cc$",
        "blockdev/host/child.h starts processes and waits for them"),
}
MAX_LINES = 400
MAX_FUNCTION_LINES = 70
MAX_COLUMNS = 100
SOURCES = {".cc", ".h"}
TEXTS = SOURCES | {".py", ".sh", ".md", ".build", ".txt"}


def strip_comments_and_strings(text):
    """The same number of lines, with comments and literals blanked."""
    pattern = re.compile(
        r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)

    def blank(match):
        return re.sub(r"[^\n]", " ", match.group(0))

    return pattern.sub(blank, text)


def check_floor(name, number, header):
    for floor, allowed in FLOORS.items():
        inside = {floor} | allowed
        if name.startswith(floor + "/") and not any(header.startswith(f + "/") for f in inside):
            yield number, "floors", f"{floor}/ may not include {header}: see docs/design/architecture.md"
    of_format = re.match(r"(blockdev/formats/\w+)/", header)
    if of_format and not name.startswith(of_format.group(1) + "/") and not re.match(KNOW_A_FORMAT, name):
        yield number, "floors", f"only {of_format.group(1)}/ and the list of formats know this header"


def check_includes(name, lines):
    folder = name.split("/")[0]
    for number, line in enumerate(lines, 1):
        match = re.match(r'\s*#\s*include\s+(["<])([^">]+)[">]', line)
        if not match:
            continue
        quote, header = match.groups()
        if quote == '"':
            target = header.split("/")[0]
            if "/" not in header or header.startswith("."):
                yield number, "include", f'"{header}" is not relative to the root of the tree'
            elif folder in LAYERS and target not in LAYERS[folder]:
                yield number, "layers", (
                    f"{folder}/ may not include {target}/: crypto <- blockdev <- daemon, tools")
            else:
                yield from check_floor(name, number, header)
        else:
            for prefix, allowed in GUARDED_HEADERS.items():
                if header.startswith(prefix) and not re.match(allowed, name):
                    yield number, "layers", f"<{header}> may be included only by {allowed}"


def check_code(name, lines):
    for number, line in enumerate(lines, 1):
        if re.search(r"\bgoto\b", line):
            yield number, "goto", "use a function and return"
        for call, advice in BANNED_CALLS.items():
            if call == "system" and name.startswith("tests/"):
                continue  # fixed commands of test programs
            if re.search(rf"(?<![\w.>:]){call}\s*\(|std::{call}\s*\(", line):
                yield number, "banned call", f"{call}: {advice}"
        if re.search(r"\bmemset\s*\([^,]*(key|password|secret|schedule)", line):
            yield number, "banned call", "memset of a secret may be dropped: use secure_wipe"
        if MAKERS_FEATURES.search(line) and not re.match(r"crypto/isa/|.*/cpu_features[._]", name):
            yield number, "feature", "ask by role (crypto/base/cpu_features.h), or name an instruction set's features"
        if re.search(r"\busing\s+namespace\s+std\b", line):
            yield number, "namespace", "no using namespace std"


def check_one_place(name, text):
    if name.startswith("tests/"):
        return
    for number, line in enumerate(text.split("\n"), 1):
        code = re.sub(r"(^|\s)//.*", "", line)
        for pattern, (allowed, advice) in ONE_PLACE.items():
            if re.search(pattern, code) and not re.match(allowed, name):
                yield number, "one place", advice


def check_functions(name, lines):
    """Functions as clang-format lays them out: a body opens at the end of a line whose statement
    starts in column 0 (or one indent inside a class) and closes in that same column."""
    start = None
    for number, line in enumerate(lines, 1):
        if start is None:
            if re.match(r"^( {2})?[A-Za-z_~].*\) ?(const|noexcept|override|final| )*\{$", line) and (
                    not re.match(r"^\s*(namespace|class|struct|enum|union|if|for|while|switch|do|else)\b",
                                 line)) or re.match(r"^\s{4,8}.*\) ?(const|noexcept|override| )*\{$", line):
                indent = len(line) - len(line.lstrip())
                if indent <= 2:
                    start = (number, indent)
        elif re.match(rf"^ {{{start[1]}}}\}}", line):
            length = number - start[0] + 1
            if length > MAX_FUNCTION_LINES:
                yield start[0], "function length", f"{length} lines, at most {MAX_FUNCTION_LINES}"
            start = None


def check_error_texts(text):
    """What an error says ends in something: its number has a place, "{}" (blockdev/host/error_text.h)."""
    for match in re.finditer(r'(?:\bError\{|error_from_errno\(|\binvalid\(|\bwrong\()[^";]*"([^"]*)"', text):
        if re.search(r"(\b(status|signal|with|of|than|by|at)|in bytes|:|=)$", match.group(1)):
            line = text.count("\n", 0, match.start()) + 1
            yield line, "error text", f"'{match.group(1)}' ends in nothing: put {{}} where the number goes"


def check_text(name, text):
    suffix = pathlib.Path(name).suffix
    lines = text.split("\n")
    if suffix in SOURCES | {".py", ".sh"} and len(lines) - 1 > MAX_LINES:
        yield MAX_LINES, "file length", f"{len(lines) - 1} lines, at most {MAX_LINES}: one idea a file"
    for number, line in enumerate(lines, 1):
        if suffix in SOURCES and len(line) > MAX_COLUMNS:
            yield number, "columns", f"{len(line)} columns, at most {MAX_COLUMNS}"
        if "\t" in line and suffix in SOURCES | {".py"}:
            yield number, "tab", "use spaces"
        if line != line.rstrip() and suffix != ".md":
            yield number, "trailing space", "remove it"
        if re.search(r"\b(TODO|FIXME|XXX)\b", line) and name != "tests/lint/tidy_test.py":
            yield number, "unfinished", "do it, or write it down in docs/"
    if suffix in SOURCES:
        bare = strip_comments_and_strings(text).split("\n")
        yield from check_includes(name, lines)
        yield from check_code(name, bare)
        yield from check_functions(name, bare)
        yield from check_one_place(name, text)
        if not name.startswith("tests/"):
            yield from check_error_texts(text)
        if suffix == ".h" and not name.endswith(".inl.h") and "#pragma once" not in text:
            yield 1, "guard", "a header starts with #pragma once"


def check_links(root, name, text):
    for number, line in enumerate(text.split("\n"), 1):
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", line):
            if "://" in target or target.startswith("mailto:"):
                continue
            if not (root / name).parent.joinpath(target).exists():
                yield number, "link", f"{target} does not exist"


def check_built(root, names):
    """Every source file is named in a meson.build."""
    builds = " ".join((root / n).read_text() for n in names if n.endswith("meson.build"))
    for name in names:
        path = pathlib.Path(name)
        if path.suffix != ".cc":
            continue
        stem = re.sub(r"_test$", "", path.stem)
        if not re.search(rf"\b{re.escape(path.stem)}\b|'{re.escape(stem)}'", builds):
            yield name, 1, "dead file", "no meson.build names it"


def tree(root):
    try:
        listed = subprocess.run(
            ["git", "-c", f"safe.directory={root}", "-C", str(root), "ls-files", "-co",
             "--exclude-standard"], check=True, capture_output=True, text=True).stdout.split("\n")
    except (OSError, subprocess.CalledProcessError):
        listed = [str(p.relative_to(root)) for p in root.rglob("*") if p.is_file()]
    return [n for n in listed if n and not n.startswith(("build", ".git/")) and (root / n).is_file()]


def check_tree(root):
    names = tree(root)
    for name in names:
        path = root / name
        if path.suffix not in TEXTS:
            continue
        text = path.read_text(errors="replace")
        for number, rule, advice in check_text(name, text):
            yield name, number, rule, advice
        if path.suffix == ".md":
            for number, rule, advice in check_links(root, name, text):
                yield name, number, rule, advice
    yield from check_built(root, names)


SELF_TESTS = [
    ("crypto/a.cc", '#include "blockdev/b.h"\n', "layers"),
    ("tools/a.cc", '#include "daemon/b.h"\n', "layers"),
    ("blockdev/device/a.cc", '#include "blockdev/formats/format.h"\n', "floors"),
    ("blockdev/formats/luks/a.cc", '#include "blockdev/formats/veracrypt/a.h"\n', "floors"),
    ("daemon/serve/a.cc", '#include "daemon/fuse/a.h"\n', "floors"),
    ("tools/volt/a.cc", '#include "blockdev/formats/veracrypt/a.h"\n', "floors"),
    ("tools/volt/a.cc", '#include "tools/voltest/measure/a.h"\n', "floors"),
    ("blockdev/a.cc", "#include <botan/aes.h>\n", "layers"),
    ("tools/a.cc", "#include <fuse3/fuse.h>\n", "layers"),
    ("crypto/a.cc", '#include "b.h"\n', "include"),
    ("crypto/a.cc", "void f() {\n  goto end;\n}\n", "goto"),
    ("crypto/a.cc", "void f(char* a) {\n  strcpy(a, a);\n}\n", "banned call"),
    ("crypto/a.cc", "void f() {\n  memset(key, 0, 32);\n}\n", "banned call"),
    ("crypto/a.cc", "int x;\n" * 401, "file length"),
    ("crypto/a.cc", "void f() {\n" + "  g();\n" * 70 + "}\n", "function length"),
    ("crypto/a.cc", "//" + "x" * 100 + "\n", "columns"),
    ("crypto/a.h", "int x;\n", "guard"),
    ("crypto/a.cc", "int x; \n", "trailing space"),
    ("docs/a.md", "see [it](missing.md)\n", "link"),
    ("crypto/a.cc", "// TO" + "DO later\n", "unfinished"),
    ("crypto/a.cc", 'Error f() {\n  return Error{x, 0, "failed with status", 3};\n}\n', "error text"),
    ("tools/a.cc", "bool f() {\n  return (cpu_features() & cpu_avx2) != 0;\n}\n", "feature"),
    ("crypto/kdf/a.cc", "#include <immintrin.h>\n", "layers"),
    ("tools/a.cc", "void f() {\n  ::close(fd);\n}\n", "one place"),
    ("tools/a.cc", 'auto a = open_text("/proc/self/mountinfo");\n', "one place"),
    ("tools/a.cc", "void f() {\n  ::waitpid(child, &state, 0);\n}\n", "one place"),
    ("crypto/dead.cc", "int x;\n", "dead file"),
]


def self_test():
    bad = 0
    for name, text, rule in SELF_TESTS:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / name).parent.mkdir(parents=True)
            (root / name).write_text(text)
            found = {r for _, _, r, _ in check_tree(root)}
        if rule not in found:
            print(f"self-test: {rule} was not found in {text[:40]!r}; found {found}")
            bad += 1
    clean = 'void f() {\n  // strcpy( and goto in a comment\n  g("goto rand(");\n}\n'
    wrong = list(check_text("crypto/a.cc", clean))
    if wrong:
        print(f"self-test: clean text gave {wrong}")
        bad += 1
    return bad


def main():
    if sys.argv[1:] == ["--self-test"]:
        return 1 if self_test() else 0
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    findings = list(check_tree(root))
    for name, number, rule, advice in findings:
        print(f"{name}:{number}: {rule}: {advice}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
