# SPDX-License-Identifier: Apache-2.0
"""The output of `omen devices --dump`, compiled by clang for real GPUs, for each kernel and some
models: no warnings, no calls that are not inlined, no atomics other than those of the extension
that omen requires, and little private memory, whose size is reported.

    targets.py OMEN MODELS CORPUS

MODELS: a folder of models that always exist; CORPUS: a folder that may be missing. Exit status
77: no clang.
"""
import collections
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile

OMEN, MODELS, CORPUS = sys.argv[1:4]

# (model, property or None): small and large models, with and without weak and terminal parts, and
# one that is compiled in slices. The models of the corpus are beem/NAME/NAME.N.dve.
SMALL = [("mutex.dve", None), ("mutex.dve", "F A.crit"), ("mutex.dve", "!(G F A.crit & G F B.crit)")]
LARGE = [("anderson.4", None), ("at.3", None), ("bopdp.1.prop1", True), ("elevator.1.prop2", True), ("rether.3.prop2", True),
         ("bakery.4", None), ("lamport.1.prop4", True), ("needham.2", None), ("firewire_link.2", None), ("telephony.3", None)]

# Maximum number of registers of a work-item on amdgcn over all kernels: the number at the time of
# writing, plus a tenth. (For nvptx64, clang uses as many virtual registers as it likes; the
# driver allocates the real ones.)
REGISTERS = {"mutex": 77, "anderson.4": 82, "at.3": 170, "bopdp.1.prop1": 132, "elevator.1.prop2": 99, "rether.3.prop2": 181,
             "bakery.4": 66, "lamport.1.prop4": 126, "needham.2": 247, "firewire_link.2": 338, "telephony.3": 170}
# Maximum number of atomics in the text of a program without a model; more would mean duplicated
# loop bodies.
MOST_ATOMICS = 64

# (The shared source has more functions than each kernel needs.)
WARN = ["-x", "cl", "-Xclang", "-finclude-default-header", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function"]
BASE = ["-Xclang", "-cl-ext=+cl_khr_int64_base_atomics"]
# Functions of cl_khr_int64_base_atomics that the library for nvptx64 lacks.
EXTENSION = {"_Z8atom_addPU3AS1Vmm", "_Z12atom_cmpxchgPU3AS1Vmmm"}
CAPABILITIES = {"Addresses", "Linkage", "Kernel", "Int64", "Int64Atomics", "Int16", "Int8"}
LIBRARY = "/usr/lib/clc"

Program = collections.namedtuple("Program", "source options names")


def run(*args, text=None):
    return subprocess.run(args, input=text, capture_output=True, text=True, check=False)


def problem(program, target, what):
    return f"{program.names[0]}: {target}: {what}"


def budget(program):
    """Returns the allowed bytes of private memory of a work-item: a row and its successor, some
    words for each group of transitions, and a margin for the kernel itself. Kernels without a
    model use only registers (except om_k_put on nvptx64)."""
    if "om_gen_" not in program.source:
        return 16
    found = {k: int(v) for k, v in re.findall(r"#define OM_(WORDS|GROUPS) (\d+)", program.source)}
    return 16 * found.get("WORDS", 8) + 16 * found.get("GROUPS", 0) + 64


def registers(program):
    """Returns the maximum number of registers of a work-item that the program's models allow."""
    return max(REGISTERS[name.split(" ")[0].removesuffix(".dve")] for name in program.names)


class Target:
    """Compiles a program for a target; holds its errors and the figures of each kernel."""
    def __init__(self, folder, program):
        self.program, self.folder = program, folder
        self.wrong, self.figures = [], {}
        self.text = os.path.join(folder, "text.cl")
        with open(self.text, "w", encoding="utf-8") as f:
            f.write(program.source)

    def path(self, name):
        return os.path.join(self.folder, name)

    def complain(self, what):
        self.wrong.append(problem(self.program, type(self).__name__, what))

    def clang(self, out, *args):
        done = run("clang", *WARN, *self.program.options.split(), *args, "-o", self.path(out), self.text)
        if done.returncode != 0 or done.stderr:
            self.complain("\n".join(done.stderr.splitlines()[:12]))
            return None
        if not out.endswith(".s"):
            return ""
        with open(self.path(out), encoding="utf-8") as f:
            return f.read()

    def library(self, name):
        path = os.path.join(LIBRARY, name)
        if not os.path.exists(path):
            return None
        return ["-Xclang", "-mlink-builtin-bitcode", "-Xclang", path]


class NVIDIA(Target):
    def check(self):
        library = self.library("nvptx64--nvidiacl.bc")
        if library is None:
            return False
        text = self.clang("out.s", "-target", "nvptx64-unknown-nvidiacl", "-Xclang", "-target-cpu", "-Xclang", "sm_70",
                          "-Xclang", "-target-feature", "-Xclang", "+ptx63", *BASE, "-O3", *library, "-S")
        if text is None:
            return True
        for name in re.findall(r"^\.extern \.func[^\n]*?(\w+)$", text, re.M) + \
                re.findall(r"^\.extern \.func\s+\([^)]*\)\s+(\w+)", text, re.M):
            if name not in EXTENSION:
                self.complain(f"{name} is not inlined")
        for name in re.findall(r"^\.(?:visible|weak) \.func[^\n]*?(\w+)\($", text, re.M):
            self.complain(f"{name} is not inlined")
        for name, body in re.findall(r"^\.visible \.entry (\w+)\((.*?)^}", text, re.M | re.S):
            depot = sum(int(n) for n in re.findall(r"\.local .*__local_depot\d+\[(\d+)\]", body))
            self.figures[name] = {"private": depot}
        return True


class AMD(Target):
    def check(self):
        library = self.library("amdgcn--amdhsa.bc")
        if library is None:
            return False
        text = self.clang("out.s", "-target", "amdgcn--amdhsa", "-mcpu=gfx90a", "-nogpulib", "-O3", *library, "-S")
        if text is None:
            return True
        if "s_swappc" in text:
            self.complain("a call is not inlined")
        atomics = len(re.findall(r"^\s+(?:global|flat)_atomic_", text, re.M))
        if atomics > MOST_ATOMICS and "om_gen_" not in self.program.source:
            self.complain(f"{atomics} atomics, more than {MOST_ATOMICS}")
        for block in text[text.index("amdhsa.kernels:"):].split("  - .args:")[1:]:
            figure = dict(re.findall(r"^    \.(\w+):\s+(\S+)$", block, re.M))
            self.figures[figure["name"]] = {"private": int(figure["private_segment_fixed_size"]),
                                            "registers": int(figure["vgpr_count"]),
                                            "spilt": int(figure["vgpr_spill_count"]),
                                            "local": int(figure["group_segment_fixed_size"])}
        return True


class SPIRV(Target):
    def check(self):
        if shutil.which("llvm-spirv-14") is None or shutil.which("spirv-val") is None:
            return False
        # Unoptimised: the translator does not support all output of clang's passes.
        if self.clang("out.bc", "-target", "spir64-unknown-unknown", "-O0", "-emit-llvm", "-c") is None:
            return True
        for args in (("llvm-spirv-14", self.path("out.bc"), "-o", self.path("out.spv")), ("spirv-val", self.path("out.spv"))):
            done = run(*args)
            if done.returncode != 0:
                self.complain(f"{args[0]}: {done.stderr[:500]}")
                return True
        text = run("llvm-spirv-14", "-to-text", self.path("out.spv"), "-o", "-").stdout
        for name in re.findall(r"^\d+ Capability (\w+)", text, re.M):
            if name not in CAPABILITIES:
                self.complain(f"it needs the capability {name}")
        wide = set(re.findall(r"^\d+ TypeInt (\d+) 64 ", text, re.M))
        for kind, of in re.findall(r"^\d+ (Atomic\w+) (\d+)", text, re.M):
            if of in wide and kind not in ("AtomicIAdd", "AtomicISub", "AtomicExchange", "AtomicCompareExchange"):
                self.complain(f"{kind} of 64 bits is not of cl_khr_int64_base_atomics")
        return True


def dump(folder, model, formula):
    """Yields the programs of a model for a GPU."""
    args = [OMEN, "devices", "--dump", folder, model]
    args += [] if formula is None else ["--property", "LTL_property"] if formula is True else ["--ltl", formula]
    done = run(*args)
    if done.returncode != 0:
        sys.exit(f"{' '.join(args)}: status {done.returncode}\n{done.stderr}")
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".cl"):
            continue
        with open(os.path.join(folder, name), encoding="utf-8") as f:
            source = f.read()
        with open(os.path.join(folder, name[:-2] + "options"), encoding="utf-8") as f:
            yield source, f.read().strip(), f"{os.path.basename(model)} {name[:-3]}"


