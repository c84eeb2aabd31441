"""The encoding of what comes and goes through pipes and files."""

import os
import sys
from typing import TextIO


def use_utf8(*streams: TextIO | None) -> None:
    """Pipes and files are read and written in UTF-8, on all systems; PYTHONIOENCODING says otherwise.

    Windows would take the code page of its region. A console is a different thing: it takes all characters anyway.
    """
    if sys.platform != "win32" or os.environ.get("PYTHONIOENCODING"):
        return
    for stream in streams:
        if stream is not None and hasattr(stream, "reconfigure") and not stream.isatty():
            stream.reconfigure(encoding="utf-8")
