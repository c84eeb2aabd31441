"""The parts of screens: pure functions from values to lines of styled text. No prompt_toolkit, no clock."""
