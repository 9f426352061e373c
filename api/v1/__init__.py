"""The interface under ``/api/v1``: what may be read, what may be written, and by whom."""
