"""Evenings from seeds: nothing that must hold is broken, the same seed is the same evening, planted faults are found.

`python -m tests.simulation` spends more of them; `--seed S` shows one again, with its trace.
"""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from simulation.evening import spend
from simulation.plants import PLANTS

SEEDS = 20
MINUTES = 0.15
ONE_EVENING = "from simulation.evening import spend; print(spend(7, 0.2).digest)"


@pytest.mark.parametrize("first", range(0, SEEDS, 10))
def test_evenings(first: int) -> None:
    for seed in range(first, first + 10):
        report = spend(seed, MINUTES)
        assert not report.failure, f"--seed {seed} --minutes {MINUTES}: {report.failure}"


def test_the_same_seed_is_the_same_evening() -> None:
    digests = set()
    for hash_seed in ("1", "2"):
        path = os.pathsep.join(sys.path)
        told = subprocess.run(
            [sys.executable, "-c", ONE_EVENING],
            env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": path},
            cwd=Path(__file__).parents[1],
            capture_output=True,
            text=True,
            check=True,
        )
        digests.add(told.stdout.strip())
    assert len(digests) == 1
    assert digests == {spend(7, 0.2).digest}


@pytest.mark.parametrize("plant", PLANTS)
def test_a_planted_fault_is_found(plant: Callable[[pytest.MonkeyPatch], None]) -> None:
    found = next(filter(None, (spend(seed, 0.5, sabotage=plant).failure for seed in range(100, 120))), "")
    assert found and PLANTS[plant] in found


FOUND = {2: 0.2}
"""Seeds with which faults were found that nobody had planted, and how many minutes that takes."""


@pytest.mark.parametrize("seed", FOUND)
def test_what_was_found_once_stays_mended(seed: int) -> None:
    """2: a link that went with a refused roll was asked for again after a rematch, and the client raised an alarm."""
    assert not spend(seed, FOUND[seed]).failure
