#!/usr/bin/env python3
"""Follows secrets through the machine code of kernels that memcheck cannot run.

valgrind knows neither VAES nor AVX-512 nor GFNI. For kernels built on these, this follows each
function's data flow over all its paths. Public are: the arguments (pointers, counts, numbers of
units), constants, and integers saved on the stack. Secret is whatever comes out of other memory, and
all that is computed from secrets. A finding is: an address, a branch or a division that a secret has
a part in.

What it does not see: a secret handed to another function in an integer register, and a saved integer
overwritten through a computed address.

usage: constant_time_disassembly.py LIBRARY...
       constant_time_disassembly.py --self-test     shows that every rule can fail
Exits 77 without objdump.
"""
import re
import shutil
import subprocess
import sys

VECTOR = re.compile(r"%([xyz]mm)(\d+)")
MEMORY = re.compile(r"^(%[d-g]s:)?(-?(?:0x[0-9a-f]+)?)\(?([^()]*)\)?$")
STACK = {"rsp", "rbp"}
WIDTHS = {"xmm": 16, "ymm": 32, "zmm": 64}
CALLER_SAVED = {"rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11"}
INTEGERS = CALLER_SAVED | {"rbx", "rsp", "rbp", "r12", "r13", "r14", "r15"}
ALL_VECTORS = {f"v{i}" for i in range(32)}
ALL_MASKS = {f"%k{i}" for i in range(8)}
DECIDES = re.compile(r"v?ptest|vtestp|v?u?comis|kortest|ktest")
KEEPS_OLD = re.compile(r"vpternlog|vfn?m|vpermi2|vpermt2|vpdp|vpsh[lr]dv|mov[hl]p|movs[sd]$")
NO_FLAGS = re.compile(r"v|mov|cmov|lea|push|pop|set|not|nop|endbr|call|j|ret|p|aes|k|bswap|c[lqw]t|sha"
                      r"|rorx|shlx|shrx|sarx|mulx|leave|xchg|ud2")


def integer_name(text):
    """"eax", "al", "r8d" ... -> "rax", "r8"; None for others."""
    name = text.lstrip("%")
    match = re.fullmatch(r"r(\d+)[dwb]?", name)
    if match:
        return f"r{match.group(1)}"
    match = re.fullmatch(r"[re]?([abcd])x|([abcd])[lh]", name)
    if match:
        return f"r{match.group(1) or match.group(2)}x"
    match = re.fullmatch(r"[re]?(si|di|bp|sp)l?", name)
    return f"r{match.group(1)}" if match else None


def operands(text):
    """AT&T operands, sources first, the destination last."""
    return [part.strip() for part in re.split(r",(?![^(]*\))", text) if part.strip()]


class Memory:
    """An operand in memory: its address registers and, on the stack without an index, its place."""

    def __init__(self, text):
        segment, displacement, inside = MEMORY.match(text.lstrip("*")).groups()
        parts = [part.strip() for part in inside.split(",") if part.strip().startswith("%")]
        self.registers = [part.lstrip("%") for part in parts]
        self.public = segment == "%fs:" or "rip" in self.registers or not parts
        self.slot = None
        if len(parts) == 1 and self.registers[0] in STACK:
            self.slot = (self.registers[0], int(displacement or "0", 16))


