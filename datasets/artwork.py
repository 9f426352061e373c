"""Openly licensed card faces, backs and table surfaces, fetched from package registries into a cache.

Nothing fetched here is copied into the repository. Every package is pinned by its SHA-256, and its licence
stands beside it, so that a model card can say on what the model was trained.
"""

import gzip
import hashlib
import os
import shutil
import subprocess
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.cards import FACES, Card

Image = NDArray[np.uint8]

CARD_WIDTH_PX = 378
CARD_HEIGHT_PX = 528
"""63 x 88 mm at 6 px per mm: sharper than any camera will show a card."""
CORNER_RADIUS_MM = 3.5
PX_PER_MM = CARD_HEIGHT_PX / 88


class ArtworkError(RuntimeError):
    """A package could not be fetched, is not the one recorded, or a tool is missing."""


class Registry(StrEnum):
    """Where a package is had from, by the registry's own client."""

    DEBIAN = "debian"
    NPM = "npm"
    PYPI = "pypi"


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """One pinned package."""

    registry: Registry
    name: str
    version: str
    sha256: str
    licence: str

    @property
    def fetch_command(self) -> list[str]:
        """The registry client's command that leaves the package file in the working folder."""
        match self.registry:
            case Registry.DEBIAN:
                return ["apt-get", "download", f"{self.name}={self.version}"]
            case Registry.NPM:
                return ["npm", "pack", "--silent", f"{self.name}@{self.version}"]
            case Registry.PYPI:
                return ["pip", "download", "--quiet", "--no-deps", f"{self.name}=={self.version}"]


GNOME = Package(
    registry=Registry.DEBIAN,
    name="gnome-cards-data",
    version="1:3.22.23-1",
    sha256="54ef445826dd7701d3ea83f999fbc8f058d304b714732425b23cde5c632596e0",
    licence="GPL-3.0-or-later",
)
JEUXCARTES = Package(
    registry=Registry.DEBIAN,
    name="texlive-games",
    version="2022.20230122-4",
    sha256="151a9cfd578977f2f4e14df12760d6557e15d50eadf5965b426104c2e1ab7795",
    licence="art: LGPL-2.1 (v1), public domain (v2, v3)",
)
MYPAINT = Package(
    registry=Registry.DEBIAN,
    name="mypaint-data-extras",
    version="2.0.1-9",
    sha256="9d5971baa5eb411309940ea2cfe11aa7f6ec2c39e7f9ecd2bbef81fc6404b1d1",
    licence="CC0-1.0",
)
KENNARD = Package(
    registry=Registry.NPM,
    name="@heruka_urgyen/react-playing-cards",
    version="0.5.0",
    sha256="0a9e5c386c40af2ae591103589d3a4c340d66a325a64c3f5b1d3f6c0a907b468",
    licence="art: CC0-1.0 (A. Kennard)",
)
AGUILAR = Package(
    registry=Registry.NPM,
    name="cardsJS",
    version="1.1.1",
    sha256="94517ce8945a7ce66057ab6cbb88b2f01b9b9a9b8160d4a13a363c6a0c6c4733",
    licence="art: LGPL-3.0-or-later (C. Aguilar)",
)
BELLOT = Package(
    registry=Registry.NPM,
    name="svg-cards",
    version="4.0.2",
    sha256="d442a2c3c912bbb5dbc69eac86ef8c374fdcc6be55e4c4d3e8a3e021d69c4cd5",
    licence="LGPL-2.1 (D. Bellot)",
)
KNOLL = Package(
    registry=Registry.PYPI,
    name="blackjack-gui",
    version="1.8.1",
    sha256="e0a50d19a97da388aa1fda875a22f8c6dd8832d690dd79d7b15c83d6dc1bcf6f",
    licence="art: public domain (B. Knoll)",
)
METAWORLD = Package(
    registry=Registry.PYPI,
    name="metaworld",
    version="3.1.1",
    sha256="99e25d9baf97f2f1a19ca89c0d2ca9c6a2b396d9a9be81729de64eedc683f0d3",
    licence="MIT",
)
PACKAGES = (GNOME, JEUXCARTES, MYPAINT, KENNARD, AGUILAR, BELLOT, KNOLL, METAWORLD)

GNOME_THEMES = (
    "ancient_french",
    "anglo",
    "anglo_bitmap",
    "anglo_modern",
    "anglo_modern_4_color",
    "anglo_poker",
    "atlasnye",
    "bellot",
    "berlin",
    "dondorf",
    "gnomangelo",
    "lattmann",
    "neoclassical",
    "neoclassical_4_color",
    "orell",
    "ornamental",
    "paris",
    "plastic",
    "rheinland",
    "simplistic",
    "tango",
    "tango_nuevo",
    "tarocco",
    "tigullio",
)

