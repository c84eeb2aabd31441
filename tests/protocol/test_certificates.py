"""What is read from a certificate: the same that another library reads, and never more than a ValueError."""

import datetime
import warnings

import pytest
import trustme
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.x509.name import _ASN1Type as Kind
from cryptography.x509.oid import NameOID
from hypothesis import assume, given
from hypothesis import strategies as st

from dicegames_protocol.network.certificates import CertificateFacts, certificate_facts
from dicegames_protocol.network.der import MOST_DER_BYTES, DerElements, read_oid, read_text

KEY = Ed25519PrivateKey.from_private_bytes(bytes(32))
EARLIEST, LATEST = datetime.datetime(1950, 1, 1), datetime.datetime(9999, 12, 31, 23, 59, 59)
PRINTABLE = "ABCXYZabcxyz0189 '()+,-./:=?"
OIDS = [
    NameOID.ORGANIZATION_NAME,
    NameOID.COMMON_NAME,
    NameOID.ORGANIZATIONAL_UNIT_NAME,
    NameOID.DOMAIN_COMPONENT,
    NameOID.STREET_ADDRESS,
    NameOID.LOCALITY_NAME,
    NameOID.STATE_OR_PROVINCE_NAME,
    NameOID.USER_ID,
    NameOID.EMAIL_ADDRESS,
    x509.ObjectIdentifier("1.3.6.1.4.1.99999.7"),
    x509.ObjectIdentifier("2.999.3"),
]


def by_another_library(der: bytes) -> CertificateFacts:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        certificate = x509.load_der_x509_certificate(der)
        name = certificate.issuer
        found = name.get_attributes_for_oid(NameOID.ORGANIZATION_NAME)
        found = found or name.get_attributes_for_oid(NameOID.COMMON_NAME)
        issuer = str(found[0].value) if found else name.rfc4514_string()
        own = certificate.issuer == certificate.subject
    return CertificateFacts(certificate.not_valid_before_utc, certificate.not_valid_after_utc, issuer, own)


def made(
    issuer: x509.Name,
    subject: x509.Name,
    begins: datetime.datetime = datetime.datetime(2026, 1, 2, 3, 4, 5),
    ends: datetime.datetime = datetime.datetime(2050, 1, 1),
    extensions: bool = True,
) -> bytes:
    builder = x509.CertificateBuilder(issuer, subject, KEY.public_key(), 1234567, begins, ends)
    if extensions:
        builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName("dice")]), critical=False)
    return builder.sign(KEY, None).public_bytes(serialization.Encoding.DER)


@st.composite
def attributes(draw: st.DrawFn) -> x509.NameAttribute[str] | x509.NameAttribute[bytes]:
    if draw(st.integers(0, 9)) == 0:
        return x509.NameAttribute(NameOID.X500_UNIQUE_IDENTIFIER, draw(st.binary(max_size=9)), Kind.BitString)
    kinds = st.sampled_from(
        [
            (Kind.UTF8String, st.characters(codec="utf-8")),
            (Kind.PrintableString, st.sampled_from(PRINTABLE)),
            (Kind.IA5String, st.characters(codec="ascii")),
            (Kind.T61String, st.characters(codec="utf-8")),
            (Kind.NumericString, st.sampled_from("0123456789 ")),
            (Kind.VisibleString, st.characters(codec="ascii")),
            (Kind.UniversalString, st.characters(codec="utf-8")),
            (Kind.BMPString, st.characters(codec="utf-8", max_codepoint=0xFFFF)),
        ]
    )
    kind, characters = draw(kinds)
    text = draw(st.text(characters, min_size=1, max_size=16))
    return x509.NameAttribute(draw(st.sampled_from(OIDS)), text, kind)


@st.composite
def names(draw: st.DrawFn) -> x509.Name:
    together = st.lists(attributes(), min_size=1, max_size=3, unique=True)
    return x509.Name([x509.RelativeDistinguishedName(parts) for parts in draw(st.lists(together, max_size=4))])


MOMENTS = st.datetimes(EARLIEST, LATEST).map(lambda moment: moment.replace(microsecond=0))


@given(names(), st.none() | names(), MOMENTS, MOMENTS, st.booleans())
def test_another_library_reads_the_same(
    issuer: x509.Name,
    subject: x509.Name | None,
    one: datetime.datetime,
    other: datetime.datetime,
    extensions: bool,
) -> None:
    """Names with and without organisation and common name, all kinds of texts, both forms of time."""
    der = made(issuer, issuer if subject is None else subject, min(one, other), max(one, other), extensions)
    facts = certificate_facts(der)
    assert facts == by_another_library(der)
    assert facts.own or subject is not None


