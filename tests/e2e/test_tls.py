"""Encrypted connections: our own certificates, pinned; those of a certificate authority; and a man in the middle."""

import asyncio
import datetime
import ipaddress
import socket
import ssl
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import trustme
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from dicegames_client.base.address import Address, parse_address
from dicegames_client.base.errors import ClientError
from dicegames_client.base.terminal.terminal import LocalTerminal
from dicegames_client.cli.arguments import parse
from dicegames_client.cli.controller import for_visitors
from dicegames_client.cli.hosting import start_server
from dicegames_client.cli.keeping import KeptTables
from dicegames_client.enter import finding
from dicegames_client.enter.asking import list_rooms
from dicegames_client.enter.finding import Discovery, rooms_of
from dicegames_client.guest import known_servers, trust
from dicegames_client.lines.line_prompter import LinePrompter
from dicegames_protocol.network.fingerprint import fingerprint
from dicegames_server.app.service import Service
from dicegames_server.net.tls.certificate import Certificate, certificate_for
from dicegames_server.settings import SettingsError
from e2e.conftest import Serve
from support.eventually import eventually
from support.process import Process, run
from support.settings import quick

CLIENT = "dicegames_client"


@pytest.fixture(autouse=True)
def own_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


def address_of(server: Service, *, pin: str | None = None) -> Address:
    return Address("127.0.0.1", server.port, secure=True, pin=pin)


def pin_of(server: Service) -> str:
    assert server.certificate and server.certificate.fingerprint
    return server.certificate.fingerprint


async def another_key(serve: Serve, folder: Path) -> tuple[Address, Service]:
    """A known server, and in its place one with another key."""
    server = await serve(quick(tls="self"))
    address, port = address_of(server), server.port
    await list_rooms(address)
    await server.stop()
    (folder / "data" / "dicegames" / "tls.pem").unlink()
    return address, await serve(quick(tls="self", port=port))


