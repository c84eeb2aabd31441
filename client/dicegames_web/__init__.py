"""The table in the browser: HTML, CSS and ES modules, which the server sends as they are (docs/browser.md)."""
