"""Encrypted connections: our own certificates, pinned; those of a certificate authority; and a man in the middle."""

import socket
from pathlib import Path

import pytest
import trustme

from dicegames_client.base.address import Address, parse_address
from dicegames_client.base.errors import ClientError
from dicegames_client.base.keyboard import Keyboard
from dicegames_client.enter import finding
from dicegames_client.enter.asking import list_rooms
from dicegames_client.enter.finding import Discovery, rooms_of
from dicegames_client.guest import trust
from dicegames_client.lines.line_prompter import LinePrompter
from dicegames_protocol.network.fingerprint import fingerprint
from dicegames_server.app.service import Service
from dicegames_server.net.certificate import certificate_for
from dicegames_server.settings import SettingsError
from e2e.conftest import Serve
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


async def test_a_certificate_of_our_own_is_made_once_and_kept_to_ourselves(tmp_path: Path) -> None:
    settings = quick(tls="self")
    first = certificate_for(settings, tmp_path / "new")
    again = certificate_for(settings, tmp_path / "new")
    assert first and again and first.fingerprint == again.fingerprint
    assert ((tmp_path / "new" / "tls.pem").stat().st_mode & 0o777) == 0o600


async def test_the_join_line_names_the_key_and_the_client_insists_on_it(serve: Serve, tmp_path: Path) -> None:
    server = await serve(quick(tls="self"))
    assert await list_rooms(address_of(server, pin=pin_of(server))) == ()
    wrong = "a" * 26
    trust.forget(address_of(server).place)
    with pytest.raises(ClientError, match="has another key than the join line says"):
        await list_rooms(address_of(server, pin=wrong))
    assert not trust.is_encrypted(address_of(server).place)


async def test_a_key_is_pinned_on_first_use_and_told_once(serve: Serve) -> None:
    server = await serve(quick(tls="self"))
    address = Address("127.0.0.1", server.port, secure=True)
    assert await list_rooms(address) == ()
    known = trust.known(address.place)
    assert known and known.trust == "pin"
    elsewhere = Address("localhost.example", server.port, secure=True)
    trust.remember(elsewhere, "pin", b"a certificate")
    assert f"its key {fingerprint(b'a certificate')} is remembered" in trust.first_word(elsewhere)
    assert trust.first_word(elsewhere) == ""
    assert trust.first_word(address) == ""  # on this machine there is nobody in between


async def test_a_changed_key_is_a_hard_stop(serve: Serve, tmp_path: Path) -> None:
    address, impostor = await another_key(serve, tmp_path)
    for named in (address, address_of(impostor, pin=pin_of(impostor))):
        with pytest.raises(ClientError, match=r"STOP: .* has another key than before") as stopped:
            await list_rooms(named)
        assert stopped.value.code == 4
        assert ("The line that you were given fits the new key." in stopped.value.sentence) is bool(named.pin)
    around = await rooms_of([address])
    assert not around.servers and "STOP" in around.warnings[0].sentence  # it is not just left out of a list
    assert trust.forget(address.place)
    assert await list_rooms(address) == ()


async def test_a_wrong_line_to_a_server_that_we_know(serve: Serve) -> None:
    server = await serve(quick(tls="self"))
    await list_rooms(address_of(server))
    with pytest.raises(ClientError, match="has another key than the join line says"):
        await list_rooms(address_of(server, pin="a" * 26))


async def test_a_code_is_not_tried_elsewhere_when_its_server_has_another_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A password that is typed for one server must not go to another server on the network."""
    stop, other = ClientError("STOP: it has another key than before.", 4), Address("192.168.1.24", 8765)

    async def look_for(code: str) -> Discovery:
        return Discovery((other,), (), (stop,))

    monkeypatch.setattr(finding, "look_for", look_for)
    with pytest.raises(ClientError, match="STOP"):
        await finding.server_with("KQ7M", LinePrompter(Keyboard()))


async def test_nothing_is_told_to_an_impostor(serve: Serve, tmp_path: Path) -> None:
    """Not even hello: a server with another key learns neither name nor token."""
    address, impostor = await another_key(serve, tmp_path)
    with pytest.raises(ClientError):
        await list_rooms(address)
    assert impostor.environment.metrics.connected == 0


async def test_certificates_of_an_authority_are_checked_as_usual(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    mine, other = authority.issue_cert("127.0.0.1"), authority.issue_cert("dice.example.org")
    mine.private_key_and_cert_chain_pem.write_to_path(tmp_path / "mine.pem")
    other.private_key_and_cert_chain_pem.write_to_path(tmp_path / "other.pem")
    server = await serve(quick(tls_cert=str(tmp_path / "mine.pem")))
    address = address_of(server)
    with pytest.raises(ClientError, match="can't be checked: unable to get local issuer certificate"):
        await list_rooms(address)  # nobody knows this authority, and it is not self-signed: no pin
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    assert await list_rooms(address) == ()
    known = trust.known(address.place)
    assert known and (known.trust, known.certificate) == ("authority", "")
    misnamed = await serve(quick(tls_cert=str(tmp_path / "other.pem")))
    with pytest.raises(ClientError, match="is for another name"):
        await list_rooms(address_of(misnamed))
    port = server.port
    await server.stop()
    await serve(quick(tls="self", port=port))
    with pytest.raises(ClientError, match="STOP"):
        await list_rooms(address)  # who had an authority's word does not get away with their own


async def test_plain_and_encrypted_do_not_mix(serve: Serve) -> None:
    plain, encrypted = await serve(quick()), await serve(quick(tls="self"))
    with pytest.raises(ClientError, match=f"If it does not encrypt: 127.0.0.1:{plain.port}"):
        await list_rooms(address_of(plain))
    with pytest.raises(ClientError, match=rf"If it encrypts: wss://127.0.0.1:{encrypted.port}"):
        await list_rooms(Address("127.0.0.1", encrypted.port))


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


async def test_a_host_may_make_a_new_key_or_bring_one(tmp_path: Path) -> None:
    """The client inside `host` knows its own server: it neither pins its key nor checks its name."""
    authority = trustme.CA()
    authority.issue_cert("dice.example.org").private_key_and_cert_chain_pem.write_to_path(tmp_path / "cert.pem")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    for flags in (["--tls", "self"], ["--tls", "self"], ["--tls-cert", str(tmp_path / "cert.pem")]):
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
    assert (code, "has another key than the join line says" in text) == (4, True)
