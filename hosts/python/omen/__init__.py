# SPDX-License-Identifier: Apache-2.0
"""omen: checks whether a system has a forbidden run.

An interface to the model checker omen::

    import omen

    result = omen.check("mutex.dve", ltl="G(P_0.waiting -> F P_0.critical)")
    if result.violated:
        print(result.lasso)

`check` checks a property, `check_iter` reports its progress, `explore` counts states; `empty`, `translate`
and `convert` work on automata, `replay` verifies a counterexample, `plugins` and `devices` list what is
available. Models, automata and counterexamples may be paths or texts. Results are frozen dataclasses with
the members of omen's JSON Schemas (``omen schema``). A limit that was hit is a result; any other problem is
an `Error`, with file, line and column if they are known.

Functions may be called from several threads at once. Each call is a request to a back end: the program on
this machine (`Local`), unless another `Backend` is given; `Server`, for example, sends checks to an omend.
"""
from ._automaton import Automaton
from ._backend import Argument, Backend, Line, Request, Source, Text
from ._check import Event, check, check_iter, explore
from ._commands import Acceptance, AutomatonLike, convert, devices, empty, plugins, properties, replay, translate
from ._errors import BackendError, Error, InputError, InternalError, LimitError, ModelError, UsageError
from ._exploration import (AssertionFailure, BufferTraffic, Counts, Coverage, Each, Exploration, KernelTraffic, Queue,
                           Statement, Store, Traffic)
from ._info import (CheckerInfo, Device, Devices, OwnProperties, OwnProperty, Plugin, PluginOption, Plugins, Rank,
                    Refused)
from ._lasso import Lasso, State, Value, Word
from ._local import Local
from ._results import (CheckResult, Code, CodeRate, Counters, EmptyResult, Fairness, Note, Overflow, Overflows, Part,
                       Progress, ReplayResult, Verdict, Verified)
from ._server import Server

__version__ = "0.2.0"

__all__ = [
    "Acceptance", "Argument", "AssertionFailure", "Automaton", "AutomatonLike", "Backend", "BackendError",
    "BufferTraffic", "CheckResult", "CheckerInfo", "Code", "CodeRate", "Counters", "Counts", "Coverage", "Device",
    "Devices", "Each", "EmptyResult", "Error", "Event", "Exploration", "Fairness", "InputError", "InternalError",
    "KernelTraffic", "Lasso", "LimitError", "Line", "Local", "ModelError", "Note", "Overflow", "Overflows",
    "OwnProperties", "OwnProperty", "Part", "Plugin", "PluginOption", "Plugins", "Progress", "Queue", "Rank", "Refused",
    "ReplayResult", "Request", "Server", "Source", "State", "Statement", "Store", "Text", "Traffic", "UsageError",
    "Value", "Verdict", "Verified", "Word", "__version__", "check", "check_iter", "convert", "devices", "empty",
    "explore", "plugins", "properties", "replay", "translate",
]
