"""The store on disk, in one SQLite file."""
