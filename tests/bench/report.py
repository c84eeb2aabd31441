"""What the benchmark prints, and what it writes as JSON."""

import json
import os
import platform
import time
from pathlib import Path
from typing import Any

from bench.compare import Compared, Ratio, describe

TOO_BUSY = 0.97
"""So much of its core, and the load could not have asked for more."""


class Report:
    def __init__(self) -> None:
        self.figures: dict[str, dict[str, Any]] = {}
        self._goals: list[tuple[str, str, str, bool]] = []
        self._began = time.perf_counter()

    def scenario(self, name: str, about: str) -> None:
        self.figures[name] = {}
        self._name = name
        print(f"\n{name}: {about}")

    def put(self, what: str, value: object, text: str) -> None:
        self.figures[self._name][what] = value
        print(f"  {text}")

    def compared(self, compared: Compared, what: str) -> None:
        """Costs side by side."""
        for name, windows in {"bare": compared.bare, **compared.ours}.items():
            row = describe(windows)
            text = (
                f"{name:8} {row['cpu_us']:6.1f} us per {what}  {row['per_second']:7,.0f}/s"
                f"  p50 {row['p50_ms']:5.1f} ms  p99 {row['p99_ms']:5.1f} ms  load {row['load_cpu']:.0%}"
                f"{' (the load is the limit)' if row['load_cpu'] > TOO_BUSY else ''}"
            )
            self.put(name, row, text)
        noise = compared.noise()
        self.put("noise", noise.plain(), f"bare against itself {noise}")

    def goal(self, what: str, value: float | Ratio, most: float, stretch: float | None = None, unit: str = "") -> None:
        """A figure with a goal: at most this value."""
        figure = value.median if isinstance(value, Ratio) else value
        self.figures[self._name][what] = value.plain() if isinstance(value, Ratio) else value
        shown = str(value) if isinstance(value, Ratio) else f"{value:.2f}{unit}"
        wanted = f"{most}{unit}" + (f", better {stretch}{unit}" if stretch else "")
        self._goals.append((f"{self._name}: {what}", shown, wanted, figure <= most))

    def finish(self, file: Path | None) -> None:
        print(f"\n{'':52} {'figure':24} goal")
        for what, shown, wanted, met in self._goals:
            print(f"{what:52} {shown:24} {wanted}{'' if met else '   missed'}")
        took = time.perf_counter() - self._began
        print(f"\n{took:.0f} s on {platform.machine()}, Python {platform.python_version()}")
        if file:
            about = {
                "date": time.strftime("%Y-%m-%d"),
                "seconds": round(took, 1),
                "machine": platform.machine(),
                "cores": os.cpu_count(),
                "python": platform.python_version(),
            }
            names = ("what", "figure", "goal", "met")
            goals = [dict(zip(names, goal, strict=True)) for goal in self._goals]
            file.write_text(json.dumps({"about": about, **self.figures, "goals": goals}, indent=2) + "\n")
