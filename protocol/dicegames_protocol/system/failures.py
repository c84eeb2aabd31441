"""Why something failed, in words that fit into a sentence of ours."""

import os
import sys

if sys.platform == "win32":
    import ctypes

    _WORDS = {
        10013: "permission denied",
        10048: "address already in use",
        10049: "cannot assign requested address",
        10051: "network is unreachable",
        10065: "no route to host",
        1231: "network is unreachable",
        1232: "no route to host",
    }
    """What else would be in the language of the system: it goes into a sentence of ours."""

    def reason(error: OSError) -> str:
        """Why something failed, in a few words of the system, without a full stop."""
        code = error.winerror or error.errno or 0
        words = _WORDS.get(code) or (ctypes.FormatError(code) if code > 0 else str(error) or type(error).__name__)
        return words.strip().rstrip(".").lower()

else:

    def reason(error: OSError) -> str:
        """Why something failed, in a few words of the system, without a full stop."""
        known = error.errno and error.errno > 0  # a name that can't be looked up has a negative number
        return (os.strerror(error.errno or 0) if known else str(error) or type(error).__name__).lower()
