"""The terminal itself: the one prompt_toolkit application, its keys, and its typing line."""
