"""clm's own reading of a log, from the shared tools: what a user sees after `clm --resume`."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any


class Loader:
    """An independent loader of clm's logs, and what it finds wrong with one."""

    def __init__(self, path: Path) -> None:
        spec = importlib.util.spec_from_file_location("clm_load", path)
        assert spec is not None
        assert spec.loader is not None
        self._module: Any = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self._module)

    def history(self, path: Path) -> list[dict[str, Any]]:
        """The messages as clm would show them."""
        found: list[dict[str, Any]] = self._module.load(str(path))[1]
        return found

    def faults(self, path: Path) -> list[str]:
        """What clm would drop, cut or refuse, and what a provider would."""
        meta, history, notes = self._module.load(str(path))
        found: list[str] = notes + self._module.conversation_faults(meta, history, str(path))
        return found


def find_shared() -> Path | None:
    """The folder of shared inputs, for tests that can't use the fixture."""
    folder = Path(__file__).resolve().parents[2] / "shared"
    return folder if folder.is_dir() else None


def find_loader(shared: Path) -> Loader:
    """The loader among the shared inputs."""
    return Loader(shared / "tools" / "clm_load.py")
