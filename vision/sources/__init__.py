"""Where frames come from: files, cameras, network addresses and image folders, each with its true times."""

import re
from pathlib import Path

from vision.sources.base import Source, SourceSettings
from vision.sources.errors import MissingSourceError, SourceError
from vision.sources.folder import ImageFolder
from vision.sources.live import open_address, open_camera
from vision.sources.video import VideoFile

__all__ = ["MissingSourceError", "Source", "SourceError", "SourceSettings", "open_source"]

_ADDRESS = re.compile(r"[a-z][a-z0-9+.]+://")


def open_source(text: str, settings: SourceSettings | None = None) -> Source:
    """The source that ``text`` names; ``SourceError`` (one line, for a person) if it cannot be opened.

    A camera's number or device (``0``, ``/dev/video2``), an address (``rtsp://...``), a folder of images, or
    a video file.
    """
    settings = settings or SourceSettings()
    if text.isdecimal() or text.startswith("/dev/"):
        return open_camera(text, settings)
    if _ADDRESS.match(text):
        return open_address(text, settings)
    path = Path(text)
    return ImageFolder(path, settings) if path.is_dir() else VideoFile(path)
