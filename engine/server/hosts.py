"""Who a request says it talks to: the Host header, parsed strictly, never matched by prefix."""

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address

_NAME = re.compile(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?", re.ASCII)
_PORT = re.compile(r"[0-9]{1,5}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Authority:
    """A host, an address or a name in lower case, and a port if one was given."""

    host: IPv4Address | IPv6Address | str
    port: int | None


def parse_authority(text: str) -> Authority | None:
    """`host[:port]` or `[v6][:port]`; None for everything that isn't exactly that."""
    if text.startswith("["):
        literal, bracket, rest = text[1:].partition("]")
        if not bracket or (rest and not rest.startswith(":")):
            return None
        port_text = rest[1:] if rest else None
    else:
        literal, colon, rest = text.partition(":")
        port_text = rest if colon else None
    port = _port(port_text)
    host = _host(literal.lower(), bracketed=text.startswith("["))
    if host is None or (port_text is not None and port is None):
        return None
    return Authority(host, port)


def _port(text: str | None) -> int | None:
    if text is None or not _PORT.fullmatch(text) or int(text) > 65535:
        return None
    return int(text)


def _host(text: str, bracketed: bool) -> IPv4Address | IPv6Address | str | None:
    try:
        address = ip_address(text)
    except ValueError:
        numeric = text.replace(".", "").isdigit()  # 127.1 and the like are no names
        return text if not bracketed and not numeric and _NAME.fullmatch(text) else None
    return address if isinstance(address, IPv6Address) == bracketed else None


@dataclass(frozen=True, slots=True)
class HostRule:
    """Which authorities a server answers to.

    Loopback servers answer to loopback addresses and `localhost`, others to any address literal
    (a rebound name is never one); names are answered to only as they are listed.
    """

    loopback: bool
    listed: frozenset[str]

    def allows(self, header: str, port: int) -> bool:
        """Whether a server that listens on `port` answers to this Host header."""
        if header.lower() in self.listed:
            return True
        authority = parse_authority(header)
        if authority is None or (authority.port or 80) != port:
            return False
        host = authority.host
        if isinstance(host, str):
            return self.loopback and host == "localhost"
        return host.is_loopback or not self.loopback
