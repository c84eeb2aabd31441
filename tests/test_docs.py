"""The pages name only files and pages that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    path for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("deploy/*.md")] if path.is_file()
)
ROOTS = [ROOT, *(ROOT / side / f"dicegames_{side}" for side in ("protocol", "server", "client")), ROOT / "docs"]
MADE_UP = re.compile(r"high_card|your_game|some_game|[*…]")
"""Names that stand for files to come, and patterns."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_files_that_are_named_are_there(page: Path) -> None:
    """`room/moves.py` must exist in one of the source folders; a name without a folder, anywhere below one."""
    text = page.read_text(encoding="utf-8")
    for named in re.findall(r"`([\w./-]+\.py)`", text):
        if MADE_UP.search(named):
            continue
        there = any((root / named).exists() for root in [*ROOTS, page.parent])
        alone = "/" not in named and any(next(root.rglob(named), None) for root in ROOTS[1:4])
        assert there or alone, f"{page.name} names {named}"
