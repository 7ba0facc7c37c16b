"""Runs the linters: ruff, its formatter, mypy, and the contracts on imports. CI, pre-commit and people use it.

    python scripts/check.py [NAME ...]

Types and imports are checked in the package as it is installed, because a checkout holds `pipelines`, `transforms` and
`runners` beside `conceptloom` and not inside it. So they run in an empty folder, and first of all the installed package
must be that of the checkout. `pip install -e '.[test]' --config-settings editable_mode=strict` keeps it so, except for
new files.
"""

import importlib.util
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CONFIG = ROOT / "pyproject.toml"
BESIDE = ("pipelines", "transforms", "runners")
INSTALL = "pip install -e '.[test]' --config-settings editable_mode=strict"


def installed() -> bool:
    """Whether the installed package has the modules of the checkout and no others, each with the same content."""
    spec = importlib.util.find_spec("conceptloom")
    if spec is None or not spec.submodule_search_locations:
        print(f"conceptloom is not installed: {INSTALL}", file=sys.stderr)
        return False
    (place,) = spec.submodule_search_locations
    found = different(modules_of_checkout(ROOT), modules_below(Path(place)))
    if found:
        shown = ", ".join(found[:5]) + (" …" if len(found) > 5 else "")
        print(f"not the same in {place} and in the checkout: {shown}; install again: {INSTALL}", file=sys.stderr)
    return not found


def different(one: dict[str, Path], other: dict[str, Path]) -> list[str]:
    """The names that only one side has, or whose files differ."""
    return sorted(
        name
        for name in one.keys() | other.keys()
        if name not in one or name not in other or one[name].read_bytes() != other[name].read_bytes()
    )


def modules_of_checkout(root: Path) -> dict[str, Path]:
    """The modules of a checkout by their path in the installed package."""
    beside = {f"{name}/{path}": file for name in BESIDE for path, file in modules_below(root / name).items()}
    return {**modules_below(root / "conceptloom"), **beside}


def modules_below(folder: Path) -> dict[str, Path]:
    """Every Python file below a folder, by its path in it."""
    return dict(_modules(folder, ""))


def _modules(folder: Path, prefix: str) -> Iterator[tuple[str, Path]]:
    # Not rglob: it does not enter folders that are links.
    for path in folder.iterdir():
        if path.is_dir() and path.name != "__pycache__":
            yield from _modules(path, f"{prefix}{path.name}/")
        elif path.suffix == ".py":
            yield f"{prefix}{path.name}", path


def lint() -> bool:
    """Whether ruff has nothing to say."""
    return _run(ROOT, "ruff", "check", ".")


def formatting() -> bool:
    """Whether ruff would format nothing anew."""
    return _run(ROOT, "ruff", "format", "--check", ".")


def types() -> bool:
    """Whether mypy has nothing to say of the installed package."""
    with tempfile.TemporaryDirectory() as elsewhere:
        return _run(Path(elsewhere), "mypy", "--config-file", str(CONFIG))


def imports() -> bool:
    """Whether the installed package keeps the contracts on imports."""
    with tempfile.TemporaryDirectory() as elsewhere:
        return _run(Path(elsewhere), "lint-imports", "--config", str(CONFIG), "--no-cache")


CHECKS: dict[str, Callable[[], bool]] = {
    "lint": lint,
    "format": formatting,
    "installed": installed,
    "types": types,
    "imports": imports,
}


def _run(folder: Path, program: str, *arguments: str) -> bool:
    path = Path(sys.executable).with_name(program)
    return subprocess.run([str(path), *arguments], cwd=folder, check=False).returncode == 0


def main(names: Iterable[str]) -> int:
    """Runs the named checks, every one of them also after a failure; returns how many failed."""
    failed = []
    for name in names:
        print(f"== {name}", flush=True)
        if not CHECKS[name]():
            failed.append(name)
    print(f"failed: {', '.join(failed)}" if failed else "all checks passed")
    return len(failed)


if __name__ == "__main__":
    unknown = [name for name in sys.argv[1:] if name not in CHECKS]
    if unknown:
        sys.exit(f"no check is called {', '.join(unknown)}; there are: {', '.join(CHECKS)}")
    sys.exit(main(sys.argv[1:] or CHECKS))
