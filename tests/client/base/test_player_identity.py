"""Who you are: keys for each server, recovery words, and the keys of older versions."""

import hmac
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dicegames_client.base.address import parse_address
from dicegames_client.base.errors import ClientError
from dicegames_client.base.player_identity import PlayerIdentity, own_identity, recover
from dicegames_client.base.recovery_words import PLAYER_SECRET_BYTES, WORDS, WordsError, from_words, to_words
from dicegames_client.cli import oneshot
from support.home import remember_in

SECRETS = st.binary(min_size=PLAYER_SECRET_BYTES, max_size=PLAYER_SECRET_BYTES)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return remember_in(tmp_path, monkeypatch)


@given(SECRETS)
def test_words_lead_back_to_the_secret(secret: bytes) -> None:
    words = to_words(secret)
    assert len(words) == WORDS and all(len(word) == 5 and word.isalpha() and word.islower() for word in words)
    assert from_words(" ".join(words)) == secret
    assert from_words(f"  {', '.join(words).upper()}\n") == secret


@given(SECRETS, st.integers(0, WORDS - 1), st.integers(0, 4), st.sampled_from("abdfghijklmnoprstuvz"))
def test_a_wrong_letter_is_noticed(secret: bytes, word: int, place: int, letter: str) -> None:
    words = to_words(secret)
    wrong = words[word][:place] + letter + words[word][place + 1 :]
    if wrong == words[word]:
        return
    try:
        found = from_words(" ".join([*words[:word], wrong, *words[word + 1 :]]))
    except WordsError:
        return
    assert found != secret  # once in 65,536 cases the checksum fits all the same: it is another player then


@pytest.mark.parametrize(
    "typed", ["", "babab", "babab " * WORDS, "hello " * WORDS, "bab " * WORDS, "\x1b[31m " * WORDS]
)
def test_other_words_are_refused_with_a_sentence(typed: str) -> None:
    with pytest.raises(WordsError, match=r"\.$"):
        from_words(typed)


def test_the_identity_stays_and_servers_can_not_compare_notes() -> None:
    one, two = own_identity(), own_identity()
    assert one.words == two.words
    assert one.seed_for("a" * 64) == two.seed_for("a" * 64) != one.seed_for("b" * 64)


def test_words_make_another_machine_the_same_player(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = " ".join(own_identity().words)
    remember_in(tmp_path / "other", monkeypatch)
    before = own_identity()
    assert " ".join(before.words) != words
    assert " ".join(recover(words).words) == words == " ".join(own_identity().words)
    recover(" ".join(before.words))  # and back: nothing is thrown away
    assert own_identity().words == before.words


def test_a_damaged_identity_is_kept_and_a_new_one_is_made(folder: Path) -> None:
    before = own_identity().words
    (folder / "player.jsonl").write_text('{"secret":"sho')
    assert own_identity().words != before
    assert (folder / "player.jsonl.damaged-1").read_text() == '{"secret":"sho'


def test_keys_of_older_versions_are_known_by_every_spelling(folder: Path) -> None:
    folder.mkdir(parents=True)
    old = "ab" * 32
    (folder / "player.key").write_text(f"{old}\n")
    identity = own_identity()

    def key(server: str) -> str:
        return hmac.new(old.encode(), server.encode(), "sha256").hexdigest()

    assert {key("127.0.0.1:8765"), key("localhost:8765"), key("wss://localhost:8765")} <= set(
        identity.former(parse_address("localhost:8765"))
    )
    away = identity.former(parse_address("wss://dice.example.org"))
    assert set(away) == {key("dice.example.org:443"), key("wss://dice.example.org:443")}
    assert PlayerIdentity(bytes(16)).former(parse_address("localhost")) == ()


def test_words_that_are_good_for_nothing_are_not_shown(folder: Path) -> None:
    assert own_identity().saved
    (folder / "player.jsonl").write_text('{"dicegames":"player.jsonl","version":77}\n')
    assert not own_identity().saved
    with pytest.raises(ClientError, match="there are no words for it"):
        oneshot.words()
