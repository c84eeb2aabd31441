"""The folders in which our programs remember something, for the length of a test."""

import sys
from pathlib import Path

import pytest

from dicegames_client.base.state.state_files import state_folder


def at_home(folder: Path | str) -> dict[str, str]:
    """Environment variables: whatever is remembered, it is in `folder`. For Linux, macOS and Windows."""
    names = ("XDG_STATE_HOME", "XDG_DATA_HOME", "WIN_PD_OVERRIDE_LOCAL_APPDATA")
    return dict.fromkeys(names, str(folder))


def remember_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same, for this process. Returns the folder for state in it."""
    for name, value in at_home(folder).items():
        monkeypatch.setenv(name, value)
    return state_folder()


def is_private(path: Path) -> bool:
    """Whether nobody but this user can read a file. On Windows its folder says so."""
    if sys.platform == "win32":
        everybody = ("WD", "BU", "AU", "BG", "AN")
        return not any(f";{who})" in _access_list(path.parent) for who in everybody)
    return path.stat().st_mode & 0o777 == 0o600


if sys.platform == "win32":
    import ctypes
    from ctypes import wintypes

    def _access_list(path: Path) -> str:
        """Who may do what with a folder, in the language that Windows has for it."""
        security, size, text = ctypes.create_string_buffer(4096), wintypes.DWORD(), wintypes.LPWSTR()
        system, dacl = ctypes.windll.advapi32, 4
        assert system.GetFileSecurityW(str(path), dacl, security, 4096, ctypes.byref(size))
        assert system.ConvertSecurityDescriptorToStringSecurityDescriptorW(security, 1, dacl, ctypes.byref(text), None)
        return text.value or ""
