"""Where one user sits: terminal.py says what that is. What is typed there, what is printed, and how it is shown."""
