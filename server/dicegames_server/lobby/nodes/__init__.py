"""This node among the other nodes that use the same storage."""
