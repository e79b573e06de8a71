"""Classes made from the catalog: a real signature, a docstring with every setting, and the behaviour of its role."""

from __future__ import annotations

from . import _base, _core, _wrap

_ROLES = {
    "classifier": _base.Classifier,
    "regressor": _base.Regressor,
    "clusterer": _base.Clusterer,
    "density": _base.Density,
    "detector": _base.Detector,
    "transformer": _base.Transformer,
    "wrapper": _wrap.Wrapper,
}


def classes():
    """Every class that the catalog speaks of, by name."""
    made = {}
    for entry in _core.catalog():
        for role, name in entry["python"]:
            if role in _ROLES:
                made[name] = make(entry, role, name)
    return made


def settings(entry, role):
    """The settings of a class: name, default, and what is said of it."""
    own = []
    if role == "wrapper":
        text = f"The wrapped estimator; None: ``{entry['usual']}``."
        own.append(("estimator", None, ("estimator of Pellucid", text)))
    for p in entry["params"]:
        if p["name"] != "class_weight":
            own.append((p["name"], default(p), about(p)))
    if role == "classifier" and entry["weighs_classes"]:
        text = "Class weights: 'balanced', or a dict from class to weight; None: all classes count the same."
        own.append(("class_weight", None, ("dict or 'balanced'", text)))
    if entry["goes_on"] and role != "wrapper":
        own.append(("warm_start", False, ("bool", "Start from the previous fit instead of from scratch.")))
    if entry["random"]:
        text = "Random seed: the same seed and data give the same model. None: a random one."
        own.append(("random_state", 0, ("int, RandomState or None", text)))
    if role == "wrapper":
        return own
    text = "Number of threads; None and -1: all cores. Results do not depend on it."
    own.append(("n_jobs", None, ("int", text)))
    return own


def default(p):
    """The default of a setting as Python writes it."""
    value = p["default"]
    if p["kind"] == "list" and all(x == int(x) for x in value):
        return tuple(int(x) for x in value)
    return value


def about(p):
    """Type and text of a setting for the docstring."""
    kinds = {"number": "float", "whole": "int", "flag": "bool", "text": "str", "list": "tuple of numbers"}
    kinds["class weights"] = "dict or 'balanced'"
    kinds["learner"] = "str, a learner such as 'knn:k=3'"
    kind = kinds.get(p["kind"]) or "{" + ", ".join(repr(w) for w in p["words"]) + "}"
    if p["kind"] == "number or word":
        kind = f"float or {kind}"
    text = p["help"][:1].upper() + p["help"][1:]
    if p["inverse"]:
        text = f"The inverse of: {p['help']}"
    if p["aliases"]:
        text += "; also " + ", ".join(f"{a!r} for {w!r}" for a, w in p["aliases"])
    if p["kind"] in ("number", "whole", "list") and p["range"] and not p["inverse"]:
        text += f" ({p['range']})"
    return kind, text + "."


def make(entry, role, name):
    """The class for one name of one line of the catalog."""
    base = _ROLES[role]
    own = settings(entry, role)
    namespace = {
        "_entry": entry,
        "__doc__": document(entry, own),
        "__module__": "pellucid",
        "__init__": initialiser(name, own),
    }
    if role == "wrapper":
        return type(name, (base,), namespace)
    namespace["fit"] = method(name, "fit", *fit_arguments(entry))
    if entry["portions"]:
        namespace["partial_fit"] = method(name, "partial_fit", *portion_arguments(entry, role))
    return type(name, (base,), namespace)


def initialiser(name, own):
    """An ``__init__`` that stores its arguments; the first may be given without its name."""
    spots = [f"{n}=_{i}" for i, (n, _, _) in enumerate(own)]
    spots.insert(1, "*")
    if len(own) == 1:
        spots = ["*", spots[0]]
    lines = [f"def __init__(self, {', '.join(spots)}):"] + [f"    self.{n} = {n}" for n, _, _ in own]
    scope = {f"_{i}": value for i, (_, value, _) in enumerate(own)}
    exec("\n".join(lines), scope)  # Our own descriptions, as dataclasses do it.
    function = scope["__init__"]
    function.__qualname__ = f"{name}.__init__"
    function.__module__ = "pellucid"
    return function


def method(owner, name, arguments, document):
    """A method that hands its arguments to the one of the role, which has the same name after an underscore."""
    given = ", ".join(argument.split("=")[0] for argument in arguments)
    scope = {}
    exec(f"def {name}(self, {', '.join(arguments)}):\n    return self._{name}({given})", scope)
    made = scope[name]
    made.__doc__, made.__qualname__, made.__module__ = document, f"{owner}.{name}", "pellucid"
    return made


def fit_arguments(entry):
    """What ``fit`` takes: what the learner needs, and weights where they count."""
    needed = entry["targets"] != "nothing"
    arguments = ["X", "y" if needed else "y=None"] + ["sample_weight=None"] * bool(entry["weights"])
    return arguments, "Fits the model to X" + (" and y." if needed else "; y is ignored.")


def portion_arguments(entry, role):
    """What ``partial_fit`` takes: what ``fit`` does, and all classes, of which a portion may lack some."""
    arguments, _ = fit_arguments(entry)
    document = "Updates the model with one pass over the rows of X, a batch of many."
    if role == "classifier":
        arguments.insert(2, "classes=None")
        document += " The first call must name all classes."
    return arguments, document


def document(entry, own):
    """The docstring of a class."""
    summary = entry["summary"][:1].upper() + entry["summary"][1:]
    lines = [f"{summary}.", "", f"``{entry['name']}`` on the command line.", "", "Parameters", "----------"]
    for name, value, (kind, text) in own:
        lines += [f"{name} : {kind}, default={value!r}", f"    {text}"]
    lines += [
        "",
        "Attributes",
        "----------",
        "certificate_ : Certificate",
        "    How the fit ended: converged, steps, objective, optimality gap, warnings, facts.",
        "machine_ : Machine",
        "    The fitted machine.",
        "n_features_in_ : int",
        "    How many columns it was fitted on.",
    ]
    return "\n".join(lines)
