"""Which code a result depends on: some modules, and all that these import of this project or of a plug-in."""

import importlib.util
import re
from collections.abc import Iterable, Iterator
from functools import cache, partial
from hashlib import blake2b
from pathlib import Path

from conceptloom.errors import ConfigError

DATA = "data"
"""The folder in a package whose files (tables, word lists) belong to the package's code."""

_OURS = __name__.partition(".")[0]
# The ast module takes ten times as long. Text in a docstring that looks like an import only adds a module.
_IMPORT = re.compile(
    r"""^[ \t]* (?:
        from [ \t]+ (?P<base>[.\w]+) [ \t]+ import [ \t]+ (?P<names> \([^)]*\) | [^\n#;]+)
        | import [ \t]+ (?P<modules> [^\n#;]+)
    )""",
    re.MULTILINE | re.VERBOSE,
)


def code_digest(modules: Iterable[str]) -> str:
    """Returns the hash of the sources of `modules`, of their `closure`, and of the data in these packages.

    Raises ConfigError for a module that cannot be found.
    """
    found = blake2b(digest_size=16)
    for name in sorted(closure(modules)):
        found.update(f"{name} {_content(name)}\n".encode())
    return found.hexdigest()


def plugin_code(makers: Iterable[object]) -> dict[str, str]:
    """Returns the `code_digest` of the makers (functions, classes) of other packages as a setting; empty if none is.

    For a stage's settings: the stage's own modules lead to the code of this package alone.
    """
    modules = {(maker.func if isinstance(maker, partial) else maker).__module__ for maker in makers}
    foreign = sorted(name for name in modules if name.partition(".")[0] != _OURS)
    return {"plugin_code": code_digest(foreign)} if foreign else {}


def closure(modules: Iterable[str]) -> set[str]:
    """Returns the dotted names of `modules` and of everything of ours that they import, directly or not.

    Ours are the modules of conceptloom, and of the top-level package of the module that imports. An import counts
    wherever it is, even within a function; a module brings the packages that contain it.
    """
    found, waiting = set[str](), [*modules]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(imports_of(name))
    return found


@cache
def imports_of(module: str) -> frozenset[str]:
    """Returns the modules of ours that one module imports, with the packages that contain these and the module."""
    source = _source(module)
    package = module if source.name == "__init__.py" else module.rpartition(".")[0]
    ours = (_OURS, module.partition(".")[0])
    named = {package, *_named(source.read_text(encoding="utf-8"), package)}
    parts = {part for name in named if name.partition(".")[0] in ours for part in _with_packages(name)}
    return frozenset(part for part in parts if source_path(part) is not None)


def _named(source: str, package: str) -> Iterator[str]:
    """Yields what a source's import statements name; for `from a import b` both a and a.b, which may be a module."""
    for found in _IMPORT.finditer(source):
        if found["modules"]:
            yield from (part.split()[0] for part in found["modules"].split(",") if part.strip())
            continue
        base = importlib.util.resolve_name(found["base"], package)
        yield base
        yield from (f"{base}.{name}" for name in re.findall(r"(?<![\w.])(\w+)(?:\s+as\s+\w+)?", found["names"]))


def _with_packages(name: str) -> Iterator[str]:
    parts = name.split(".")
    return (".".join(parts[:count]) for count in range(1, len(parts) + 1))


@cache
def source_path(module: str) -> Path | None:
    """Returns the source file of a module, or None if there is no such module. Imports nothing."""
    package, _, name = module.rpartition(".")
    if not package:
        spec = importlib.util.find_spec(name)
        return Path(spec.origin) if spec is not None and spec.origin and spec.origin.endswith(".py") else None
    parent = source_path(package)
    if parent is None or parent.name != "__init__.py":
        return None
    places = (parent.parent / name / "__init__.py", parent.parent / f"{name}.py")
    return next((place for place in places if place.is_file()), None)


def _source(module: str) -> Path:
    path = source_path(module)
    if path is None:
        raise ConfigError(f"there is no module {module}, so its code cannot be fingerprinted")
    return path


@cache
def _content(module: str) -> str:
    source = _source(module)
    found = blake2b(source.read_bytes(), digest_size=16)
    if source.name == "__init__.py" and (source.parent / DATA).is_dir():
        for path in sorted((source.parent / DATA).iterdir()):
            found.update(path.name.encode() + path.read_bytes())
    return found.hexdigest()
