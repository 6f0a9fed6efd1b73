"""Owns the string formats: for each, a pattern whose matches every checker accepts.

The patterns may leave out rare spellings (sub-languages); they must never let in a wrong one.
"""

from engine.constraints.errors import UnsupportedError

_DAY31 = r"(0[13578]|1[02])-(0[1-9]|[12]\d|3[01])"
_DAY30 = r"(0[469]|11)-(0[1-9]|[12]\d|30)"
_LEAP = r"(\d\d(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29"
_DATE = rf"(\d{{4}}-({_DAY31}|{_DAY30}|02-(0[1-9]|1\d|2[0-8]))|{_LEAP})"
_TIME = r"([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?([Zz]|[+\-]([01]\d|2[0-3]):[0-5]\d)"
_CLOCK = r"T(\d+H(\d+M(\d+S)?)?|\d+M(\d+S)?|\d+S)"
_DAYS = r"(\d+Y(\d+M(\d+D)?)?|\d+M(\d+D)?|\d+D)"
_LABEL = r"[a-zA-Z0-9]([a-zA-Z0-9\-]?[a-zA-Z0-9]){0,15}"
_HOST = rf"{_LABEL}(\.{_LABEL}){{0,6}}"
_ATEXT = r"[a-zA-Z0-9!#$%&'*+/=?^_`{|}~\-]"
_EMAIL = rf"{_ATEXT}{{1,20}}(\.{_ATEXT}{{1,20}}){{0,2}}@{_LABEL}(\.{_LABEL}){{1,3}}"
_OCTET = r"(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
_IPV4 = rf"{_OCTET}(\.{_OCTET}){{3}}"
_H16 = r"[0-9a-fA-F]{1,4}"
_POINTER = r"(/([^~/]|~[01])*)*"
_PCHAR = r"([a-zA-Z0-9._~!$&'()*+,;=:@\-]|%[0-9a-fA-F]{2})"
_URI_HOST = r"[a-zA-Z0-9]([a-zA-Z0-9.\-]*[a-zA-Z0-9])?"
_URI = (
    rf"[a-zA-Z][a-zA-Z0-9+.\-]*:(//{_URI_HOST}(:\d{{1,4}})?(/{_PCHAR}*)*|{_PCHAR}+(/{_PCHAR}*)*)"
    rf"(\?({_PCHAR}|[/?])*)?(#({_PCHAR}|[/?])*)?"
)


def _ipv6() -> str:
    """All forms with at most one "::", from the number of groups before and behind it."""
    full = rf"{_H16}(:{_H16}){{7}}|{_H16}(:{_H16}){{5}}:{_IPV4}"
    forms = [full, "::"]
    for before in range(8):
        head = "" if before == 0 else _H16 + (rf"(:{_H16}){{{before - 1}}}" if before > 1 else "")
        behind = 7 - before
        if behind:
            forms.append(rf"{head}::{_H16}(:{_H16}){{0,{behind - 1}}}")
        if before:
            forms.append(rf"{head}::")
        if before < 6:
            forms.append(rf"{head}::({_H16}:){{0,{5 - before}}}{_IPV4}")
    return "|".join(forms)


PATTERNS = {
    "date": _DATE,
    "time": _TIME,
    "date-time": rf"{_DATE}[Tt]{_TIME}",
    "duration": rf"P({_DAYS}({_CLOCK})?|{_CLOCK}|\d+W)",
    "email": _EMAIL,
    "idn-email": _EMAIL,
    "hostname": _HOST,
    "idn-hostname": _HOST,
    "ipv4": _IPV4,
    "ipv6": _ipv6(),
    "uuid": r"[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}",
    "uri": _URI,
    "iri": _URI,
    "uri-reference": _URI,
    "iri-reference": _URI,
    "uri-template": _URI,
    "json-pointer": _POINTER,
    "relative-json-pointer": rf"(0|[1-9]\d*)(#|{_POINTER})",
}
# Formats whose pattern leaves nothing out.
EXACT = frozenset({"date", "ipv4", "ipv6", "uuid"})
_NAMED = frozenset({*PATTERNS, "regex"})


def pattern_of(name: str) -> str | None:
    """The pattern of a format; None for one no standard defines, which asserts nothing."""
    if name in PATTERNS:
        return PATTERNS[name]
    if name in _NAMED:
        raise UnsupportedError(f"unsupported keyword: format {name!r}")
    return None