def certificate(path: Path, *, begins: int, ends: int, encrypted: bool = False) -> Path:
    """A self-signed certificate for 127.0.0.1, valid from and until so many days from now."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.datetime.now(datetime.UTC)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "dicegames")])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now + datetime.timedelta(days=begins))
        .not_valid_after(now + datetime.timedelta(days=ends))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    hidden = serialization.BestAvailableEncryption(b"swordfish") if encrypted else serialization.NoEncryption()
    text = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, hidden)
    path.write_bytes(text + made.public_bytes(serialization.Encoding.PEM))
    return path


def some_der(folder: Path) -> bytes:
    """The certificate of some other server."""
    path = folder / "some.pem"
    return Certificate(path if path.exists() else certificate(path, begins=-1, ends=30), None, own=True).der


async def test_a_certificate_of_our_own_is_made_once_and_kept_to_ourselves(tmp_path: Path) -> None:
    settings = quick(tls="self")
    first = certificate_for(settings, tmp_path / "new")
    again = certificate_for(settings, tmp_path / "new")
    assert first and again and first.fingerprint == again.fingerprint
    assert ((tmp_path / "new" / "tls.pem").stat().st_mode & 0o777) == 0o600


async def test_the_join_line_names_the_key_and_the_client_insists_on_it(serve: Serve, tmp_path: Path) -> None:
    server = await serve(quick(tls="self"))
    assert (await list_rooms(address_of(server, pin=pin_of(server)))).rooms == ()
    wrong = "a" * 26
    known_servers.forget(address_of(server))
    with pytest.raises(ClientError, match=f"Your join line names the key {wrong}, but .* shows {pin_of(server)}"):
        await list_rooms(address_of(server, pin=wrong))
    assert not known_servers.encrypted_before(address_of(server))


async def test_a_key_is_pinned_on_first_use_and_told_once(serve: Serve, tmp_path: Path) -> None:
    server = await serve(quick(tls="self"))
    address = Address("127.0.0.1", server.port, secure=True)
    assert (await list_rooms(address)).rooms == ()
    known = known_servers.known(address.place)
    assert known and known.trust == "pin"
    elsewhere = Address("localhost.example", server.port, secure=True)
    known_servers.remember(elsewhere, "pin", some_der(tmp_path))
    assert f"its key {fingerprint(some_der(tmp_path))} is remembered" in trust.first_word(elsewhere)
    assert trust.first_word(elsewhere) == ""
    assert trust.first_word(address) == ""  # on this machine there is nobody in between


async def test_a_pin_follows_the_server_and_not_its_spelling(serve: Serve) -> None:
    server = await serve(quick(tls="self"))
    await list_rooms(address_of(server))
    other = Address("localhost", server.port, secure=True)
    await list_rooms(other)
    twins = [known_servers.known(place) for place in (address_of(server).place, other.place)]
    assert all(twins) and len({(twin.id, twin.certificate) for twin in twins if twin}) == 1
    assert known_servers.same_server(address_of(server), other)
    new = Address("dice.example.org", server.port, secure=True)
    known_servers.remember(new, "pin", known_servers.known(other.place).der)  # type: ignore[union-attr]
    assert "is the server that you know as localhost" in trust.first_word(new)


async def test_under_an_impostor_the_sentence_says_what_was_compared_with_what(serve: Serve, tmp_path: Path) -> None:
    """The line that fits the old key was said to fit the new one, which led people to `forget`."""
    address, impostor = await another_key(serve, tmp_path)
    known = known_servers.known(address.place)
    assert known and known.pin
    cases = {
        None: "This machine knows it by",
        known.pin: f"your join line and this machine both name {known.pin}. Somebody is probably in between.",
        pin_of(impostor): f"Your join line names the same one, but this machine knows {known.pin}.",
        "a" * 26: "no two of them agree",
    }
    for line, sentence in cases.items():
        with pytest.raises(ClientError, match=r"^STOP: ") as stopped:
            await list_rooms(replace(address, pin=line))
        assert stopped.value.code == 4
        assert sentence in stopped.value.sentence
        assert pin_of(impostor) in stopped.value.sentence
        assert ("forget" in stopped.value.sentence) is (line in (None, pin_of(impostor)))
    around = await rooms_of([address])
    assert not around.servers and "STOP" in around.warnings[0].sentence  # it is not just left out of a list
    assert known_servers.forget(address)
    assert (await list_rooms(address)).rooms == ()


async def test_a_wrong_line_to_a_server_that_we_know(serve: Serve) -> None:
    server = await serve(quick(tls="self"))
    await list_rooms(address_of(server))
    with pytest.raises(ClientError, match=r"by which this machine knows it. The line is old or for another server"):
        await list_rooms(address_of(server, pin="a" * 26))


async def test_a_code_is_not_tried_elsewhere_when_its_server_has_another_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A password that is typed for one server must not go to another server on the network."""
    stop, other = ClientError("STOP: it has another key than before.", 4), Address("192.168.1.24", 8765)

    async def look_near(**_: bool) -> Discovery:
        return Discovery((other,), (), (stop,))

    monkeypatch.setattr(finding, "look_near", look_near)
    with pytest.raises(ClientError, match=r"STOP"):
        await finding.server_with("KQ7M", LinePrompter(LocalTerminal()))


async def test_nothing_is_told_to_an_impostor(serve: Serve, tmp_path: Path) -> None:
    """Not even hello: a server with another key learns neither name nor token."""
    address, impostor = await another_key(serve, tmp_path)
    with pytest.raises(ClientError):
        await list_rooms(address)
    assert impostor.environment.metrics.connected == 0


