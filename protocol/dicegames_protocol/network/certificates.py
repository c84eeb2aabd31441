"""What a certificate says: from when until when it is valid, who it is for, and who vouches for it.

Nothing is checked here. The ssl module checks certificates; this only finds the words for what it says.
"""

import datetime
import hashlib
from dataclasses import dataclass

from cryptography import x509
from cryptography.x509.oid import NameOID


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
    certificate = x509.load_der_x509_certificate(der)
    name = certificate.issuer
    found = name.get_attributes_for_oid(NameOID.ORGANIZATION_NAME) or name.get_attributes_for_oid(NameOID.COMMON_NAME)
    issuer = str(found[0].value) if found else name.rfc4514_string()
    own = certificate.issuer == certificate.subject
    return CertificateFacts(certificate.not_valid_before_utc, certificate.not_valid_after_utc, issuer, own)


def certificate_hash(der: bytes) -> str:
    """The whole SHA-256 of a certificate, in hex. A fingerprint for people is shorter (fingerprint.py)."""
    return hashlib.sha256(der).hexdigest()