DESIGN_FAMILY: dict[str, str] = {
    "anglo_poker": "kennard",
    "kennard": "kennard",
    "kennard_jumbo": "kennard",
    "kennard_4_color": "kennard",
    "kennard_jumbo_4_color": "kennard",
    "jeuxcartes_v3": "kennard",
    "aguilar": "aguilar",
    "jeuxcartes_v2": "aguilar",
    "anglo_modern": "aguilar",
    "anglo_modern_4_color": "aguilar",
    "knoll": "aguilar",
    "bellot": "bellot",
    "paris": "bellot",
    "svg_cards": "bellot",
    "jeuxcartes_v1": "bellot",
    "ancient_french": "bellot",
    "tigullio": "bellot",
    "anglo": "english",
    "anglo_bitmap": "english",
    "gnomangelo": "english",
    "neoclassical_4_color": "neoclassical",
    "tango_nuevo": "tango",
    "lattmann": "german",
    "rheinland": "german",
    "berlin": "berlin",
}
"""Decks of one drawing belong together: splits are by family, never by deck (else faces leak)."""

HELD_OUT_FAMILIES = frozenset({"berlin", "plastic", "bellot"})
"""Never trained on; the validation scenes are made of these."""

ODD_INDEX_DECKS = frozenset(
    {"ancient_french", "berlin", "lattmann", "rheinland", "tarocco", "orell", "dondorf"}
)
"""Decks whose letters are not J Q K, or that have no letter: not used to teach reading."""


def family_of(deck: str) -> str:
    """The design family that ``deck`` belongs to (itself, where it stands alone)."""
    return DESIGN_FAMILY.get(deck, deck)


def default_cache() -> Path:
    """Where artwork is kept: ``TOUCHJUDGE_CACHE``, else the user's cache folder."""
    base = os.environ.get("TOUCHJUDGE_CACHE")
    if base:
        return Path(base) / "artwork"
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "touchjudge" / "artwork"


def install_artwork(cache: Path, progress: Callable[[str], None] = lambda _: None) -> list[str]:
    """Fetch every package, cut its decks into one picture a card under ``cache``, and name the decks.

    A deck already there is left alone, so an interrupted run goes on where it stopped. Raises
    ``ArtworkError`` where a tool is missing or a package is not the recorded one.
    """
    for tool in ("apt-get", "npm", "pip", "dpkg-deb", "rsvg-convert", "pdftocairo"):
        if shutil.which(tool) is None:
            raise ArtworkError(f"artwork needs the program {tool} (Debian: librsvg2-bin poppler-utils npm)")
    done = cache / "complete"
    if not done.exists():
        for package in PACKAGES:
            progress(f"{package.name} {package.version} ({package.licence})")
            with tempfile.TemporaryDirectory() as scratch:
                _cut(package, _unpack(_fetch(package, Path(scratch)), Path(scratch) / "unpacked"), cache)
        done.write_text("\n".join(sorted(p.name for p in (cache / "decks").iterdir())) + "\n")
    return sorted(p.name for p in (cache / "decks").iterdir())


def _run(command: list[str], folder: Path) -> None:
    # the commands are written in this file; nothing of them comes from outside
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603
    if result.returncode:
        last = (result.stderr.strip().splitlines() or ["no message"])[-1]
        raise ArtworkError(f"{' '.join(command)}: {last}")


def _fetch(package: Package, folder: Path) -> Path:
    before = set(folder.iterdir())
    _run(package.fetch_command, folder)
    (archive,) = set(folder.iterdir()) - before
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    if digest != package.sha256:
        raise ArtworkError(f"{package.name}: SHA-256 is {digest}, recorded is {package.sha256}")
    return archive


def _unpack(archive: Path, folder: Path) -> Path:
    folder.mkdir()
    match archive.suffix:
        case ".deb":
            _run(["dpkg-deb", "-x", str(archive), str(folder)], folder)
        case ".tgz":
            with tarfile.open(archive) as tar:
                tar.extractall(folder, filter="data")
        case _:
            with zipfile.ZipFile(archive) as zipped:
                zipped.extractall(folder)  # noqa: S202  # the archive is the recorded one: its hash was checked
    return folder


