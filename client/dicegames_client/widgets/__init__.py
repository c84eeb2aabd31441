"""What screens are made of: pure functions from values to lines of styled text. No prompt_toolkit, no clock."""
