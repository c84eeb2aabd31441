"""What happens in a room automatically: which timers its state needs, the timers, and the action when one is due."""
