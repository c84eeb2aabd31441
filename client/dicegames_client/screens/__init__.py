"""Everything that fills the terminal, one screen per file. Screens hold state and draw it; only shell.py knows how a
terminal works."""
