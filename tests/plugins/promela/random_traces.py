# SPDX-License-Identifier: Apache-2.0
"""Random traces, or notraces, over the channels of random_models.py."""

# Channels, with the number of fields of their messages
CHANNELS = {"b": 2, "q": 1, "r": 1, "s": 2}


def event(r, wild):
    """Returns a send or receive; a field matches everything with the probability `wild`."""
    channel = r.choice(sorted(CHANNELS))
    fields = ["_" if r.random() < wild else r.choice(["0", "1", "2", "x", "3"])
              for _ in range(r.randint(1, CHANNELS[channel]))]
    return channel + r.choice("!?") + ", ".join(fields)


def events(r):
    """Returns events that do not overlap: two possible continuations are an error, at which SPIN
    stops."""
    found = []
    for channel in sorted(CHANNELS):
        for way in "!?":
            if r.random() < 0.5:
                found += [channel + way + field for field in (["_"] if r.random() < 0.6 else "0123")]
    return found or ["q!_"]


def sequence(r, depth=0):
    steps = []
    for _ in range(r.randint(1, 3)):
        pick = r.random()
        if pick < 0.5 or depth == 2:
            steps.append(event(r, 0.8))
        elif pick < 0.65:
            steps.append("do :: %s od" % " :: ".join(events(r)))
        elif pick < 0.8:
            steps.append("if :: %s fi" % " :: ".join(sequence(r, depth + 1) for _ in range(r.randint(1, 3))))
        elif pick < 0.9:
            steps.append("end%d: %s" % (r.randint(1, 10 ** 6), event(r, 0.8)))
        else:
            steps.append("do :: %s :: %s -> break od" % (event(r, 0.9), event(r, 0.9)))
    return "; ".join(steps)


def trace(r):
    """Returns a trace; half of the traces allow most runs."""
    pick = r.random()
    if pick < 0.45:
        body = "do :: %s od" % " :: ".join(events(r))
    elif pick < 0.6:
        body = "end: do :: %s od" % " :: ".join(e + ("; " + event(r, 0.9) if r.random() < 0.15 else "") for e in events(r))
    else:
        body = sequence(r)
    return "%s { %s }\n" % (r.choice(["trace", "trace", "notrace"]), body)