async def test_certificates_of_an_authority_are_checked_as_usual(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority = trustme.CA(organization_name="The Test Authority")
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    mine, other = authority.issue_cert("127.0.0.1"), authority.issue_cert("dice.example.org")
    mine.private_key_and_cert_chain_pem.write_to_path(tmp_path / "mine.pem")
    other.private_key_and_cert_chain_pem.write_to_path(tmp_path / "other.pem")
    server = await serve(quick(tls_cert=str(tmp_path / "mine.pem")))
    address = address_of(server)
    with pytest.raises(ClientError, match=r"an authority that this machine does not know: The Test Authority"):
        await list_rooms(address)  # nobody knows this authority, and it is not self-signed: no pin
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    assert (await list_rooms(address)).rooms == ()
    known = known_servers.known(address.place)
    assert known and (known.trust, known.certificate) == ("authority", "")
    misnamed = await serve(quick(tls_cert=str(tmp_path / "other.pem")))
    with pytest.raises(ClientError, match="is for another name"):
        await list_rooms(address_of(misnamed))
    port = server.port
    await server.stop()
    own = await serve(quick(tls="self", port=port))
    for line in (None, pin_of(own), "a" * 26):
        with pytest.raises(ClientError, match=r"STOP: .* which it has made itself. Before, an authority vouched"):
            await list_rooms(replace(address, pin=line))  # who had an authority's word does not get away with their own


@pytest.mark.parametrize(
    ("begins", "ends", "sentence"),
    [(-30, -2, "has expired on 20"), (2, 30, "is not valid before 20.* Is the clock of this machine right")],
)
@pytest.mark.parametrize("authority", [False, True])
async def test_dates_have_a_sentence_of_their_own(
    serve: Serve,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    begins: int,
    ends: int,
    sentence: str,
    authority: bool,
) -> None:
    """At first contact, too: an expired certificate of its own was called "another key than before"."""
    path = certificate(tmp_path / "cert.pem", begins=begins, ends=ends)
    if authority:  # the machine takes the certificate's word
        monkeypatch.setenv("SSL_CERT_FILE", str(path))
    server = await serve(quick(tls_cert=str(path)))
    der = server.certificate.der if server.certificate else b""
    for pin in (None, fingerprint(der)):
        with pytest.raises(ClientError, match=sentence):
            await list_rooms(address_of(server, pin=pin))
    known_servers.remember(address_of(server), "pin", der)  # pinned while it was still valid
    with pytest.raises(ClientError, match=sentence):
        await list_rooms(address_of(server))


async def test_no_sentence_advises_plain_text(serve: Serve) -> None:
    plain, encrypted = await serve(quick()), await serve(quick(tls="self"))
    with pytest.raises(ClientError) as told:
        await list_rooms(address_of(plain))
    assert "ws://" not in told.value.sentence.replace("wss://", "") and "without" not in told.value.sentence
    with pytest.raises(ClientError, match=rf"If it encrypts: wss://127.0.0.1:{encrypted.port}"):
        await list_rooms(Address("127.0.0.1", encrypted.port))


async def answers_with(reply: bytes) -> tuple[asyncio.Server, int]:
    """A server that answers whatever comes with these bytes, and hangs up."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(4096)
        writer.write(reply)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    return server, server.sockets[0].getsockname()[1]


@pytest.mark.parametrize(
    "reply",
    [
        b"\x15\x03\x03\x00\x02\x02\x28",  # handshake failure
        b"\x15\x03\x03\x00\x02\x02\x46",  # protocol version
        b"\x15\x03\x03\x00\x02\x02\x50",  # internal error
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
        b"",
    ],
)
async def test_whatever_fails_nobody_is_led_into_the_clear(reply: bytes, tmp_path: Path) -> None:
    """Alerts are not encrypted: whoever is in between can send them."""
    server, port = await answers_with(reply)
    address = Address("127.0.0.1", port, secure=True)
    for known in (False, True):
        if known:
            known_servers.remember(address, "pin", some_der(tmp_path))
        with pytest.raises(ClientError) as told:
            await list_rooms(Address("127.0.0.1", port, secure=True, pin=None))
        sentence = told.value.sentence
        assert "without" not in sentence and "ws://" not in sentence.replace("wss://", "")
        assert "forget" not in sentence or "Only if the host has turned encryption off" in sentence
        assert ("is not now" in sentence) is (known and reply.startswith(b"HTTP"))  # an alert does not say that
    server.close()


async def test_a_server_that_was_encrypted_is_not_spoken_to_in_the_clear(serve: Serve) -> None:
    server = await serve(quick(tls="self"))
    port = server.port
    await list_rooms(address_of(server))
    typed = known_servers.typed_address(f"127.0.0.1:{port}/KQ7M")
    assert typed == address_of(server).at("KQ7M")  # wss:// need not be typed
    await server.stop()
    plain = await serve(quick(port=port))
    with pytest.raises(ClientError, match=r"STOP: .* was encrypted when this machine met it, and it is not now"):
        await list_rooms(Address("127.0.0.1", port))
    with pytest.raises(ClientError, match=r"breaks off before it is encrypted. It was encrypted when this machine"):
        await list_rooms(known_servers.typed_address(f"127.0.0.1:{port}"))
    assert plain.environment.metrics.connected == 0
    await list_rooms(known_servers.typed_address(f"ws://127.0.0.1:{port}"))  # said in so many words
    assert known_servers.forget(parse_address(f"127.0.0.1:{port}"))
    await list_rooms(known_servers.typed_address(f"127.0.0.1:{port}"))


def test_this_machine_is_one_host_however_it_is_spelled(tmp_path: Path) -> None:
    known_servers.remember(Address("127.0.0.1", 9251, secure=True), "pin", some_der(tmp_path))
    for spelled in ("localhost:9251", "[::1]:9251", "127.0.0.5:9251"):
        assert known_servers.typed_address(spelled).secure
    assert not known_servers.typed_address("localhost:9252").secure


async def test_in_the_clear_on_purpose_is_told_and_changes_nothing(tmp_path: Path) -> None:
    address = Address("192.168.1.23", 8765, secure=True)
    known_servers.remember(address, "pin", some_der(tmp_path))
    known_servers.meet(address, "ab" * 32)
    plain = parse_address("ws://192.168.1.23:8765")
    before = trust.met(plain, "cd" * 32)  # somebody there says another id
    assert "is not encrypted now, as you wanted with ws://. It was before." in trust.first_word(plain, before)
    known = known_servers.known(address.place)
    assert known and (known.trust, known.id) == ("pin", "ab" * 32)


def test_a_host_stays_encrypted_at_all_its_ports() -> None:
    known_servers.remember(Address("dice.example.org", 443, secure=True), "authority")
    for typed, server in {
        "dice.example.org/KQ7M": "wss://dice.example.org:443",  # no port: where it is known
        "dice.example.org:8765/KQ7M": "wss://dice.example.org:8765",
        "DICE.example.org:9000": "wss://dice.example.org:9000",
        "ws://dice.example.org:8765": "ws://dice.example.org:8765",
        "other.example.org": "other.example.org:8765",
    }.items():
        assert known_servers.typed_address(typed).server == server
    assert known_servers.forget(parse_address("dice.example.org"))
    assert known_servers.typed_address("dice.example.org").server == "dice.example.org:8765"


async def test_a_redirect_does_not_lead_into_the_clear() -> None:
    known_servers.remember(Address("n1.dice.example.org", 443, secure=True), "authority")
    plain = parse_address("ws://dice.example.org:8765/KQ7M").sent_to("ws://n1.dice.example.org:8765/r/KQ7M")
    with pytest.raises(ClientError, match=r"STOP: n1.dice.example.org:8765 was encrypted"):
        await trust.context_for(plain)
    with pytest.raises(ClientError, match="wants to send us on without encryption, and we do not go"):
        parse_address("wss://dice.example.org/KQ7M").sent_to("ws://dice.example.org:8765/r/KQ7M")


def test_a_held_seat_does_not_lead_into_the_clear(tmp_path: Path) -> None:
    """It remembers the address as it was typed, before the server was encrypted."""
    known_servers.remember(Address("192.168.1.23", 8765, secure=True), "pin", some_der(tmp_path))
    assert known_servers.typed_address("192.168.1.23:8765").secure


async def test_a_renewed_certificate_is_read_without_a_restart(serve: Serve, tmp_path: Path) -> None:
    authority = trustme.CA()
    path = tmp_path / "cert.pem"
    authority.issue_cert("127.0.0.1").private_key_and_cert_chain_pem.write_to_path(path)
    server = await serve(quick(tls_cert=str(path)))
    assert server.certificate
    before = await trust.shown_by(address_of(server))
    authority.issue_cert("127.0.0.1").private_key_and_cert_chain_pem.write_to_path(path)
    server.certificate.reload()
    assert before != await trust.shown_by(address_of(server))
    path.write_text("nonsense")
    with pytest.raises(SettingsError):
        server.certificate.reload()
    assert await trust.shown_by(address_of(server))  # the old one is still shown


async def test_a_failed_reload_changes_nothing(serve: Serve, tmp_path: Path) -> None:
    """The certificate is new, the key is not yet: the context had taken the one without the other."""
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    authority = trustme.CA()
    first, second = authority.issue_cert("127.0.0.1"), authority.issue_cert("127.0.0.1")
    first.cert_chain_pems[0].write_to_path(cert)
    first.private_key_pem.write_to_path(key)
    server = await serve(quick(tls_cert=str(cert), tls_key=str(key)))
    assert server.certificate
    before = await trust.shown_by(address_of(server))
    second.cert_chain_pems[0].write_to_path(cert)
    with pytest.raises(SettingsError, match="not a certificate"):
        server.certificate.reload()
    assert before == server.certificate.der == await trust.shown_by(address_of(server))
    second.private_key_pem.write_to_path(key)
    server.certificate.reload()
    assert before != await trust.shown_by(address_of(server)) == server.certificate.der


async def test_a_key_with_a_pass_phrase_is_refused_and_nobody_is_asked(serve: Serve, tmp_path: Path) -> None:
    path = certificate(tmp_path / "cert.pem", begins=-1, ends=30, encrypted=True)
    with pytest.raises(SettingsError, match="needs a pass phrase"):
        certificate_for(quick(tls_cert=str(path)), tmp_path)
    server = await serve(quick(tls_cert=str(certificate(tmp_path / "cert.pem", begins=-1, ends=30))))
    certificate(path, begins=-1, ends=30, encrypted=True)
    assert server.certificate
    with pytest.raises(SettingsError, match="needs a pass phrase"):
        server.certificate.reload()
    assert await trust.shown_by(address_of(server)) == server.certificate.der


async def test_the_end_of_a_certificate_is_seen_before_it_comes(
    serve: Serve, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for days, said in ((30, ""), (10, "the certificate ends in 9 days"), (-1, "the certificate has expired")):
        caplog.clear()
        server = await serve(quick(tls_cert=str(certificate(tmp_path / "cert.pem", begins=-40, ends=days))))
        assert (said in caplog.text) if said else "the certificate" not in caplog.text
        assert server.certificate and server._status.of_node()["certificate_ends"] == round(
            server.certificate.ends.timestamp()
        )
        caplog.clear()
        server.reload_certificate()
        assert (said in caplog.text) if said else "the certificate" not in caplog.text


async def test_half_open_handshakes_are_counted_when_they_are_accepted(serve: Serve) -> None:
    """1,500 of them, which say nothing, exhausted the descriptors, and nobody else could come in."""
    server = await serve(quick(tls="self", connections_per_address=5, handshake_seconds=30))
    silent = [await asyncio.open_connection("127.0.0.1", server.port) for _ in range(30)]
    limits = server.lobby.address_limits
    try:
        await eventually(lambda: server.environment.metrics.cuts["crowd"] >= 10)
        assert limits.knocking("127.0.0.1") == 20  # four times the limit, as without TLS
        assert (await list_rooms_from("127.0.0.2", server)) is not None  # others come in
    finally:
        for _, writer in silent:
            writer.close()
    await eventually(lambda: not limits.knocking("127.0.0.1"))


async def list_rooms_from(here: str, server: Service) -> bytes:
    """The certificate that a client with this address is shown."""
    look = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    look.check_hostname, look.verify_mode = False, ssl.CERT_NONE
    _, writer = await asyncio.open_connection("127.0.0.1", server.port, ssl=look, local_addr=(here, 0))
    shown: bytes = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
    writer.close()
    return shown


async def test_a_handshake_that_fails_is_counted_down(serve: Serve) -> None:
    server = await serve(quick(tls="self"))
    for nonsense in (b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01\xff\xff" + bytes(500), b""):
        _, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(nonsense)
        writer.close()
    await list_rooms(address_of(server))
    await eventually(lambda: not server.lobby.address_limits.knocking("127.0.0.1"))
    assert server._sockets.gate._open == 0 and not server._sockets.gate.in_handshake


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"tls_cert": "/nowhere/cert.pem"}, "There is no file /nowhere/cert.pem."),
        ({"tls_cert": __file__}, "not a certificate"),
        ({"tls_key": "/nowhere/key.pem"}, "--tls-key needs --tls-cert."),
        ({"tls": "self", "tls_cert": "x"}, "does not go with"),
    ],
)
def test_certificates_that_can_not_be(settings: dict[str, str], sentence: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as error:
        certificate_for(quick(**settings), tmp_path)
    assert sentence in str(error.value)


async def test_what_makes_certificates_is_an_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it, server and host say what to install. A certificate that was made before is used all the same."""
    made = certificate_for(quick(tls="self"), tmp_path)
    monkeypatch.setitem(sys.modules, "cryptography", None)
    again = certificate_for(quick(tls="self"), tmp_path)
    assert made and again and again.der == made.der
    sentence = (
        "To make a certificate of its own (--tls self), the server needs the extra tls: pip install 'dicegames[tls]'"
    )
    with pytest.raises(SettingsError) as refused:
        certificate_for(quick(tls="self"), tmp_path / "new")
    assert str(refused.value) == sentence
    flags = parse(["host", "farkle", "--tls", "self", "--host", "127.0.0.1", "--port", "0", "--no-announce"]).host
    with pytest.raises(ClientError) as told:
        await start_server(flags, "ana", for_visitors, KeptTables())
    assert told.value.sentence == sentence


async def test_a_host_may_make_a_new_key_or_bring_one(tmp_path: Path) -> None:
    """The client inside `host` knows its own server: it neither pins its key nor checks its name."""
    authority = trustme.CA()
    authority.issue_cert("dice.example.org").private_key_and_cert_chain_pem.write_to_path(tmp_path / "cert.pem")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    for flags in (["--tls", "self"], ["--tls", "self"], ["--tls-cert", str(tmp_path / "cert.pem")], []):
        host = ["host", "doubles", "--host", "127.0.0.1", "--port", port, "--name", "ana", "--no-announce"]
        ana = await Process.start(CLIENT, *host, *flags, state=tmp_path, XDG_DATA_HOME=str(tmp_path / "keys"))
        await ana.until("'help' lists all commands.")
        await ana.type("quit")
        assert await ana.ended() == 0
        (tmp_path / "keys" / "dicegames" / "tls.pem").unlink(missing_ok=True)


async def test_host_prints_a_line_with_the_key_and_a_friend_joins_with_it(tmp_path: Path) -> None:
    ana = await Process.start(
        CLIENT,
        "host",
        "doubles",
        "--host",
        "127.0.0.1",
        "--port",
        "0",
        "--tls",
        "self",
        "--name",
        "ana",
        state=tmp_path,
    )
    await ana.until("join with this line:\n  dicegames-client join ")
    line = (await ana.until("\n")).strip()
    assert parse_address(line).pin
    bo = await Process.start(CLIENT, "join", line, "--name", "bo", state=tmp_path / "bo")
    await ana.until("bo sits down.")
    await bo.until("'help' lists all commands.")
    code, text = await run(
        CLIENT, "join", line.replace("+", "+aaa")[: len(line)], "--name", "cy", state=tmp_path / "cy"
    )
    assert (code, "Your join line names the key" in text) == (4, True)
