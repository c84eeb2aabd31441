"""Small screens that ask something: one of several, a line of text, or how it looks."""
