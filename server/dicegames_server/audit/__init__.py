"""What is done with a log afterwards: it is checked, update by update, and the play in it is reviewed. Pure."""
