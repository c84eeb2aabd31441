"""What the one-file program runs."""

import multiprocessing
import sys

from dicegames_client.__main__ import whole

if __name__ == "__main__":
    multiprocessing.freeze_support()  # `arena` starts this file again, as a worker
    sys.exit(whole())
