# SPDX-License-Identifier: Apache-2.0
"""Generates models of any size, one family for each element of which a model can have many.

A family is a function of n that returns the text of a model with about n elements. The text grows
linearly with n. In most families, the reachable states stay few or are never searched, so the time
of a command is the time of the passes before its search; the others (FORMS) are for the search.

    generate.py FAMILY N [FILE]      writes the model (standard output without FILE)
    generate.py --list               lists the families and the suffixes of their files
"""
import sys


# ---- DVE ----


def dve_locations(n):
    """One process with n locations and 2n transitions, without any data."""
    states = ", ".join(f"s{i}" for i in range(n))
    trans = ",\n".join(f" s{i} -> s{(2 * i + 1) % n} {{}},\n s{i} -> s{(3 * i + 2) % n} {{}}" for i in range(n))
    return f"process P {{\nstate {states};\ninit s0;\ntrans\n{trans};\n}}\nsystem async;\n"


def dve_ring(n):
    """One process with n locations in a ring; its variable is set in one and read half a ring later."""
    states = ", ".join(f"s{i}" for i in range(n))

    def body(i):
        if i == 0:
            return "effect x = 1;"
        return "guard x == 1; effect y = 1 - y;" if i == n // 2 else ""

    trans = ",\n".join(f" s{i} -> s{(i + 1) % n} {{ {body(i)} }}" for i in range(n))
    return f"process P {{\nbyte x, y;\nstate {states};\ninit s0;\ntrans\n{trans};\n}}\nsystem async;\n"


def dve_committed(n):
    """A process with a ring of n committed states, and a process with a ring of n ordinary states."""
    states = ", ".join(f"s{i}" for i in range(n))
    trans = ",\n".join(f"s{i} -> s{(i + 1) % n} {{}}" for i in range(n))
    return (f"process P {{ state {states}; commit {states}; init s0; trans\n{trans}; }}\n"
            f"process Q {{ state {states}; init s0; trans\n{trans}; }}\nsystem async;\n")


