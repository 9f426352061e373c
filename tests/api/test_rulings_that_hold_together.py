"""What a reviewer rules must hold together; a try says whose card stays before anything is entered."""

from collections.abc import Iterator

import pytest
from asking_app import Asked
from desk_match import DeskMatch

from api.hub import Hub
from api.problems import MEDIA_TYPE

MATCH = "/api/v1/matches/friday"
BY = {"reason": "I saw it", "reviewer": "Rita"}


@pytest.fixture
def asked(played: DeskMatch) -> Iterator[Asked]:
    """v1: Ana FIRST before Ben; v2: Ben's 6 is LEGAL; v3: Ana's 8 is ILLEGAL."""
    hub = Hub()
    hub.add(played.feed, played.desk)
    with Asked(hub) as asked:
        yield asked


def overturned(asked: Asked, verdict_id: str, ruling: str, kept: list[int]):
    body = {"verdict_id": verdict_id, "decision": "overturned", "ruling": ruling, "kept": kept, **BY}
    return asked.post(f"{MATCH}/resolutions", json=body)


@pytest.mark.parametrize(
    ("verdict_id", "ruling", "kept", "wanted"),
    [
        pytest.param(
            "v1", "FIRST", [0, 1], "FIRST wants exactly one card that stays, got 2", id="two firsts"
        ),
        pytest.param("v1", "FIRST", [], "FIRST wants exactly one card that stays, got 0", id="first of none"),
        pytest.param("v1", "ILLEGAL", [1], "ILLEGAL wants no card that stays, got 1", id="a foul that stays"),
        pytest.param("v1", "TIE", [1], "TIE wants several cards that stay", id="a tie that one wins"),
        pytest.param(
            "v1", "TOO_CLOSE", [0], "TOO_CLOSE wants several cards that stay", id="too close for one"
        ),
        pytest.param("v1", "LEGAL", [1], "LEGAL wants every card to stay, 2 here, got 1", id="half legal"),
        pytest.param("v1", "UNDECIDED", [0], "UNDECIDED decides nothing between cards", id="half undecided"),
        pytest.param("v1", "FLAG", [0], "FLAG decides nothing between cards", id="half told"),
        pytest.param("v3", "LEGAL", [], "LEGAL wants every card to stay, 1 here, got 0", id="legal and back"),
        pytest.param("v2", "ILLEGAL", [0], "ILLEGAL wants no card that stays", id="a foul that counts"),
        pytest.param("v2", "FIRST", [0], "FIRST wants several plays for one place", id="first of one"),
        pytest.param("v2", "TIE", [], "TIE wants several plays for one place", id="a tie of one"),
        pytest.param("v1", "TIE", [0, 0], "want positions in order, each once", id="a card twice"),
        pytest.param("v1", "TIE", [0, 2], "want positions below 2", id="a card that is not there"),
    ],
)
def test_a_ruling_that_contradicts_itself_is_refused(
    asked: Asked, verdict_id: str, ruling: str, kept: list[int], wanted: str
):
    answer = overturned(asked, verdict_id, ruling, kept)

    assert answer.status_code in {409, 422}, answer.text
    assert answer.headers["content-type"] == MEDIA_TYPE
    assert wanted in answer.json()["detail"]


@pytest.mark.parametrize(
    ("verdict_id", "ruling", "kept"),
    [
        pytest.param("v1", "FIRST", [1], id="the other was first"),
        pytest.param("v1", "TIE", [0, 1], id="both keep"),
        pytest.param("v1", "TIE", [], id="both take back"),
        pytest.param("v1", "TOO_CLOSE", [0, 1], id="too close"),
        pytest.param("v1", "ILLEGAL", [], id="both fouls"),
        pytest.param("v1", "UNDECIDED", [], id="nobody can tell"),
        pytest.param("v2", "ILLEGAL", [], id="a foul"),
        pytest.param("v3", "LEGAL", [0], id="no foul"),
    ],
)
def test_a_ruling_that_holds_together_is_tried(asked: Asked, verdict_id: str, ruling: str, kept: list[int]):
    answer = overturned(asked, verdict_id, ruling, kept)

    assert answer.status_code == 200, answer.text


