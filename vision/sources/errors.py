"""What goes wrong with a source: one line that says what was wanted."""


class SourceError(Exception):
    """A source cannot be opened, or ended before it was whole. The text is for a person."""


class MissingSourceError(SourceError):
    """There is no such file."""
