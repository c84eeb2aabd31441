"""The basis of the whole client: errors, addresses, saved state, the keyboard, and how things may be shown."""
