"""The client: it shows what the server offers and sends back what you take. Start with guest.py and store.py."""
