"""Takes a prompt_toolkit application apart that has ended, so that its memory is free at once.

Its parts know each other, in cycles: a megabyte at 80x24, eleven at 300x100. Only the garbage collector would find
them, and it looks at everything rarely on a server (app/run.py there), since that stops everybody. For visitors over
ssh there is one application for each visit (tests/e2e/test_ssh.py counts what a visit leaves behind).
"""

from typing import Any

from prompt_toolkit.application import Application

LARGE_PARTS = (
    *("layout", "renderer", "key_processor", "style", "_merged_style"),
    *("key_bindings", "_default_bindings", "_page_navigation_bindings"),
)
"""What an application holds that takes memory. The rest stays: it may have been told to paint, and looks once more
whether it still runs.
"""


def release(app: Application[Any]) -> None:
    """The application has ended, and nobody uses it or its layout again."""
    for container in list(app.layout.walk()):
        _empty(getattr(container, "content", None))
        _empty(container)
    for part in (app.layout, app.renderer, app.key_processor):
        _empty(part)
    for name in LARGE_PARTS:
        vars(app).pop(name, None)


def _empty(part: object) -> None:
    if hasattr(part, "__dict__"):
        vars(part).clear()