def programs(folder):
    models = [(os.path.join(MODELS, name), formula) for name, formula in SMALL]
    for name, formula in LARGE:
        path = os.path.join(CORPUS, "beem", name.split(".")[0], name + ".dve")
        if os.path.exists(path):
            models.append((path, formula))
        else:
            print(f"{path} is not there: left out")
    found = {}
    for number, (model, formula) in enumerate(models):
        for source, options, name in dump(os.path.join(folder, f"dump{number}"), model, formula):
            found.setdefault((source, options), []).append(name)
    return [Program(source, options, names) for (source, options), names in found.items()]


def compile_for(job):
    kind, program, number, folder = job
    own = os.path.join(folder, f"{kind.__name__}{number}")
    os.mkdir(own)
    target = kind(own, program)
    return target, target.check()


def main():
    if shutil.which("clang") is None:
        print("there is no clang")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        every = programs(folder)
        jobs = [(kind, p, i, folder) for i, p in enumerate(every) for kind in (NVIDIA, AMD, SPIRV)]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            results = list(pool.map(compile_for, jobs))
    wrong, done, private = [], collections.Counter(), 0
    for target, there in results:
        kind = type(target).__name__
        done[kind] += there
        wrong += target.wrong
        for kernel, figure in target.figures.items():
            private += 1
            print(f"{target.program.names[0]} {kernel} {kind}: " + ", ".join(f"{v} {k}" for k, v in figure.items()))
            if figure["private"] > budget(target.program):
                wrong.append(problem(target.program, kind, f"{kernel} has {figure['private']} bytes of private memory, "
                                                           f"more than {budget(target.program)}"))
            if figure.get("registers", 0) > registers(target.program):
                wrong.append(problem(target.program, kind, f"{kernel} has {figure['registers']} registers, "
                                                           f"more than {registers(target.program)}"))
    for line in wrong:
        print(line)
    print(f"{len(every)} programs; compiled for " + ", ".join(f"{k}: {n}" for k, n in done.items()))
    if not wrong and (len(every) < 4 or private == 0):
        print("nothing was measured")
        return 77 if private == 0 else 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
