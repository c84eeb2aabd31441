"""The first step of dicegames.pyz: is this a Python that it carries compiled modules for?

The text of this file becomes the start of the archive's `__main__.py`. It runs on every Python since 2.7, so that each
can say a sentence: no f-string, no annotation.
"""

import os
import platform
import sys

if False:
    from typing import NoReturn, Sequence  # noqa: F401 (in comments)

VERSION_ERROR, OTHER_ERROR = 5, 1


def suffix_here():
    # type: () -> str
    """How this Python names compiled modules, such as .cpython-311-x86_64-linux-gnu.so"""
    try:
        from importlib.machinery import EXTENSION_SUFFIXES
    except ImportError:
        return ""
    return EXTENSION_SUFFIXES[0]


def complaint(this, suffix, suffixes, pythons, machine=""):
    # type: (str, str, Sequence[str], Sequence[str], str) -> str
    """What is wrong with this Python, in a sentence; empty if nothing is. `machine` is asked for only on a Mac."""
    own = machine and platform.machine()
    if suffix in suffixes and own == machine:
        return ""
    file = os.path.basename(sys.argv[0])
    if this not in pythons:
        return (
            "%s wants Python %s or %s, and this is Python %s. Start it with one of these, such as: python%s %s. "
            "The one-file program of dicegames needs no Python at all."
        ) % (file, ", ".join(pythons[:-1]), pythons[-1], this, pythons[-2], file)
    made_for = suffixes[0].split("-", 2)[-1].rsplit(".", 1)[0]
    return "%s is for another kind of Python: CPython on %s. This one is %s. Try: pipx install dicegames" % (
        file,
        " ".join(filter(None, [made_for, machine])),
        " ".join(filter(None, [suffix.strip(".").rsplit(".", 1)[0] or sys.platform, own])),
    )


def _say(sentence, code):
    # type: (str, int) -> NoReturn
    sys.stderr.write(sentence + "\n")
    raise SystemExit(code)


def open_gate(suffixes, pythons, machine):
    # type: (Sequence[str], Sequence[str], str) -> None
    """Go on to shiv, which unpacks the archive once and starts dicegames; or say why not."""
    wrong = complaint("%d.%d" % sys.version_info[:2], suffix_here(), suffixes, pythons, machine)
    if wrong:
        _say(wrong, VERSION_ERROR)
    try:
        from _bootstrap import bootstrap

        bootstrap()
    except EnvironmentError as error:
        if "dicegames_client" in sys.modules:
            raise
        _say(
            "dicegames unpacks itself once, into the folder .shiv of your home folder, and can't do so: %s. "
            "Name another folder: SHIV_ROOT=FOLDER" % (error.strerror or error),
            OTHER_ERROR,
        )
