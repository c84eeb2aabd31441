"""TLS: a certificate from files, or a self-signed one whose fingerprint goes into the join line."""

import datetime
import logging
import os
import ssl
from pathlib import Path

from dicegames_protocol.network.certificates import certificate_facts
from dicegames_protocol.network.fingerprint import fingerprint
from dicegames_protocol.system.private_files import open_private, private_folder, replace
from dicegames_server.core.clock import Clock, Handle
from dicegames_server.settings import CERTIFICATE_FILE, Settings, SettingsError

log = logging.getLogger("dicegames.certificate")
VALID_YEARS = 10
DAY_SECONDS = 24 * 3600.0
WARN_SECONDS = 14 * DAY_SECONDS
"""Seconds before the end of the certificate from which the log warns, once a day."""


class Certificate:
    """The certificate that the server shows to its clients. Raises SettingsError if the files can't be used.

    `reload` reads the files again; connections that are opened later use the new certificate. If the files can't be
    used then, nothing changes.
    """

    context: ssl.SSLContext
    der: bytes
    begins: datetime.datetime
    ends: datetime.datetime
    """From then on the certificate is no longer valid."""

    def __init__(self, cert: Path, key: Path | None, *, own: bool) -> None:
        self._cert, self._key, self._own = cert, key, own
        self.reload()

    @property
    def fingerprint(self) -> str | None:
        """Fingerprint of a self-signed certificate. None for one from files: clients check that one as usual."""
        return fingerprint(self.der) if self._own else None

    def reload(self) -> None:
        """Read the files into a fresh context, and use it only when all of it is right."""
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        try:
            context.load_cert_chain(self._cert, self._key, password=self._no_password)
            der = _first_der(self._cert)
            facts = certificate_facts(der)
        except FileNotFoundError:
            missing = next(path for path in (self._cert, self._key) if path and not path.exists())
            raise SettingsError(f"There is no file {missing}.") from None
        except (ssl.SSLError, ValueError) as error:
            if isinstance(error, SettingsError):
                raise
            pair = f"{self._cert}" + (f" and {self._key}" if self._key else "")
            raise SettingsError(f"{pair}: not a certificate (PEM) and the key that belongs to it.") from None
        except OSError as error:
            raise SettingsError(f"The certificate {self._cert} can't be read: {error.strerror}.") from None
        self.context, self.der, self.begins, self.ends = context, der, facts.begins, facts.ends

    def _no_password(self) -> str:
        """Called for an encrypted key. Nobody is there to type a pass phrase."""
        raise SettingsError(
            f"The key in {self._key or self._cert} needs a pass phrase, and a server can't be asked for one. "
            "Give it a key without one: openssl pkey -in KEY -out NEWKEY"
        )

    def seconds_left(self) -> float:
        """Seconds for which the certificate is still valid. Negative: it has expired."""
        return (self.ends - datetime.datetime.now(datetime.UTC)).total_seconds()


class CertificateWatch:
    """Says once a day in the log that the certificate ends soon."""

    def __init__(self, clock: Clock, certificate: Certificate) -> None:
        self._clock = clock
        self._certificate = certificate
        self._timer: Handle | None = None

    def start(self) -> None:
        self.look()
        self._timer = self._clock.call_later(DAY_SECONDS, self.start)

    def look(self) -> None:
        """Say in the log whether the certificate ends soon, or is not good at all."""
        now = datetime.datetime.now(datetime.UTC)
        if self._certificate.begins > now:
            log.warning("the certificate is not valid before %s: clients refuse it", self._certificate.begins)
        left, day = self._certificate.seconds_left(), f"{self._certificate.ends:%Y-%m-%d}"
        if left < 0:
            log.warning("the certificate has expired on %s: clients refuse it", day)
        elif left < WARN_SECONDS:
            log.warning("the certificate ends in %d days, on %s: renew it", left // DAY_SECONDS, day)

    def stop(self) -> None:
        if self._timer:
            self._timer.cancel()


def certificate_for(settings: Settings, folder: Path) -> Certificate | None:
    """The certificate that the settings ask for; None without TLS. Raises SettingsError.

    `folder` is where a self-signed certificate is kept.
    """
    if settings.tls == "self":
        if settings.tls_cert or settings.tls_key:
            raise SettingsError("--tls self makes its own certificate: it does not go with --tls-cert and --tls-key.")
        path = folder / CERTIFICATE_FILE
        if not path.exists():
            _make(path)
        return Certificate(path, None, own=True)
    if settings.tls_key and not settings.tls_cert:
        raise SettingsError("--tls-key needs --tls-cert.")
    if not settings.tls_cert:
        return None
    key = Path(settings.tls_key).expanduser() if settings.tls_key else None
    return Certificate(Path(settings.tls_cert).expanduser(), key, own=False)


def _first_der(path: Path) -> bytes:
    pem = path.read_text()
    begin, end = "-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----"
    return ssl.PEM_cert_to_DER_cert(pem[pem.index(begin) : pem.index(end) + len(end)])


def _make(path: Path) -> None:
    """Make a key and a self-signed certificate, and write both to `path`. Raises SettingsError.

    Nothing else needs the library that makes them, so it is an extra.
    """
    try:
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.x509.oid import NameOID
    except ImportError:
        raise SettingsError(
            "To make a certificate of its own (--tls self), the server needs the extra tls: "
            "pip install 'dicegames[tls]'"
        ) from None
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "dicegames")])
    now = datetime.datetime.now(datetime.UTC)
    public = key.public_key()
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(public)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))  # clocks differ
        .not_valid_after(now + datetime.timedelta(days=365 * VALID_YEARS))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("dicegames")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
        .sign(key, hashes.SHA256())
    )
    text = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ) + made.public_bytes(serialization.Encoding.PEM)
    try:
        private_folder(path.parent)
        new = path.with_suffix(".new")
        handle = open_private(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        with os.fdopen(handle, "wb") as file:
            file.write(text)
        replace(new, path)
    except OSError as error:
        raise SettingsError(f"The certificate can't be kept in {path.parent}: {error.strerror}.") from None
