"""The command: how many evenings, with which seeds, and what came of them."""

import argparse
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from simulation.evening import Report, spend

SHOWN_SECONDS = 5.0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("--seeds", type=int, default=100, help="how many evenings")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--minutes", type=float, default=3.0, help="virtual minutes with faults, of each evening")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--seed", type=int, help="only this evening, with its whole trace")
    asked = parser.parse_args()
    if asked.seed is not None:
        return _again(asked.seed, asked.minutes)
    began = shown = time.perf_counter()
    faults: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    virtual, done, failed = 0.0, 0, []
    seeds = range(asked.first, asked.first + asked.seeds)
    with ProcessPoolExecutor(asked.jobs) as pool:
        for report in pool.map(partial(spend, minutes=asked.minutes), seeds):
            done, virtual = done + 1, virtual + report.seconds
            faults, counts = faults + report.faults, counts + report.counts
            if report.failure:
                failed.append(report.seed)
                _tell(report, asked.minutes)
            if time.perf_counter() - shown > SHOWN_SECONDS:
                shown = time.perf_counter()
                print(f"{done} of {len(seeds)} evenings, {len(failed)} failed", flush=True)
    seconds = time.perf_counter() - began
    print(f"{done} evenings, {len(failed)} failed: {failed}")
    print(f"{done / seconds:.1f} evenings per second, {virtual / 3600 / seconds:.2f} virtual hours per second")
    print("faults:", ", ".join(f"{kind} {many}" for kind, many in sorted(faults.items())))
    print("done:", ", ".join(f"{kind} {many}" for kind, many in sorted(counts.items())))
    return 1 if failed else 0


def _again(seed: int, minutes: float) -> int:
    report = spend(seed, minutes, kept=0)
    print("\n".join(report.trace))
    print(f"trace {report.digest}")
    if report.failure:
        _tell(report, minutes)
    return 1 if report.failure else 0


def _tell(report: Report, minutes: float) -> None:
    print(f"FAILED: --seed {report.seed} --minutes {minutes}\n{report.failure}", flush=True)
