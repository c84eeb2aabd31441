"""Files that only their owner may read, that are replaced as a whole, and that one process can have for itself."""

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
RETRY_SECONDS = 1.0
"""Windows: seconds in which a file is tried again that another process has open. Ours have it open for milliseconds."""
RETRY_PAUSE_SECONDS = 0.01


def private_folder(path: Path) -> None:
    """Make the folder for this user alone, if it is not there. Raises OSError.

    POSIX: mode 0700. Windows: it is for this user, the system and administrators, who may read everything anyway.
    """
    new = not path.exists()
    path.mkdir(parents=True, exist_ok=True, mode=0o700)
    if new:
        _protect(path)


def open_private(path: Path, flags: int) -> int:
    """os.open, for a file that only this user may read. It is never changed on its way, also not its line breaks.

    POSIX: a new file has mode 0600. Windows: it is as private as its folder.
    """
    return os.open(path, flags | getattr(os, "O_BINARY", 0), 0o600)


def replace(source: Path, target: Path) -> None:
    """Put a file in the place of another, whole or not at all. Raises OSError.

    Windows refuses that while somebody reads the other one: then it is tried again for RETRY_SECONDS.
    """
    _patiently(lambda: source.replace(target))


def read_bytes(path: Path) -> bytes:
    """The content of a file. Raises OSError.

    Windows refuses that in the moment in which the file is replaced: then it is tried again for RETRY_SECONDS.
    """
    return _patiently(path.read_bytes)


if sys.platform == "win32":
    import ctypes
    import msvcrt
    from ctypes import wintypes

    _PROTECTED_DACL = 0x80000004
    _QUERY = 0x8

    def try_lock(handle: int) -> bool:
        """Lock an open file for this process, if no other one has the lock. It ends with os.close."""
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _protect(folder: Path) -> None:
        """Give the folder, and what will be in it, to this user, the system and administrators. Nothing is inherited.

        The user is named. The owner is not always the same: what an administrator makes can belong to the group.
        """
        allowed = "".join(f"(A;OICI;FA;;;{who})" for who in (_own_sid(), "SY", "BA"))
        descriptor = ctypes.c_void_p()
        of_text = ctypes.windll.advapi32.ConvertStringSecurityDescriptorToSecurityDescriptorW
        if not of_text(f"D:P{allowed}", 1, ctypes.byref(descriptor), None):
            raise ctypes.WinError()
        try:
            if not ctypes.windll.advapi32.SetFileSecurityW(str(folder), _PROTECTED_DACL, descriptor):
                raise ctypes.WinError()
        finally:
            ctypes.windll.kernel32.LocalFree(descriptor)

    def _own_sid() -> str:
        """The number of this user, as text."""
        token, size, text = wintypes.HANDLE(), wintypes.DWORD(), wintypes.LPWSTR()
        user = (ctypes.c_void_p * 16)()  # the first one points to the number, which follows
        if not ctypes.windll.advapi32.OpenProcessToken(wintypes.HANDLE(-1), _QUERY, ctypes.byref(token)):
            raise ctypes.WinError()
        try:
            told = ctypes.windll.advapi32.GetTokenInformation(token, 1, user, ctypes.sizeof(user), ctypes.byref(size))
            if not told or not ctypes.windll.advapi32.ConvertSidToStringSidW(
                ctypes.c_void_p(user[0]), ctypes.byref(text)
            ):
                raise ctypes.WinError()
            return text.value or ""
        finally:
            ctypes.windll.kernel32.CloseHandle(token)
            ctypes.windll.kernel32.LocalFree(text)

    def _patiently(action: Callable[[], T]) -> T:
        until = time.monotonic() + RETRY_SECONDS
        while True:
            try:
                return action()
            except PermissionError:
                if time.monotonic() >= until:
                    raise
            time.sleep(RETRY_PAUSE_SECONDS)

else:
    import fcntl

    def try_lock(handle: int) -> bool:
        """Lock an open file for this process, if no other one has the lock. It ends with os.close."""
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

    def _protect(folder: Path) -> None:
        pass  # its mode does it

    def _patiently(action: Callable[[], T]) -> T:
        return action()
