"""Backs told apart: the same one in other light and partly hidden, others, and what is kept in a file."""

import cv2
import numpy as np
import pytest

from datasets.drawn_deck import draw_back, random_style
from models.back_view import CARD_WH_MM, BackView, cut_back
from models.backs import BackBook, BackSignature, TooAlikeError, likeness_between, log_odds

pytestmark = pytest.mark.weights

PX_PER_MM = 3.0


def back_picture(seed: int) -> np.ndarray:
    """A back of 63 x 88 mm at 3 px per mm."""
    picture = draw_back(random_style(np.random.default_rng(seed)), 528)[..., :3]
    size = round(CARD_WH_MM[0] * PX_PER_MM), round(CARD_WH_MM[1] * PX_PER_MM)
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)


def corners(x0: float, y0: float, x1: float, y1: float) -> np.ndarray:
    return np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], np.float32)


WHOLE = corners(0, 0, CARD_WH_MM[0] * PX_PER_MM, CARD_WH_MM[1] * PX_PER_MM)


def signature(picture: np.ndarray) -> BackSignature:
    return BackSignature.of(cut_back(picture, WHOLE))


@pytest.fixture(scope="module")
def pictures() -> dict[str, np.ndarray]:
    return {name: back_picture(seed) for name, seed in {"Ana": 1, "Ben": 2, "Cleo": 3}.items()}


@pytest.fixture(scope="module")
def book(pictures: dict[str, np.ndarray]) -> BackBook:
    return BackBook(tuple((name, signature(picture)) for name, picture in pictures.items()))


def lit(picture: np.ndarray, gain: tuple[float, float, float], offset: float) -> np.ndarray:
    return np.clip(picture * np.array(gain) + offset, 0, 255).astype(np.uint8)


def most_like(book: BackBook, view: BackView) -> str:
    return max(book.backs, key=lambda back: log_odds(view, [back[1]]))[0]


@pytest.mark.parametrize(
    "seen",
    [
        pytest.param(lambda p: p, id="as it was enrolled"),
        pytest.param(lambda p: p[::-1, ::-1].copy(), id="upside down"),
        pytest.param(lambda p: lit(p, (0.7, 0.6, 0.5), 10), id="in dim warm light"),
        pytest.param(lambda p: lit(p, (0.3, 0.3, 0.3), 5), id="in the dark"),
    ],
)
def test_a_back_is_its_players(seen, pictures: dict[str, np.ndarray], book: BackBook) -> None:
    for name, picture in pictures.items():
        match = book.owner_of(cut_back(seen(picture), WHOLE))

        assert match.name == name
        assert match.confidence > 0.6


@pytest.mark.parametrize(
    "seen",
    [
        pytest.param(lambda p: (cv2.GaussianBlur(p, (0, 0), 3), WHOLE), id="blurred"),
        pytest.param(lambda p: (p, np.add(WHOLE, [[-6, -5], [5, 0], [4, 6], [0, 4]])), id="corners mm off"),
        pytest.param(lambda p: (p, corners(0, 0, 189, 130)), id="the upper half"),
        pytest.param(lambda p: (p, corners(0, 134, 189, 264)), id="the lower half"),
    ],
)
def test_a_back_that_is_badly_seen_is_named(seen, pictures: dict[str, np.ndarray], book: BackBook) -> None:
    for name, picture in pictures.items():
        image, quad = seen(picture)

        view = cut_back(image, np.asarray(quad, np.float32), PX_PER_MM)

        assert most_like(book, view) == name
        assert book.owner_of(view).name == name


def test_a_hand_over_a_part_does_not_hide_it(pictures: dict[str, np.ndarray], book: BackBook) -> None:
    for name, picture in pictures.items():
        covered = picture.copy()
        covered[180:, 60:130] = (120, 150, 200)

        assert book.owner_of(cut_back(covered, WHOLE)).name == name


@pytest.mark.parametrize("seed", range(10, 18))
def test_another_back_is_nobodys(seed: int, book: BackBook) -> None:
    match = book.owner_of(cut_back(back_picture(seed), WHOLE))

    assert match.name is None
    assert match.confidence > 0.5


def test_red_and_blue_of_one_design_are_two_backs(pictures: dict[str, np.ndarray]) -> None:
    blue = pictures["Ana"]
    red = np.ascontiguousarray(blue[..., ::-1])
    book = BackBook().with_back("Ana", signature(blue)).with_back("Red", signature(red))

    assert book.owner_of(cut_back(lit(blue, (0.8, 0.9, 1.0), 5), WHOLE)).name == "Ana"
    assert book.owner_of(cut_back(lit(red, (1.0, 0.9, 0.8), 5), WHOLE)).name == "Red"


def test_two_equal_backs_are_refused(pictures: dict[str, np.ndarray], book: BackBook) -> None:
    dimmer = lit(pictures["Ana"], (0.8, 0.8, 0.8), 0)

    with pytest.raises(TooAlikeError, match="Dora is too like that of Ana") as raised:
        book.with_back("Dora", signature(dimmer))

    assert raised.value.other == "Ana"


def test_a_player_may_enrol_anew(pictures: dict[str, np.ndarray], book: BackBook) -> None:
    again = book.with_back("Ana", signature(lit(pictures["Ana"], (0.8, 0.8, 0.8), 0)))

    assert sorted(name for name, _ in again.backs) == ["Ana", "Ben", "Cleo"]


def test_an_empty_book_knows_nobody(pictures: dict[str, np.ndarray]) -> None:
    assert BackBook().owner_of(cut_back(pictures["Ana"], WHOLE)).name is None


def test_likeness_is_the_same_both_ways(book: BackBook) -> None:
    one, other = (known for _, known in book.backs[:2])

    assert likeness_between(one, other) == likeness_between(other, one) < likeness_between(one, one)


def test_a_signature_is_read_back_from_its_text(book: BackBook) -> None:
    _, known = book.backs[0]

    assert np.array_equal(BackSignature.parse(str(known)).colours, known.colours)


@pytest.mark.parametrize("text", ["", "AAAA", "not base64!", "A" * 30_000, "é"])
def test_what_is_no_signature(text: str) -> None:
    with pytest.raises(ValueError, match="not a back's signature"):
        BackSignature.parse(text)


def test_a_part_of_a_back_cannot_be_enrolled(pictures: dict[str, np.ndarray]) -> None:
    with pytest.raises(ValueError, match="not seen whole"):
        BackSignature.of(cut_back(pictures["Ana"], corners(0, 0, 189, 60)))
