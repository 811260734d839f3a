#!/usr/bin/env python3
"""Writes a C++ source with files as constants: embed.py OUT NAME=FILE...  (an empty FILE: nothing)

Each NAME becomes a function of tools/voltest/report/embedded_files.h.
"""
import pathlib
import sys

out, pairs = sys.argv[1], sys.argv[2:]
text = '#include "tools/voltest/report/embedded_files.h"\n\nnamespace volt {\nnamespace {\n\n'
for pair in pairs:
    name, _, path = pair.partition("=")
    data = pathlib.Path(path).read_bytes() if path else b""
    numbers = ",".join(map(str, data + b"\0"))
    text += f"constexpr unsigned char {name}_bytes[] = {{{numbers}}};\n"
text += "\n}  // namespace\n\n"
for pair in pairs:
    name = pair.partition("=")[0]
    text += (
        f"std::string_view {name}() noexcept {{\n"
        f"  return {{reinterpret_cast<const char*>({name}_bytes), sizeof {name}_bytes - 1}};\n}}\n\n")
text += "}  // namespace volt\n"
pathlib.Path(out).write_text(text)
