"""The table on the screen: what is shown, what keys do, and how it is painted."""
