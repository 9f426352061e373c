"""Evidence: the source's own compressed pictures around every play, and their frames by their times."""

from vision.evidence.buffer import EvidenceBuffer, EvidenceSettings
from vision.evidence.clips import ClipError, ClipIndex, check_clip, read_index, write_clip
from vision.evidence.files import cut_from_file
from vision.evidence.reader import ClipReader

__all__ = [
    "ClipError",
    "ClipIndex",
    "ClipReader",
    "EvidenceBuffer",
    "EvidenceSettings",
    "check_clip",
    "cut_from_file",
    "read_index",
    "write_clip",
]
