"""How the table of scorer `static-ko` is laid out in its file (read by conceptloom/similarity/static.py)."""

import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Keys = dict[str, tuple[int, ...]]
"""For each form/tag the rows of the table that stand for it: its own, or those of its parts."""


def quantised(table: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float32]]:
    """Rows as 8-bit integers and a scale each: table = vectors * scales[:, None] within half a scale."""
    scales = np.maximum(np.abs(table).max(axis=1), 1e-12) / 127
    return np.rint(table / scales[:, None]).astype(np.int8), scales.astype(np.float32)


def write_table(path: Path, keys: Keys, table: npt.NDArray[np.float64]) -> None:
    """Writes the npz: numpy arrays only, no pickle, and a fixed date so that the same table gives the same bytes."""
    vectors, scales = quantised(table)
    arrays: dict[str, npt.NDArray[Any]] = {
        "vectors": vectors,
        "scales": scales,
        "keys": np.frombuffer("\n".join(keys).encode(), dtype=np.uint8),
        "counts": np.array([len(rows) for rows in keys.values()], dtype=np.uint8),
        "rows": np.array([row for rows in keys.values() for row in rows], dtype=np.int32),
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, array in arrays.items():
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, array, allow_pickle=False)
            entry = zipfile.ZipInfo(f"{name}.npy", date_time=(1980, 1, 1, 0, 0, 0))
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, buffer.getvalue(), zipfile.ZIP_DEFLATED, 9)
