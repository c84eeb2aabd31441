"""To which hosts a server may redirect clients. Clients enforce this; servers use it to warn the operator early."""


def same_site(joined: str, sent_to: str) -> bool:
    """Whether a client that joined at one host may be redirected to the other: the same host, or a subdomain of it."""
    joined, sent_to = joined.lower(), sent_to.lower()
    return sent_to == joined or sent_to.endswith(f".{joined}")