@pytest.mark.parametrize(
    ("parts", "shown"),
    [
        ([(NameOID.COMMON_NAME, "dice"), (NameOID.ORGANIZATION_NAME, "Dice & Co")], "Dice & Co"),
        ([(NameOID.ORGANIZATIONAL_UNIT_NAME, "x"), (NameOID.COMMON_NAME, "dice")], "dice"),
        ([(NameOID.COUNTRY_NAME, "DE"), (NameOID.LOCALITY_NAME, " a+b, #")], "L=\\ a\\+b\\, #,C=DE"),
        ([(NameOID.LOCALITY_NAME, "# "), (NameOID.USER_ID, "\0\\")], "UID=\\00\\\\,L=\\#\\ "),
        ([], ""),
    ],
)
def test_an_authority_has_the_name_that_it_gives_itself(
    parts: list[tuple[x509.ObjectIdentifier, str]], shown: str
) -> None:
    name = x509.Name([x509.NameAttribute(oid, text) for oid, text in parts])
    der = made(name, x509.Name([]))
    assert certificate_facts(der).issuer == shown == by_another_library(der).issuer
    assert certificate_facts(der).own is (not parts)


def test_a_name_is_the_same_in_another_kind_of_text() -> None:
    kinds = (Kind.UTF8String, Kind.PrintableString, Kind.BMPString)
    one, same, wide = (x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "dice", kind)]) for kind in kinds)
    for subject in (same, wide):
        assert certificate_facts(made(one, subject)).own


def test_an_ordinary_authority_is_read() -> None:
    authority = trustme.CA(organization_name="Dice Authority")
    server = authority.issue_cert("dice.example.org", organization_name="The Server")
    pems = [authority.cert_pem.bytes(), server.cert_chain_pems[0].bytes()]
    ders = [x509.load_pem_x509_certificate(pem).public_bytes(serialization.Encoding.DER) for pem in pems]
    assert [certificate_facts(der) for der in ders] == [by_another_library(der) for der in ders]
    assert [(certificate_facts(der).issuer, certificate_facts(der).own) for der in ders] == [
        ("Dice Authority", True),
        ("Dice Authority", False),
    ]


SAMPLES = [
    made(x509.Name([]), x509.Name([])),
    made(
        x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "dicegames")]),
        x509.Name([x509.NameAttribute(NameOID.X500_UNIQUE_IDENTIFIER, b"\0ab", Kind.BitString)]),
    ),
    made(
        x509.Name([x509.NameAttribute(oid, "dice", Kind.BMPString) for oid in OIDS[2:]]),
        x509.Name([x509.NameAttribute(NameOID.ORGANIZATION_NAME, "x" * 200)]),
    ),
]


def read_or_refused(der: bytes) -> CertificateFacts | None:
    """Any other error fails the test."""
    try:
        return certificate_facts(der)
    except ValueError:
        return None


EDITS = st.tuples(st.integers(0, 700), st.integers(0, 4), st.binary(max_size=4))


@given(st.sampled_from(SAMPLES), st.lists(EDITS, min_size=1, max_size=4))
def test_a_damaged_certificate_is_read_or_refused(der: bytes, edits: list[tuple[int, int, bytes]]) -> None:
    for at, gone, put in edits:
        der = der[:at] + put + der[at + gone :]
    read_or_refused(der)


@pytest.mark.parametrize("sample", SAMPLES)
def test_every_single_byte_may_be_any_other(sample: bytes) -> None:
    """Wherever another library reads such a certificate too, both read the same."""
    read = agreed = 0
    for at in range(len(sample) - 64):  # the rest is the signature
        for byte in {0, 1, 0x7F, 0x80, 0xFF, sample[at] ^ 1, sample[at] ^ 0x20, sample[at] ^ 0x80} - {sample[at]}:
            der = sample[:at] + bytes([byte]) + sample[at + 1 :]
            facts = read_or_refused(der)
            read += facts is not None
            try:
                agreed += facts == by_another_library(der)
            except (ValueError, TypeError, x509.InvalidVersion):
                continue
            assert facts == by_another_library(der), f"byte {at} is {byte:#x}"
    assert read and agreed


@pytest.mark.parametrize("sample", SAMPLES)
def test_a_part_of_a_certificate_is_none(sample: bytes) -> None:
    assert all(read_or_refused(sample[:end]) is None for end in range(len(sample)))
    assert all(read_or_refused(sample + more) is None for more in (b"\0", b"\x05\0", sample))


@given(st.binary(max_size=300))
def test_any_bytes_are_refused(junk: bytes) -> None:
    assert read_or_refused(junk) is None
    assert read_or_refused(b"\x30\x82" + len(junk).to_bytes(2, "big") + junk) is None