@pytest.mark.parametrize(
    ("verdict_id", "ruling", "kept"),
    [
        pytest.param("v1", "FIRST", [0], id="who was first already"),
        pytest.param("v2", "LEGAL", [0], id="legal already"),
        pytest.param("v3", "ILLEGAL", [], id="a foul already"),
    ],
)
def test_the_ruling_that_holds_is_answered_by_letting_it_stand(
    asked: Asked, verdict_id: str, ruling: str, kept: list[int]
):
    answer = overturned(asked, verdict_id, ruling, kept)

    assert (answer.status_code, answer.json()["code"]) == (409, "same")
    assert f"{verdict_id} would be ruled just the same by this, {ruling}" in answer.json()["detail"]


@pytest.mark.parametrize("kept", [[], [0, 1]], ids=["both back", "both stay"])
@pytest.mark.parametrize(
    ("plays", "ruling"),
    [
        pytest.param(
            "land Ana 8C waste F2 5000..5100\nland Ben 8C waste F2 5030..5140", "TOO_CLOSE", id="wide"
        ),
        pytest.param("land Ana 8C waste F2 5000..5016\nland Ben 8C waste F2 5000..5016", "TIE", id="narrow"),
    ],
)
def test_a_race_that_nobody_won_is_not_ruled_so_again_whichever_cards_are_named(
    plays: str, ruling: str, kept: list[int]
):
    match = DeskMatch(None, f"F2: ... 7C\n{plays}\n").play()
    assert [given.ruling for given in match.feed.verdicts] == [ruling]
    hub = Hub()
    hub.add(match.feed, match.desk)
    with Asked(hub) as asked:
        again = overturned(asked, "v1", ruling, kept)
        stands = asked.post(f"{MATCH}/resolutions", json={"verdict_id": "v1", "decision": "stands", **BY})

    assert (again.status_code, again.json()["code"]) == (409, "same")
    assert stands.status_code == 200


def cards(answer) -> list[tuple[str, str | None, str | None, bool | None, bool]]:
    fields = ("verdict_id", "player", "card", "stayed", "stays")
    return [tuple(card[name] for name in fields) for card in answer.json()["cards"]]


def test_a_try_says_whose_card_stays(asked: Asked):
    assert cards(overturned(asked, "v1", "FIRST", [1])) == [
        ("v1", "Ana", "5H", True, False),
        ("v1", "Ben", "5H", False, True),
    ]
    assert cards(overturned(asked, "v2", "ILLEGAL", []))[0] == ("v2", "Ben", "6H", True, False)
    stands = {"verdict_id": "v1", "decision": "stands", **BY}
    assert cards(asked.post(f"{MATCH}/resolutions", json=stands)) == [
        ("v1", "Ana", "5H", True, True),
        ("v1", "Ben", "5H", False, False),
    ]


def test_a_correction_says_whose_card_stays(asked: Asked):
    owner = {"kind": "owner", "verdict_id": "v2", "seat": "Ana", "reason": "it was hers"}
    card = {"kind": "card", "verdict_id": "v3", "card": "7H"}

    assert cards(asked.post(f"{MATCH}/corrections", json=owner)) == [("v2", "Ana", "6H", True, True)]
    assert cards(asked.post(f"{MATCH}/corrections", json=card)) == [("v3", "Ana", "7H", False, True)]


def test_a_card_that_is_taken_back_does_not_stay(asked: Asked):
    (entry,) = asked.get(f"{MATCH}/verdicts/v2").json()["verdict"]["entries"]

    tried = asked.post(f"{MATCH}/corrections", json={"kind": "undo", "entry": entry})

    assert ("v2", "Ben", "6H", True, False) in cards(tried)