class Flow:
    """What is public before an instruction: names of registers, "flags", stack slots."""

    def __init__(self, clobbers):
        self.clobbers = clobbers  # address of a function of this section: vectors that it writes

    def is_public(self, operand, public):
        if operand.startswith("$") or operand.startswith("{"):
            return True
        if operand.startswith("%") and not operand.startswith("%fs"):
            vector = VECTOR.match(operand)
            name = "v" + vector.group(2) if vector else integer_name(operand.split("{")[0])
            return (name or operand.split("{")[0]) in public
        memory = Memory(operand.split("{")[0])
        return memory.public or memory.slot in public

    def write(self, operand, value_public, public):
        """`public` after the destination got its value."""
        operand = operand.split("{")[0]
        vector = VECTOR.fullmatch(operand)
        if vector:
            name = "v" + vector.group(2)
        elif operand.startswith("%"):
            name = integer_name(operand) or operand
        else:
            name = Memory(operand).slot
            if name is None:
                return public
        return public | {name} if value_public else public - {name}

    def step(self, mnemonic, ops, target, public):
        """(public after the instruction, what is wrong or None)."""
        wrong = None
        for op in ops:
            if "(" not in op or mnemonic.startswith(("nop", "lea")):
                continue
            for register in Memory(op.split("{")[0]).registers:
                vector = re.fullmatch(r"[xyz]mm(\d+)", register)
                name = "v" + vector.group(1) if vector else integer_name(register)
                if register not in ("rip", "riz") and name not in public:
                    wrong = f"address from a secret (%{register})"
        if mnemonic.startswith("j") and mnemonic != "jmp" and "flags" not in public:
            wrong = "branch on a secret"
        if mnemonic == "jmp" and ops and ops[0].startswith("*"):
            wrong = "computed jump"
        if "div" in mnemonic and not mnemonic.startswith("v"):
            if not all(self.is_public(op, public) for op in ops):
                wrong = "division of a secret"
        if mnemonic.startswith("call"):
            # Where the compiler knows the callee, it keeps values in vectors that this leaves alone.
            lost = self.clobbers.get(target, ALL_VECTORS)
            return (public - lost - ALL_MASKS) | CALLER_SAVED, wrong
        return self.effect(mnemonic, ops, public), wrong

    def effect(self, mnemonic, ops, public):
        if mnemonic.startswith("vzero") or not ops or mnemonic.startswith(("nop", "j", "ret")):
            return public
        if mnemonic.startswith("xchg") and len(set(ops)) == 1:  # a no-operation of two bytes
            return public
        if mnemonic.startswith("xchg"):
            return {name for name in public if name not in map(integer_name, ops)}
        sources = ops[:-1]
        same = len(ops) > 1 and len(set(ops)) == 1
        zero = same and re.match(r"v?p?xor|sub$", mnemonic)
        moves = mnemonic.startswith(("mov", "lea", "vmov", "vpbroadcast", "kmov", "pop", "set"))
        if DECIDES.match(mnemonic):
            return self.flags(all(self.is_public(op, public) for op in ops), public)
        if VECTOR.match(ops[-1]):
            # Of the old value something stays where a mask merges, and in two-operand code.
            keeps = "{%k" in ops[-1] or KEEPS_OLD.match(mnemonic) or not moves and mnemonic[0] != "v"
            mask = re.search(r"\{(%k\d)\}", ops[-1])
            read = sources + ([ops[-1]] if keeps else []) + ([mask.group(1)] if mask else [])
            clean = zero or all(self.is_public(op, public) for op in read)
            return self.write(ops[-1], bool(clean), public)
        if any(VECTOR.search(op) for op in ops) and "(" in ops[-1]:
            return self.vector_store(ops, public)
        read = sources if moves and len(ops) > 1 else ops
        clean = bool(zero) or all(self.is_public(op, public) for op in read)
        if mnemonic.startswith("lea"):
            clean = all((integer_name(register) or "") in public or register == "rip"
                        for register in Memory(ops[0]).registers)
        if mnemonic.startswith("pop"):
            clean = True
        if re.match(r"cmov|set|adc|sbb|rc[lr]", mnemonic):
            clean = "flags" in public and clean or mnemonic.startswith("set") and "flags" in public
        if not NO_FLAGS.match(mnemonic):
            public = self.flags(clean, public)
        if mnemonic.startswith(("cmp", "test", "bt", "push")):
            return public
        if re.fullmatch(r"i?mul[lq]?|i?div[lq]?", mnemonic) and len(ops) == 1:
            return public | {"rax", "rdx"} if clean else public - {"rax", "rdx"}
        return self.write(ops[-1], clean, public)

    @staticmethod
    def flags(clean, public):
        return public | {"flags"} if clean else public - {"flags"}

    @staticmethod
    def vector_store(ops, public):
        slot = Memory(ops[-1].split("{")[0]).slot
        if slot is None:
            return public
        width = max(WIDTHS[match[0]] for op in ops for match in VECTOR.findall(op))
        return {name for name in public
                if not (isinstance(name, tuple) and name[0] == slot[0]
                        and slot[1] - 7 <= name[1] < slot[1] + width)}