def dve_guarded(n):
    """n transitions that read and write a local and a global variable between n / 2 locations."""
    k = max(2, n // 2)
    states = ", ".join(f"s{i}" for i in range(k))
    trans = ",\n".join(
        f" s{i} -> s{(i + 1) % k} {{ guard g == {i % 7}; effect x = {i % 5}; }},\n"
        f" s{i} -> s{(i * 3 + 1) % k} {{ guard x < {i % 6}; effect g = (g + 1) % 7, x = x + 1; }}"
        for i in range(k))
    other = "process Q {\nstate a;\ninit a;\ntrans a -> a { guard P.x == 3; effect g = 0; };\n}\n"
    return f"byte g;\nprocess P {{\nbyte x;\nstate {states};\ninit s0;\ntrans\n{trans};\n}}\n{other}system async;\n"


def dve_processes(n):
    """n processes with two locations and a variable each; all except the first wait forever."""
    text = ["byte go;\n"]
    for i in range(n):
        guard = "go == 0" if i == 0 else f"go == {1 + i % 200}"
        text.append(f"process P{i} {{ byte x; state a, b; init a; trans a -> b {{ guard {guard}; effect x = 1; }}, "
                    f"b -> a {{ guard x == 1; effect x = 0; }}; }}\n")
    return "".join(text) + "system async;\n"


def dve_globals(n):
    """n global variables, each written by one of n transitions of one process."""
    variables = "".join(f"byte v{i};\n" for i in range(n))
    trans = ",\n".join(f" a -> a {{ guard v{i} == 1; effect v{(i + 1) % n} = 1, v{i} = 0; }}" for i in range(n))
    return f"{variables}process P {{\nstate a;\ninit a;\ntrans\n{trans};\n}}\nsystem async;\n"


def dve_locals(n):
    """One process with n local variables, each of which is live in two of n locations."""
    variables = "".join(f"byte v{i};\n" for i in range(n))
    states = ", ".join(f"s{i}" for i in range(n))
    trans = ",\n".join(f" s{i} -> s{(i + 1) % n} {{ guard v{i} == 0; effect v{(i + 1) % n} = 0; }}" for i in range(n))
    return f"process P {{\n{variables}state {states};\ninit s0;\ntrans\n{trans};\n}}\nsystem async;\n"


def dve_channels(n):
    """n channels, each with one sender and one receiver; two processes with n transitions."""
    channels = "".join(f"channel {{byte}} c{i}[0];\n" for i in range(n))
    send = ",\n".join(f" a -> a {{ sync c{i}!{i % 9}; }}" for i in range(n))
    receive = ",\n".join(f" a -> a {{ sync c{i}?x; }}" for i in range(n))
    return (f"{channels}process P {{ state a; init a; trans\n{send};\n}}\n"
            f"process Q {{ byte x; state a; init a; trans\n{receive};\n}}\nsystem async;\n")


def dve_queues(n):
    """n buffered channels that one process fills and another empties."""
    channels = "".join(f"channel {{byte}} c{i}[1];\n" for i in range(n))
    send = ",\n".join(f" s{i} -> s{(i + 1) % n} {{ sync c{i}!1; }}" for i in range(n))
    receive = ",\n".join(f" s{i} -> s{(i + 1) % n} {{ sync c{i}?x; }}" for i in range(n))
    states = ", ".join(f"s{i}" for i in range(n))
    return (f"{channels}process P {{ state {states}; init s0; trans\n{send};\n}}\n"
            f"process Q {{ byte x; state {states}; init s0; trans\n{receive};\n}}\nsystem async;\n")


def dve_effects(n):
    """One transition with n assignments to n variables."""
    variables = "".join(f"byte v{i};\n" for i in range(n))
    effects = ", ".join(f"v{i} = 1 - v{i}" for i in range(n))
    return f"{variables}process P {{ state a; init a; trans a -> a {{ effect {effects}; }}; }}\nsystem async;\n"


def dve_conjuncts(n):
    """n / 500 transitions whose guards have 500 conjuncts each."""
    k = max(1, n // 500)
    variables = "".join(f"byte v{i};\n" for i in range(500))
    guard = " && ".join(f"v{i} == 0" for i in range(499))
    trans = ",\n".join(f" a -> a {{ guard {guard} && v{i % 500} < {1 + i // 500}; effect v{i % 500} = 0; }}" for i in range(k))
    return f"{variables}process P {{ state a; init a; trans\n{trans};\n}}\nsystem async;\n"


def dve_asserts(n):
    """n assertions on one variable of a process with n locations."""
    states = ", ".join(f"s{i}" for i in range(n))
    asserts = ",\n".join(f" s{i}: x <= {i % 100 + 1}" for i in range(n))
    trans = ",\n".join(f" s{i} -> s{(i + 1) % n} {{ effect x = {i % 2}; }}" for i in range(n))
    return (f"process P {{\nbyte x;\nstate {states};\ninit s0;\nassert\n{asserts};\ntrans\n{trans};\n}}\n"
            "system async;\n")


def dve_nodes(n):
    """n processes that pass marks through an array, each to the next."""
    node = "".join(f"process P{i} {{ byte x; state a, b; init a; trans a -> b {{ guard m[{i}] > 0; effect m[{i}] = m[{i}] - 1, "
                   f"x = (x + 1) % 3; }}, b -> a {{ effect m[{(i + 1) % n}] = m[{(i + 1) % n}] + 1; }}; }}\n" for i in range(n))
    return f"byte m[{n}] = {{{', '.join(str(int(i % 4 == 0)) for i in range(n))}}};\n{node}system async;\n"


# ---- Promela ----


def _loops(options, declarations=""):
    """One process with the options in loops of 100, one loop after the other."""
    loops = "".join("  do\n" + "\n".join(options[i:i + 100]) + "\n  :: g == 3 -> break\n  od;\n"
                    for i in range(0, len(options), 100))
    return f"byte g;\n{declarations}active proctype P() {{\n  byte x;\n{loops}  g = 1\n}}\n"


def pml_statements(n):
    """One process with n statements in a loop."""
    body = "\n".join(f"  x = {i % 2}; g == 0;" for i in range(max(1, n // 2)))
    return f"byte g;\nactive proctype P() {{\n  bit x;\n  do\n  ::\n{body}\n  od\n}}\n"


def pml_options(n):
    """Loops with n options in total."""
    return _loops([f"  :: x == {i % 250} -> x = {(i + 1) % 250}" for i in range(n)])


def pml_proctypes(n):
    """n / 250 statements in each of 250 proctypes with one instance."""
    body = "; ".join(f"x = {i % 2}; g == {i % 3}" for i in range(max(1, n // 500)))
    return "byte g;\n" + "".join(f"active proctype P{i}() {{ byte x; {body} }}\n" for i in range(250))


def pml_instances(n):
    """200 instances of one proctype with n / 200 statements."""
    body = "; ".join(f"x = {i % 2}; g == {i % 3}" for i in range(max(1, n // 400)))
    return f"byte g;\nactive [200] proctype P() {{ byte x; {body} }}\n"


def pml_globals(n):
    """n global variables and n statements that use them."""
    variables = "".join(f"byte v{i};\n" for i in range(n))
    return _loops([f"  :: v{i} == 1 -> v{(i + 1) % n} = 1" for i in range(n)], variables)


def pml_locals(n):
    """n local variables of one process and n statements that use them."""
    variables = "".join(f"  byte v{i};\n" for i in range(n))
    body = ";\n".join(f"  v{i} == 0; v{(i + 1) % n} = 1; v{(i + 1) % n} = 0" for i in range(n))
    return f"byte g;\nactive proctype P() {{\n{variables}  do :: g == 0 ->\n{body}\n  od\n}}\n"


def pml_channels(n):
    """200 channels, filled and emptied by n statements."""
    k = min(n, 200)
    channels = "".join(f"chan c{i} = [1] of {{ byte }};\n" for i in range(k))
    return _loops([f"  :: c{i % k}!1 -> c{i % k}?x" for i in range(n)], channels)


def pml_handshakes(n):
    """200 rendezvous channels, each with n / 200 senders and one receiver."""
    k = min(n, 200)
    channels = "".join(f"chan c{i} = [0] of {{ byte }};\n" for i in range(k))
    receive = "\n".join(f"  :: c{i}?x" for i in range(k))
    return (_loops([f"  :: c{i % k}!{i % 7}" for i in range(n)], channels) +
            f"active proctype Q() {{\n  byte x;\n  do\n{receive}\n  od\n}}\n")


def pml_labels(n):
    """n labels and a goto from each to another."""
    body = "\n".join(f"L{i}: if :: g == {i % 3} -> goto L{(2 * i + 1) % n} :: else -> goto L{(i + 1) % n} fi;" for i in range(n))
    return f"byte g;\nactive proctype P() {{\n{body}\n  skip\n}}\n"


def pml_macros(n):
    """n macros, each used once."""
    macros = "".join(f"#define M{i}(a) (a + {i % 5})\n" for i in range(n))
    return macros + _loops([f"  :: x == {i % 250} -> x = M{i}(x) % 200" for i in range(n)])


def pml_inlines(n):
    """n calls of one inline."""
    body = "\n".join("  step(x);" for i in range(n))
    return f"byte g;\ninline step(a) {{ g == 0; a = 1 - a }}\nactive proctype P() {{\n  bit x;\n  do\n  ::\n{body}\n  od\n}}\n"


def pml_dsteps(n):
    """n / 10 blocks of 10 statements each in d_step."""
    block = "d_step { " + "; ".join("x = 1 - x" for _ in range(10)) + " };"
    body = "\n".join(f"  g == 0; {block}" for _ in range(max(1, n // 10)))
    return f"byte g;\nactive proctype P() {{\n  bit x;\n  do\n  ::\n{body}\n  od\n}}\n"


def pml_atomics(n):
    """n / 10 blocks of 10 statements each in atomic."""
    block = "atomic { " + "; ".join("g == 0; x = 1 - x" for _ in range(5)) + " };"
    body = "\n".join(f"  g == 0; {block}" for _ in range(max(1, n // 10)))
    return f"byte g;\nactive proctype P() {{\n  bit x;\n  do\n  ::\n{body}\n  od\n}}\n"


def pml_mtypes(n):
    """At most 250 message types, and n comparisons with them."""
    k = min(n, 250)
    names = ", ".join(f"m{i}" for i in range(k))
    return f"mtype = {{ {names} }};\n" + _loops([f"  :: x == m{i % k} -> x = m{(i + 1) % k}" for i in range(n)])


def _node(parameters, own, send, receive):
    """A node of a ring in which the highest number goes round once."""
    return (f"proctype node({parameters}) {{\n  byte {own}nr;\n  {send}!me;\n  do\n  :: {receive}?nr ->\n"
            f"    if :: nr > me -> {send}!nr :: nr < me -> skip :: else -> leaders++; break fi\n  od\n}}\n")


def pml_static_ring(n):
    """n nodes that are active from the beginning and find their channels by their numbers."""
    node = _node("", f"me = (_pid * 3) % {n} + 1, ", f"q[(_pid + 1) % {n}]", "q[_pid]")
    return f"chan q[{n}] = [2] of {{ byte }};\nbyte leaders;\nactive [{n}] {node}"


def pml_dynamic_ring(n):
    """n nodes that a process starts, with their channels as parameters."""
    node = _node("chan inp, out; byte me", "", "out", "inp")
    return (f"chan q[{n}] = [2] of {{ byte }};\nbyte leaders;\n{node}init {{\n  byte i;\n  atomic {{\n    do\n"
            f"    :: i < {n} -> run node(q[i], q[(i + 1) % {n}], (i * 3) % {n} + 1); i++\n    :: else -> break\n    od\n  }}\n}}\n")


def pml_calls(n):
    """A process that starts itself, n deep, and waits for each result."""
    return ("proctype f(short n; chan up) {\n  chan down = [1] of { short };\n  short v;\n"
            "  if\n  :: n == 0 -> skip\n  :: else -> run f(n - 1, down); down?v; v++\n  fi;\n  up!v\n}\n"
            f"init {{\n  chan c = [1] of {{ short }};\n  short v;\n  run f({n}, c); c?v; assert(v == {n})\n}}\n")


def pml_elements(n):
    """Two processes that step through an array of n elements."""
    return (f"byte a[{n}];\nactive [2] proctype P() {{\n  short i;\n  do\n"
            f"  :: a[i] < 3 -> a[i] = a[i] + 1; i = (i + _pid + 1) % {n}\n  :: a[i] == 3 -> a[i] = 0\n  od\n}}\n")


# ---- PNML ----


def _pnml(body):
    return ('<?xml version="1.0"?>\n<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">'
            '<net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">\n'
            f'{body}</page></net></pnml>\n')


def _place(i, tokens=0):
    marking = f"<initialMarking><text>{tokens}</text></initialMarking>" if tokens else ""
    return f'<place id="p{i}">{marking}</place>\n'


def _arc(source, target):
    return f'<arc id="a{source}{target}" source="{source}" target="{target}"/>\n'


def pnml_ring(n):
    """A token that moves around a ring of n places."""
    return _pnml("".join(
        _place(i, int(i == 0)) + f'<transition id="t{i}"/>\n' + _arc(f"p{i}", f"t{i}") + _arc(f"t{i}", f"p{(i + 1) % n}")
        for i in range(n)))


def pnml_cycles(n):
    """n / 2 tokens that move between two places each, if a shared place allows it."""
    k = max(1, n // 2)
    text = [_place("s")]
    for i in range(k):
        text += [_place(f"{i}x", 1), _place(f"{i}y"), f'<transition id="t{i}"/><transition id="u{i}"/>\n',
                 _arc(f"p{i}x", f"t{i}"), _arc(f"t{i}", f"p{i}y"), _arc(f"p{i}y", f"u{i}"), _arc(f"u{i}", f"p{i}x"),
                 _arc("ps", f"t{i}"), _arc(f"u{i}", "ps")]
    return _pnml("".join(text))


def pnml_star(n):
    """One place with n output transitions, each to a place of its own."""
    text = [_place("s", 1)]
    for i in range(n):
        text += [_place(i), f'<transition id="t{i}"/>\n', _arc("ps", f"t{i}"), _arc(f"t{i}", f"p{i}")]
    return _pnml("".join(text))


def pnml_join(n):
    """One transition with n input places and n output places."""
    text = ['<transition id="t"/>\n']
    for i in range(n):
        text += [_place(f"{i}x", 1), _place(f"{i}y"), _arc(f"p{i}x", "t"), _arc("t", f"p{i}y")]
    return _pnml("".join(text))


def pnml_grid(n):
    """Tokens on a square grid of n places that move right and down, and back to the start."""
    side = max(2, int(n ** 0.5))
    text = []
    for r in range(side):
        for c in range(side):
            text.append(_place(f"{r}x{c}", int(r == 0 and c == 0)))
            for name, to in (("r", (r, (c + 1) % side)), ("d", ((r + 1) % side, c))):
                text += [f'<transition id="{name}{r}x{c}"/>\n', _arc(f"p{r}x{c}", f"{name}{r}x{c}"),
                         _arc(f"{name}{r}x{c}", f"p{to[0]}x{to[1]}")]
    return _pnml("".join(text))


def pnml_free(n):
    """n tokens that move between two places each."""
    text = []
    for i in range(n):
        text += [_place(f"{i}x", 1), _place(f"{i}y"), f'<transition id="t{i}"/><transition id="u{i}"/>\n',
                 _arc(f"p{i}x", f"t{i}"), _arc(f"t{i}", f"p{i}y"), _arc(f"p{i}y", f"u{i}"), _arc(f"u{i}", f"p{i}x")]
    return _pnml("".join(text))


# ---- Aldebaran: read by plug-ins, not by omen's own front ends ----


def aut_graph(n):
    """A labelled transition system with n states and 2n transitions."""
    edges = "".join(f'({i},"a{i % 7}",{(i * 2 + 1) % n})\n({i},"b",{(i * 3 + 2) % n})\n' for i in range(n))
    return f"des (0,{2 * n},{n})\n{edges}"


# ---- automata and formulas ----


def _hoa(n, mark, edges):
    """Returns a Buchi automaton over a and b: `edges` gives the edges of state i; state `mark` is
    accepting.
    """
    body = "".join(f"State: {i}{' {0}' if i == mark else ''}\n{edges(i)}" for i in range(n))
    return (f'HOA: v1\nStates: {n}\nStart: 0\nAP: 2 "a" "b"\nacc-name: Buchi\n'
            f"Acceptance: 1 Inf(0)\n--BODY--\n{body}--END--\n")


def hoa_ring(n):
    """A ring of n states, one of them accepting."""
    return _hoa(n, n // 2, lambda i: f"[0] {(i + 1) % n}\n[1] {i}\n")


def hoa_graph(n):
    """n states with two edges each to scattered targets."""
    return _hoa(n, 0, lambda i: f"[0 & 1] {(i * 2 + 1) % n}\n[!0] {(i * 3 + 2) % n}\n")


def ltl_fair(n):
    """n requests that are all answered; the automaton is exponentially large."""
    return " && ".join(f"G(a{i} -> F b{i})" for i in range(n)) + "\n"


# Models that are searched; most have limits of n.
FORMS = {f.__name__: f for f in (dve_nodes, pml_static_ring, pml_dynamic_ring, pml_calls, pml_elements, pnml_free)}
FAMILIES = {name: f for name, f in globals().items() if "_" in name and not name.startswith("_") and name not in FORMS}


def main(arguments):
    families = FAMILIES | FORMS
    if arguments == ["--list"]:
        for name, make in families.items():
            print(f"{name:16} .{name.split('_')[0]:5} {make.__doc__}")
        return 0
    if len(arguments) not in (2, 3) or arguments[0] not in families or not arguments[1].isdecimal():
        sys.stderr.write(__doc__)
        return 2
    text = families[arguments[0]](int(arguments[1]))
    if len(arguments) == 2:
        sys.stdout.write(text)
    else:
        with open(arguments[2], "w") as f:
            f.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
