"""`python -m tests.simulation`: spend many evenings, or one again."""

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from simulation.command import main

    sys.exit(main())
