"""What this machine has: addresses that others can open, how many files may be open, how we are called."""

import contextlib
import ipaddress
import os
import shlex
import shutil
import socket
import sys
from pathlib import Path

try:
    import resource
except ImportError:  # Windows has no such limits
    resource = None  # type: ignore[assignment]

_TARGETS = ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1"))
"""Addresses for documentation: nothing is sent there; the system only says by which way it would be."""
_PORT = 9
MOST_FILES = 65_536
"""Open at once: a file for each record that is shown, and one for each of ``MOST_CONNECTIONS`` displays."""


def let_many_files_open() -> None:
    """Raise the limit of open files, which is 256 to 1024 by default, as far as the system lets us."""
    if resource is None:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_FILES if hard == resource.RLIM_INFINITY else min(MOST_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


PROGRAM = "touchjudge"


def typed_program(started_as: str, folder: Path) -> str:
    """How a person in ``folder`` calls this program, as a shell takes it.

    ``started_as``: what the system was asked to start (``sys.argv[0]``). A program below ``folder`` that is
    on no search path is called by its way from there, and never by one that shows where on the disk it lies.
    """
    path = Path(os.path.abspath(folder / started_as))  # noqa: PTH100 - links stay as they were typed
    if path.stem != PROGRAM or not path.is_file():
        return PROGRAM
    found = shutil.which(PROGRAM)
    if found is not None and Path(found).samefile(path):
        return PROGRAM
    try:
        return shlex.quote(str(path.relative_to(folder)))
    except ValueError:
        return PROGRAM


def own_program() -> str:
    """How a person calls this program where it was started; by its name where that folder is gone."""
    try:
        return typed_program(sys.argv[0], Path.cwd())
    except OSError:
        return PROGRAM


def is_unspecified(host: str) -> bool:
    """Whether a server on ``host`` answers on every address of the machine, so that ``host`` names none."""
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return False


def own_addresses() -> tuple[str, ...]:
    """The machine's addresses, the likeliest first; none where it is on no network."""
    found = [address for family, target in _TARGETS if (address := _address_towards(family, target))]
    return tuple(dict.fromkeys(filter(_is_for_others, (*found, *_addresses_of_name()))))


def _address_towards(family: int, target: str) -> str:
    """The address that this machine would be seen under. Empty: it has no way there."""
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as way:
            way.connect((target, _PORT))
            return str(way.getsockname()[0])
    except OSError:
        return ""


def _addresses_of_name() -> tuple[str, ...]:
    try:
        return tuple(str(found[4][0]) for found in socket.getaddrinfo(socket.gethostname(), None))
    except OSError:
        return ()


def _is_for_others(address: str) -> bool:
    """Whether others can open it without saying more.

    >>> [_is_for_others(each) for each in ("192.168.1.7", "127.0.1.1", "fe80::1", "fd00::2", "0.0.0.0")]
    [True, False, False, True, False]
    """
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return False
    return not (found.is_loopback or found.is_link_local or found.is_unspecified)


def web_address(host: str, port: int) -> str:
    """What a browser opens.

    >>> web_address("::1", 8765)
    'http://[::1]:8765'
    """
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
