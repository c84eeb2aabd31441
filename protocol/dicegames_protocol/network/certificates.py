"""What a certificate says: from when until when it is valid, who it is for, and who vouches for it.

Nothing is checked here. The ssl module checks certificates; this only finds the words for what it says.
"""

import datetime
import hashlib
import re
from dataclasses import dataclass

from dicegames_protocol.network import der as asn1
from dicegames_protocol.network.der import DerElements

_COMMON_NAME, _ORGANIZATION, _UNIQUE_IDENTIFIER = "2.5.4.3", "2.5.4.10", "2.5.4.45"
_SHORT = {
    _COMMON_NAME: "CN",
    "2.5.4.6": "C",
    "2.5.4.7": "L",
    "2.5.4.8": "ST",
    "2.5.4.9": "STREET",
    _ORGANIZATION: "O",
    "2.5.4.11": "OU",
    "0.9.2342.19200300.100.1.1": "UID",
    "0.9.2342.19200300.100.1.25": "DC",
}
"""What parts of a name are called where people read them (RFC 4514)."""
_VERSION, _UNIQUE_IDS, _EXTENSIONS = 0xA0, (0x81, 0x82), 0xA3
"""Tags of the parts of a certificate that may be missing."""

_Part = tuple[str, str | bytes]
"""What kind of name it is (an object identifier), and the name."""
_Name = list[list[_Part]]
"""Parts that are written one after the other. Those that stand together say the same thing."""


@dataclass(frozen=True, slots=True)
class CertificateFacts:
    begins: datetime.datetime
    ends: datetime.datetime
    issuer: str
    """Name of the authority, as the certificate tells it."""
    own: bool
    """Whether nobody but its owner vouches for it."""


def certificate_facts(der: bytes) -> CertificateFacts:
    """Read a certificate in DER form. Raises ValueError."""
    outer = DerElements(der)
    certificate = outer.inside(asn1.SEQUENCE)
    outer.end()
    told = certificate.inside(asn1.SEQUENCE)
    certificate.take(asn1.SEQUENCE)
    certificate.take(asn1.BIT_STRING)  # the signature
    certificate.end()

    if told.tag == _VERSION:
        told.take(_VERSION)
    told.take(asn1.INTEGER)  # its number
    told.take(asn1.SEQUENCE)
    issuer = _name(told.inside(asn1.SEQUENCE))
    dates = told.inside(asn1.SEQUENCE)
    begins, ends = _time(dates), _time(dates)
    dates.end()
    subject = _name(told.inside(asn1.SEQUENCE))
    told.take(asn1.SEQUENCE)  # the key
    for tag in (*_UNIQUE_IDS, _EXTENSIONS):
        if told.tag == tag:
            told.take(tag)
    told.end()
    own = [set(together) for together in issuer] == [set(together) for together in subject]
    return CertificateFacts(begins, ends, _shown(issuer), own)


def certificate_hash(der: bytes) -> str:
    """The whole SHA-256 of a certificate, in hex. A fingerprint for people is shorter (fingerprint.py)."""
    return hashlib.sha256(der).hexdigest()


def _time(dates: DerElements) -> datetime.datetime:
    """A moment, in one of two forms: UTCTime has years from 1950 to 2049, of two digits."""
    tag, content = dates.any()
    if tag not in (asn1.UTC_TIME, asn1.GENERALIZED_TIME):
        raise ValueError("not a moment")
    years = 2 if tag == asn1.UTC_TIME else 4
    if not re.fullmatch(rb"[0-9]{%d}Z" % (years + 10), content):
        raise ValueError("not a moment")
    digits = content.decode("ascii")
    year = int(digits[:years])
    if years == 2:
        year += 2000 if year < 50 else 1900
    month, day, hour, minute, second = (int(digits[at : at + 2]) for at in range(years, years + 10, 2))
    return datetime.datetime(year, month, day, hour, minute, second, tzinfo=datetime.UTC)


def _name(parts: DerElements) -> _Name:
    name: _Name = []
    while parts.tag is not None:
        together = parts.inside(asn1.SET)
        found: list[_Part] = []
        while together.tag is not None:
            part = together.inside(asn1.SEQUENCE)
            kind = asn1.read_oid(part.take(asn1.OBJECT_IDENTIFIER))
            tag, content = part.any()
            bits = tag == asn1.BIT_STRING and kind == _UNIQUE_IDENTIFIER
            found.append((kind, content if bits else asn1.read_text(tag, content)))
            part.end()
        if not found or len(set(found)) < len(found):
            raise ValueError("a part of a name that is empty, or says the same twice")
        name.append(found)
    return name


def _shown(name: _Name) -> str:
    """The organisation; else the common name; else all that there is."""
    for wanted in (_ORGANIZATION, _COMMON_NAME):
        for kind, value in (part for together in name for part in together):
            if kind == wanted:
                return str(value)
    return ",".join(
        "+".join(f"{_SHORT.get(kind, kind)}={_escaped(value)}" for kind, value in together)
        for together in reversed(name)
    )


def _escaped(value: str | bytes) -> str:
    """A value of a name, in the form of RFC 4514."""
    if isinstance(value, bytes):
        return f"#{value.hex()}" if value else ""
    text = re.sub(r'(^#|^ (?=.)| \Z|[\\"+,;<>])', r"\\\1", value, flags=re.DOTALL)
    return text.replace("\0", r"\00")
