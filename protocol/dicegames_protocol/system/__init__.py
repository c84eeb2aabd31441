"""What differs between Linux, macOS and Windows, for both sides: private files, locks, pipes, and the words of errors.

The functions mean the same everywhere; where a system lacks something, the docstring says what happens there instead.
What only one side needs is in its own module `system`. No other module asks which system it runs on.
"""
