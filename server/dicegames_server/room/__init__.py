"""A running room: an actor with one mailbox, its update log, its audience, and its automatic actions."""