def _cut(package: Package, unpacked: Path, cache: Path) -> None:
    cutters: Mapping[str, Callable[[Path, Path], None]] = {
        GNOME.name: _cut_gnome,
        JEUXCARTES.name: _cut_jeuxcartes,
        MYPAINT.name: _copy_surfaces,
        KENNARD.name: _cut_kennard,
        AGUILAR.name: _cut_aguilar,
        BELLOT.name: _cut_bellot,
        KNOLL.name: _cut_knoll,
        METAWORLD.name: _copy_surfaces,
    }
    cutters[package.name](unpacked, cache)


def _rasterise_svg(svg: Path, height_px: int) -> Image:
    with tempfile.TemporaryDirectory() as scratch:
        source = svg
        if svg.suffix == ".svgz":
            source = Path(scratch) / "deck.svg"
            source.write_bytes(gzip.decompress(svg.read_bytes()))
        png = Path(scratch) / "deck.png"
        _run(
            ["rsvg-convert", "--unlimited", "-h", str(height_px), "-a", str(source), "-o", str(png)],
            svg.parent,
        )
        return _read_bgra(png)


def _rasterise_pdf(pdf: Path) -> Image:
    with tempfile.TemporaryDirectory() as scratch:
        stem = Path(scratch) / "card"
        size = ["-scale-to-y", str(CARD_HEIGHT_PX), "-scale-to-x", "-1"]
        _run(["pdftocairo", "-png", "-singlefile", "-transp", *size, str(pdf), str(stem)], pdf.parent)
        return _read_bgra(stem.with_suffix(".png"))


def _read_bgra(path: Path) -> Image:
    picture = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    if picture is None:
        raise ArtworkError(f"not a picture: {path}")
    if picture.ndim == 2:
        picture = cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR)
    if picture.shape[2] == 3:
        picture = cv2.cvtColor(picture, cv2.COLOR_BGR2BGRA)
    return np.asarray(picture, np.uint8)


def rounded_mask(height_px: int, width_px: int, radius_px: float) -> Image:
    """uint8 (h, w): 255 inside a rounded rectangle that fills the picture, smooth at the edge."""
    scale = 4
    mask = np.zeros((height_px * scale, width_px * scale), np.uint8)
    r = round(radius_px * scale)
    cv2.rectangle(mask, (r, 0), (mask.shape[1] - r - 1, mask.shape[0]), 255, -1)
    cv2.rectangle(mask, (0, r), (mask.shape[1], mask.shape[0] - r - 1), 255, -1)
    for x in (r, mask.shape[1] - r - 1):
        for y in (r, mask.shape[0] - r - 1):
            cv2.circle(mask, (x, y), r, 255, -1)
    return np.asarray(cv2.resize(mask, (width_px, height_px), interpolation=cv2.INTER_AREA), np.uint8)


def _normalise(picture: Image) -> Image:
    """Trim to what is drawn, lay it on card stock, stretch to 63 x 88 mm, round the corners."""
    rows = np.flatnonzero(picture[..., 3].max(axis=1) > 128)
    columns = np.flatnonzero(picture[..., 3].max(axis=0) > 128)
    if not len(rows):
        raise ArtworkError("an empty card picture")
    trimmed = picture[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    alpha = trimmed[..., 3:].astype(np.float32) / 255
    on_stock = (trimmed[..., :3] * alpha + 255 * (1 - alpha)).astype(np.uint8)
    card = cv2.resize(on_stock, (CARD_WIDTH_PX, CARD_HEIGHT_PX), interpolation=cv2.INTER_AREA)
    mask = rounded_mask(CARD_HEIGHT_PX, CARD_WIDTH_PX, CORNER_RADIUS_MM * PX_PER_MM)
    return np.dstack([card, mask])


def _save(picture: Image, deck: Path, name: str) -> None:
    deck.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(deck / f"{name}.png"), _normalise(picture))


def _cut_gnome(unpacked: Path, cache: Path) -> None:
    for theme in GNOME_THEMES:
        sheet = _rasterise_svg(next(unpacked.rglob(f"{theme}.svgz")), 5 * CARD_HEIGHT_PX)
        step_y, step_x = sheet.shape[0] / 5, sheet.shape[1] / 13

        def cell(
            row: int, column: int, sheet: Image = sheet, sy: float = step_y, sx: float = step_x
        ) -> Image:
            y, x = round(row * sy), round(column * sx)
            return sheet[y : round((row + 1) * sy), x : round((column + 1) * sx)]

        for row, suit in enumerate("CDHS"):
            for column, rank in enumerate("A23456789TJQK"):
                _save(cell(row, column), cache / "decks" / theme, rank + suit)
        for column, name in enumerate(("JK1", "JK2", "BACK")):
            if cell(4, column)[..., 3].max() > 128:
                _save(cell(4, column), cache / "decks" / theme, name)


