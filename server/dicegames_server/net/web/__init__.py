"""HTTP without websockets: pages for the operator, and the page for a browser that comes to the port of the game."""
