"""Where a real game would have its file, in the package of the same name."""