def _cut_jeuxcartes(unpacked: Path, cache: Path) -> None:
    suits = {"C": "T", "D": "K", "H": "C", "S": "P"}
    ranks = {"T": "10", "J": "V", "Q": "D", "K": "R"}
    others = {"JN": "JK1", "JR": "JK2", "Dos": "BACK", "DosBleu": "BACK", "DosRouge": "BACK2"}
    others |= {"DosNoir": "BACK", "DosBleu2": "BACK3", "DosRouge2": "BACK4"}
    for version in ("v1", "v2", "v3"):
        deck = cache / "decks" / f"jeuxcartes_{version}"
        names = {
            ranks.get(card.rank.symbol, card.rank.symbol) + suits[card.suit]: str(card) for card in FACES
        } | others
        for stem, name in names.items():
            for pdf in unpacked.rglob(f"CaJ-PokeR{version}-{stem}.pdf"):
                _save(_rasterise_pdf(pdf), deck, name)


def _cut_kennard(unpacked: Path, cache: Path) -> None:
    for folder, deck in {
        "2color": "kennard",
        "2color-bf": "kennard_jumbo",
        "4color": "kennard_4_color",
        "4color-bf": "kennard_jumbo_4_color",
    }.items():
        for svg in unpacked.glob(f"package/src/images/{folder}/*.svg"):
            name = "JK1" if svg.stem == "2J" else svg.stem
            _save(_rasterise_svg(svg, CARD_HEIGHT_PX), cache / "decks" / deck, name)
        _save(
            _rasterise_svg(unpacked / "package/src/images/back.svg", CARD_HEIGHT_PX),
            cache / "decks" / deck,
            "BACK",
        )


def _cut_aguilar(unpacked: Path, cache: Path) -> None:
    for name in [*map(str, FACES), "Red_Back", "Blue_Back"]:
        svg = unpacked / "package/cards" / f"{name.replace('T', '10') if name[0] == 'T' else name}.svg"
        _save(
            _rasterise_svg(svg, CARD_HEIGHT_PX),
            cache / "decks" / "aguilar",
            {"Red_Back": "BACK", "Blue_Back": "BACK2"}.get(name, name),
        )


def _long_name(card: Card, *, ten: str, ace: str) -> tuple[str, str]:
    ranks = {"A": ace, "T": ten, "J": "jack", "Q": "queen", "K": "king"}
    suits = {"C": "club", "D": "diamond", "H": "heart", "S": "spade"}
    return ranks.get(card.rank.symbol, card.rank.symbol), suits[card.suit]


def _cut_bellot(unpacked: Path, cache: Path) -> None:
    folder, deck = unpacked / "package/png/2x", cache / "decks" / "svg_cards"
    for card in FACES:
        rank, suit = _long_name(card, ten="10", ace="1")
        _save(_read_bgra(folder / f"{suit}_{rank}.png"), deck, str(card))
    for name, stem in {"JK1": "joker_black", "JK2": "joker_red"}.items():
        _save(_read_bgra(folder / f"{stem}.png"), deck, name)
    for i, back in enumerate(sorted(folder.glob("back-*.png"))):
        _save(_read_bgra(back), deck, f"BACK{i or ''}")


def _cut_knoll(unpacked: Path, cache: Path) -> None:
    folder = unpacked / "blackjack_gui/images"
    for card in FACES:
        rank, suit = _long_name(card, ten="10", ace="ace")
        courtly = "2" if card.rank.symbol in "JQK" else ""
        _save(_read_bgra(folder / f"{rank}_of_{suit}s{courtly}.png"), cache / "decks" / "knoll", str(card))


def _copy_surfaces(unpacked: Path, cache: Path) -> None:
    folder = cache / "surfaces"
    folder.mkdir(parents=True, exist_ok=True)
    for png in [*unpacked.glob("metaworld/assets/**/textures/*.png"), *unpacked.rglob("backgrounds/*/*.png")]:
        picture = _read_bgra(png)[..., :3]
        scale = min(1.0, 1024 / max(picture.shape[:2]))
        small = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        cv2.imwrite(str(folder / f"{png.parent.name}_{png.stem}.png".replace(" ", "_")), small)


def read_deck(folder: Path) -> dict[str, Image]:
    """Every card picture of a deck folder by name (``AS``, ``JK1``, ``BACK``), uint8 BGRA (528, 378, 4)."""
    return {png.stem: _read_bgra(png) for png in sorted(folder.glob("*.png"))}


def surfaces(cache: Path) -> Iterator[Image]:
    """Every table surface, uint8 BGR."""
    for png in sorted((cache / "surfaces").glob("*.png")):
        yield _read_bgra(png)[..., :3]
