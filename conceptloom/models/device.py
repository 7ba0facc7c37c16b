"""Devices by name: `cpu`, `cuda`, `cuda:N`. The one that is asked for is used, or an error says what is missing."""

import re

from conceptloom.errors import ConfigError
from conceptloom.models.packages import Module

DEFAULT_DEVICE = "cpu"
_CUDA = re.compile(r"cuda(?::(\d+))?", re.ASCII)


def check_device(name: str) -> str:
    """Returns the name if it may be a device's, without looking whether it is there; raises ConfigError otherwise."""
    if name != DEFAULT_DEVICE and not _CUDA.fullmatch(name):
        raise ConfigError(f"no device is called {name!r}: use cpu, cuda, or cuda:N for the GPU number N")
    return name


def device_kind(name: str) -> str:
    """Returns `cpu` or `cuda`: what a result depends on, whichever of several equal GPUs computes it.

    >>> device_kind("cuda:1")
    'cuda'
    """
    return check_device(name).partition(":")[0]


def require_device(torch: Module, name: str) -> None:
    """Raises ConfigError with the cure where torch does not have the device; never chooses another one."""
    if check_device(name) == DEFAULT_DEVICE:
        return
    if not torch.cuda.is_available():
        raise ConfigError(f"device {name}: {_reason(torch)}, or use device cpu")
    count = torch.cuda.device_count()
    if _number(name) >= count:
        there = ", ".join(f"cuda:{number}" for number in range(count))
        raise ConfigError(f"device {name}: there is no such GPU; there are: {there}")


def _reason(torch: Module) -> str:
    if torch.version.cuda is None:
        return f"the installed torch {torch.__version__} is built for the CPU only; install a CUDA build of torch"
    return "torch finds no GPU; check the driver with nvidia-smi and CUDA_VISIBLE_DEVICES"


def _number(name: str) -> int:
    return int(name.partition(":")[2] or 0)