def element(tag: int, *contents: bytes) -> bytes:
    content = b"".join(contents)
    if len(content) < 0x80:
        return bytes([tag, len(content)]) + content
    digits = len(content).to_bytes((len(content).bit_length() + 7) // 8, "big")
    return bytes([tag, 0x80 | len(digits)]) + digits + content


TIMES = element(0x17, b"260101000000Z"), element(0x18, b"20600101000000Z")


def by_hand(issuer: bytes = b"", dates: tuple[bytes, ...] = TIMES, more: bytes = b"") -> bytes:
    """A certificate, part by part."""
    told = (
        element(0x02, b"\x01"),
        element(0x30),
        element(0x30, issuer),
        element(0x30, *dates),
        element(0x30),
        element(0x30),
    )
    return element(0x30, element(0x30, *told, more), element(0x30), element(0x03, b"\0"))


def part(oid: bytes, text: bytes) -> bytes:
    return element(0x30, element(0x06, oid), text)


COMMON_NAME = b"\x55\x04\x03"


def test_what_is_made_by_hand_is_read() -> None:
    facts = certificate_facts(by_hand(element(0x31, part(COMMON_NAME, element(0x0C, b"dice")))))
    assert (facts.issuer, facts.own, facts.begins.year, facts.ends.year) == ("dice", False, 2026, 2060)


@pytest.mark.parametrize(
    "issuer",
    [
        element(0x31),
        element(0x31, part(COMMON_NAME, b"")),
        element(0x31, part(b"", element(0x0C, b"x"))),
        element(0x31, part(b"\x55\x80\x03", element(0x0C, b"x"))),
        element(0x31, part(b"\x55\x84", element(0x0C, b"x"))),
        element(0x31, part(b"\x55" * 64, element(0x0C, b"x"))),
        element(0x31, part(COMMON_NAME, element(0x0C, b"\xff"))),
        element(0x31, part(COMMON_NAME, element(0x1E, b"x"))),
        element(0x31, part(COMMON_NAME, element(0x1E, b"\xd8\0"))),
        element(0x31, part(COMMON_NAME, element(0x1C, b"\0\x11\0\0"))),
        element(0x31, part(COMMON_NAME, element(0x13, b"x@y"))),
        element(0x31, part(COMMON_NAME, element(0x03, b"\0x"))),
        element(0x31, part(COMMON_NAME, element(0x30, b""))),
        element(0x31, part(COMMON_NAME, element(0x1F, b"x"))),
        element(0x31, part(COMMON_NAME, element(0x0C, b"x") * 2)),
        element(0x31, *[part(COMMON_NAME, element(0x0C, b"x"))] * 2),
        element(0x30, part(COMMON_NAME, element(0x0C, b"x"))),
    ],
)
def test_odd_names_are_refused(issuer: bytes) -> None:
    assert read_or_refused(by_hand(issuer)) is None


@pytest.mark.parametrize(
    "moment",
    [
        *(b"", b"2601010000Z", b"260101000000", b"260101000000+0000", b"26010100000 Z", b"-60101000000Z"),
        *(b"261301000000Z", b"260230000000Z", b"260101240000Z", b"260101000060Z", "２60101000000Z".encode()),
    ],
)
def test_odd_moments_are_refused(moment: bytes) -> None:
    assert read_or_refused(by_hand(dates=(element(0x17, moment), TIMES[1]))) is None
    assert read_or_refused(by_hand(dates=(TIMES[0], element(0x18, b"20" + moment)))) is None
    assert read_or_refused(by_hand(dates=(TIMES[0], element(0x18, b"00000101000000Z")))) is None


def test_two_moments_are_wanted() -> None:
    for dates in [(), TIMES[:1], (*TIMES, TIMES[0]), (element(0x02, b"1"), TIMES[1])]:
        assert read_or_refused(by_hand(dates=dates)) is None


@pytest.mark.parametrize(
    "length", [b"\x80", b"\x81\x05", b"\x82\x00\x81", b"\x84\x00\x00\x00\x05", b"\xff", b"\x82\x01"]
)
def test_lengths_have_their_shortest_form(length: bytes) -> None:
    with pytest.raises(ValueError):
        DerElements(b"\x0c" + length + bytes(5)).take(0x0C)


def test_what_is_too_long_is_not_read() -> None:
    name = element(0x31, part(COMMON_NAME, element(0x0C, b"x" * 60_000)))
    assert len(certificate_facts(by_hand(name)).issuer) == 60_000
    long = by_hand(element(0x31, part(COMMON_NAME, element(0x0C, b"x" * MOST_DER_BYTES))))
    with pytest.raises(ValueError, match="longer than 65536 bytes"):
        certificate_facts(long)


def test_only_known_parts_may_follow() -> None:
    assert read_or_refused(by_hand(more=element(0x81, b"\0x") + element(0x82, b"\0x") + element(0xA3, b"")))
    assert read_or_refused(by_hand(more=element(0xA3, b"") + element(0x81, b"\0x"))) is None
    assert read_or_refused(by_hand(more=element(0xA4, b""))) is None


@given(st.lists(st.integers(0, 2**40), max_size=5), st.integers(0, 2), st.integers(0, 39))
def test_identifiers_are_read_as_they_are_written(more: list[int], first: int, second: int) -> None:
    dotted = ".".join(str(arc) for arc in (first, second, *more))
    name = x509.Name([x509.NameAttribute(x509.ObjectIdentifier(dotted), "x")])
    assume(dotted not in ("2.5.4.3", "2.5.4.10"))
    assert certificate_facts(made(name, name)).issuer.endswith("=x")
    parts = DerElements(name.public_bytes()).inside(0x30).inside(0x31).inside(0x30)
    assert read_oid(parts.take(0x06)) == dotted


@given(st.integers(0, 255), st.binary(max_size=20))
def test_any_text_is_read_or_refused(tag: int, content: bytes) -> None:
    try:
        assert isinstance(read_text(tag, content), str)
    except ValueError:
        return
