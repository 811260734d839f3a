#!/usr/bin/env python3
"""Whether programs are built as Debian hardens its own (hardening=+all).

usage: hardened_binaries.py PROGRAM...

Looks at the files with readelf and objdump: position independent, bound and read-only before main, no
executable stack, stack protector, checked C functions, and branch targets marked where the processor
family has marks.
"""
import platform
import re
import subprocess
import sys


def output_of(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def first_instruction_of_main(program):
    listing = output_of("objdump", "-d", "--disassemble=main", program)
    found = re.search(r"<main>:\n\s*[0-9a-f]+:\t[0-9a-f ]+\t(\S+)", listing)
    return found.group(1) if found else "none (stripped?)"


def problems_of(program):
    header = output_of("readelf", "-hlW", program)
    dynamic = output_of("readelf", "-dW", program)
    imports = output_of("readelf", "--dyn-syms", "-W", program)
    if not re.search(r"Type:\s+DYN", header):
        yield "is not position independent"
    if "GNU_RELRO" not in header:
        yield "has no read-only relocations"
    if not re.search(r"FLAGS.*\b(BIND_NOW|NOW)\b", dynamic):
        yield "does not bind before it runs"
    stack = re.search(r"GNU_STACK.*", header)
    if stack is None or "RWE" in stack.group(0):
        yield "has an executable stack"
    if "__stack_chk_fail" not in imports:
        yield "has no stack protector"
    if not re.search(r"__\w+_chk\b", imports.replace("__stack_chk_fail", "")):
        yield "has no checked C functions"
    marks = {"x86_64": ("endbr64",), "aarch64": ("bti", "paciasp")}.get(platform.machine(), ())
    if marks and first_instruction_of_main(program) not in marks:
        yield "does not mark branch targets: main starts with " + first_instruction_of_main(program)


def main():
    found = [f"{program} {problem}" for program in sys.argv[1:] for problem in problems_of(program)]
    if found:
        sys.exit("\n".join(found))


main()