def parse(line):
    """(address, mnemonic, operands, jump target) of a line of objdump, or None."""
    match = re.match(r"\s*([0-9a-f]+):\s+(.*)$", line)
    if not match:
        return None
    text = match.group(2).split("#")[0]
    target = re.search(r"\b([0-9a-f]+) <", text)
    text = text.split("<")[0].strip()
    words = text.split(None, 1)
    while words and words[0] in ("lock", "rep", "repz", "repnz", "bnd", "notrack", "cs", "data16",
                                 "ds"):
        words = words[1].split(None, 1) if len(words) > 1 else []
    if not words:
        return None
    return (int(match.group(1), 16), words[0], operands(words[1]) if len(words) > 1 else [],
            int(target.group(1), 16) if target else None)


def vectors_written(code):
    """Vector registers that a function may change, all if it calls another."""
    if any(parsed[1].startswith("call") for _, parsed in code):
        return ALL_VECTORS
    names = (VECTOR.match(parsed[2][-1]) for _, parsed in code if parsed[2])
    return {"v" + name.group(2) for name in names if name}


def check_function(code, clobbers):
    """Findings of one function: (line, what)."""
    at = {parsed[0]: i for i, (_, parsed) in enumerate(code)}
    before = [None] * len(code)
    found = {}
    flow = Flow(clobbers)
    pending = [(0, frozenset(INTEGERS | {"flags"}))] if code else []
    while pending:
        i, public = pending.pop()
        if before[i] is not None:
            public = public & before[i]
            if public == before[i]:
                continue
        before[i] = public
        line, (_, mnemonic, ops, target) = code[i]
        after, wrong = flow.step(mnemonic, ops, target, set(public))
        if wrong:
            found[i] = (line.strip(), wrong)
        after = frozenset(after)
        if mnemonic.startswith("j") and target in at:
            pending.append((at[target], after))
        if not mnemonic.startswith(("ret", "jmp", "ud2")) and i + 1 < len(code):
            pending.append((i + 1, after))
    return [found[i] for i in sorted(found)]


def check(disassembly):
    """Findings as (function, line, what), and the number of instructions."""
    sections = [[]]
    for line in disassembly.splitlines():
        label = re.match(r"^([0-9a-f]+) <(.*)>:$", line)
        if line.startswith("Disassembly of section"):
            sections.append([])
        elif label:
            sections[-1].append((int(label.group(1), 16), label.group(2), []))
        elif sections[-1] and (parsed := parse(line)):
            sections[-1][-1][2].append((line, parsed))
    found, count = [], 0
    for functions in sections:
        clobbers = {address: vectors_written(code) for address, _, code in functions}
        for _, name, code in functions:
            found += [(name, *finding) for finding in check_function(code, clobbers)]
            count += len(code)
    return found, count


# Short functions; those in BAD must each be reported.
BAD = [
    ["vmovq %xmm0,%rax", "mov (%rsi,%rax,1),%ecx"],
    ["mov (%rdi),%rax", "mov (%rsi,%rax,8),%rcx"],
    ["movzbl (%rdi),%eax", "cmp $0x17,%al", "jne 0 <f>"],
    ["cmpb $0x0,(%rdi)", "je 0 <f>"],
    ["vptest %ymm1,%ymm1", "je 0 <f>"],
    ["kortestb %k1,%k1", "jb 0 <f>"],
    ["vpmovmskb %ymm2,%eax", "test %eax,%eax", "jne 0 <f>"],
    ["vpgatherdd %ymm1,(%rdi,%ymm2,4),%ymm3"],
    ["vmovdqa %ymm0,0x20(%rsp)", "mov 0x28(%rsp),%rax", "mov (%rax),%ecx"],
    ["mov (%rdi),%eax", "mov %rax,0x8(%rsp)", "mov 0x8(%rsp),%rbx", "lea (%rbx,%rbx,2),%rcx",
     "mov (%rcx),%edx"],
    ["mov (%rdi),%eax", "mov $0x5,%ecx", "div %eax"],
    ["mov (%rdi),%eax", "xor %edx,%edx", "add %rax,%rdx", "jmp *%rdx"],
    ["vpxor %ymm1,%ymm2,%ymm3", "vmovd %xmm3,%eax", "mov (%rsi,%rax,1),%ecx"],
    ["vmovdqa 0x0(%rip),%ymm1", "vpternlogd $0x96,%ymm1,%ymm1,%ymm2", "vmovd %xmm2,%eax",
     "mov (%rsi,%rax,1),%ecx"],
    ["vmovdqa 0x0(%rip),%ymm1", "vpaddd %ymm1,%ymm1,%ymm2{%k1}", "vmovd %xmm2,%eax",
     "mov (%rsi,%rax,1),%ecx"],
    ["movdqa 0x0(%rip),%xmm1", "paddd %xmm1,%xmm2", "movd %xmm2,%eax", "mov (%rsi,%rax,1),%ecx"],
    ["mov (%rsi,%rbx,1),%ecx", "add (%rdi),%rbx", "dec %rdx", "jne 0 <f>"],  # in the second turn
]
GOOD = [
    ["vaesenc %zmm9,%zmm7,%zmm7", "vmovdqu64 (%rdi,%rax,1),%zmm0", "vmovdqa %ymm14,0x140(%rsp)",
     "vpxor 0x120(%rsp),%ymm8,%ymm5", "dec %rax", "jne 0 <f>", "ret"],
    ["mov %rdi,0x38(%rsp)", "vmovdqa %ymm1,0x40(%rsp)", "mov 0x38(%rsp),%rdi", "mov (%rdi),%eax"],
    ["mov 0x4(%rdi),%eax", "vpbroadcastd %eax,%ymm1", "xor %eax,%eax", "test %eax,%eax",
     "je 0 <f>"],
    ["vmovq %rdi,%xmm19", "vmovq %xmm19,%rax", "mov (%rax),%ecx"],
    ["vmovdqa 0x0(%rip),%ymm1", "vpsrad $0x3,%ymm1,%ymm2", "vpextrq $0x1,%xmm2,%rax",
     "vmovq (%rsi,%rax,8),%xmm3"],
    ["mov %rdi,%rax", "xchg %ax,%ax", "mov (%rax),%ecx"],
    ["mov %fs:0x28,%rax", "sub %fs:0x28,%rax", "jne 0 <f>"],
    ["mov (%rdi),%eax", "rol $0x7,%eax", "mov %eax,(%rsi)", "cmp $0x8,%r15", "jb 0 <f>"],
]


def as_disassembly(instructions):
    return "\n".join(["0 <f>:"] + [f"  {i:x}:\t{text}" for i, text in enumerate(instructions)])


def self_test():
    wrong = 0
    for function in BAD:
        if not check(as_disassembly(function))[0]:
            wrong += 1
            print("not reported:", *function, sep="\n  ")
    for function in GOOD:
        for finding in check(as_disassembly(function))[0]:
            wrong += 1
            print("wrongly reported:", finding)
    print(f"{len(BAD)} leaking and {len(GOOD)} harmless functions, {wrong} judged wrongly")
    return 1 if wrong else 0


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    if shutil.which("objdump") is None:
        print("constant_time_disassembly: no objdump (package binutils)")
        return 77
    bad = 0
    for library in arguments:
        text = subprocess.run(["objdump", "-d", "-C", "--no-show-raw-insn", library],
                              capture_output=True, text=True, check=True).stdout
        found, instructions = check(text)
        print(f"{library.rsplit('/', 1)[-1]}: {instructions} instructions, {len(found)} findings")
        for function, line, what in found[:20]:
            print(f"  {function[-60:]}: {line}: {what}")
        bad += bool(found) or instructions == 0
    return 1 if bad or not arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
