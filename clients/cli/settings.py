"""The one table of settings: name, type, bounds, default, meaning. Flags, environment, file and
`retouch config` are all made from it; where values come from is decided in settings_sources.
"""

from typing import Annotated, Any, Literal, get_args, get_origin

import msgspec
from msgspec import Meta, Struct

from clients.cli.errors import BadInput
from protocol.messages import CANVAS_LIMIT, STEPS_LIMIT, OrderName, PolicyName, Sampling
from protocol.revise import ReviewName

ColorName = Literal["auto", "always", "never"]
DeviceName = Literal["auto", "cpu", "cuda", "mps"]
DtypeName = Literal["auto", "float32", "bfloat16"]
_DEFAULTS = Sampling()
DEADLINE_LIMIT = 600_000
"""Always told: a server has a deadline of its own for who names none, and that is a short one."""


def _about(text: str, metavar: str = "", panel: str = "Sampling", flag: str = "") -> Meta:
    return Meta(description=text, extra={"metavar": metavar, "panel": panel, "flag": flag})


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """Every setting of the command line; None leaves the choice to the engine."""

    policy: Annotated[PolicyName | None, _about("Which slots a step reveals.", "NAME")] = None
    order: Annotated[
        OrderName | None,
        _about(
            "Order of reveals for `fixed` (else by confidence); which slot `threshold` takes when"
            " none is sure (else the leftmost).",
            "NAME",
        ),
    ] = None
    steps: Annotated[
        Annotated[int, Meta(ge=1, le=STEPS_LIMIT)] | None,
        _about("Denoising steps for `fixed`.", "N"),
    ] = None
    threshold: Annotated[
        Annotated[float, Meta(ge=0.0, le=1.0)],
        _about("Confidence from which `threshold` reveals a slot.", "P"),
    ] = _DEFAULTS.threshold
    factor: Annotated[
        Annotated[float, Meta(gt=0.0, le=100.0)],
        _about("Joint doubt that `factor` allows in a step.", "F"),
    ] = _DEFAULTS.factor
    entropy: Annotated[
        Annotated[float, Meta(ge=0.0, le=100.0)],
        _about("Entropy in nats that `entropy` ignores in a step.", "H"),
    ] = _DEFAULTS.entropy
    margin: Annotated[
        Annotated[float, Meta(ge=0.0, le=1.0)],
        _about("Lead over its rival that `margin` asks of a token.", "P"),
    ] = _DEFAULTS.margin
    branches: Annotated[
        Annotated[int, Meta(ge=1, le=8)] | None,
        _about(
            "Most texts tried side by side; the best is the answer. 4 by default; 1 is fastest.",
            "N",
        ),
    ] = None
    temperature: Annotated[
        Annotated[float, Meta(ge=0.0, le=5.0)],
        _about("Randomness of the tokens; 0 always takes the likeliest.", "T"),
    ] = _DEFAULTS.temperature
    top_p: Annotated[
        Annotated[float, Meta(gt=0.0, le=1.0)],
        _about("Draw from the likeliest tokens that make up this share.", "P"),
    ] = _DEFAULTS.top_p
    seed: Annotated[
        Annotated[int, Meta(ge=0, le=2**63 - 1)],
        _about("Same seed, same input, same text.", "N"),
    ] = _DEFAULTS.seed
    review: Annotated[
        ReviewName, _about("How a canvas policy looks again at revealed slots.", "NAME")
    ] = _DEFAULTS.review
    max_tokens: Annotated[
        Annotated[int, Meta(ge=1, le=CANVAS_LIMIT)] | None,
        _about("Slots of the canvas to start with.", "N"),
    ] = None
    timeout_ms: Annotated[
        Annotated[int, Meta(ge=1, le=DEADLINE_LIMIT)],
        _about("After this time what is done is the answer; the most, 600000, by default.", "MS"),
    ] = DEADLINE_LIMIT
    marker: Annotated[
        Annotated[str, Meta(min_length=1, max_length=200)],
        _about("Text that stands for the hole when no address is given.", "TEXT", "Where"),
    ] = "<FILL>"
    model: Annotated[
        Annotated[str, Meta(min_length=1)] | None,
        _about("Folder of the model; the one that ships by default.", "FOLDER", "Engine"),
    ] = None
    device: Annotated[DeviceName, _about("Where to compute.", "NAME", "Engine")] = "auto"
    dtype: Annotated[DtypeName, _about("Number format.", "NAME", "Engine")] = "auto"
    threads: Annotated[
        Annotated[int, Meta(ge=1, le=1024)] | None,
        _about("Processor threads; the free cores by default.", "N", "Engine"),
    ] = None
    server: Annotated[
        bool,
        _about(
            "Use the server of `retouch serve` if one runs.", "", "Server", "--server/--no-server"
        ),
    ] = True
    color: Annotated[ColorName, _about("Colours; auto is on a terminal.", "WHEN", "Output")] = (
        "auto"
    )
    live: Annotated[
        bool, _about("Draw the canvas while it is filled.", "", "Output", "--live/--no-live")
    ] = True
    reduced_motion: Annotated[
        bool,
        _about("No animation: progress as plain text.", "", "Output", "--reduced-motion"),
    ] = False
    context: Annotated[
        Annotated[int, Meta(ge=0, le=20)],
        _about("Lines of the file shown around the canvas.", "N", "Output"),
    ] = 3


class Setting(Struct, frozen=True):
    """One row of the table."""

    name: str
    type: Any
    default: Any
    about: str
    metavar: str
    panel: str
    flag: str

    @property
    def variable(self) -> str:
        """Its environment variable."""
        return f"RETOUCH_{self.name.upper()}"

    def parse(self, value: object, where: str) -> Any:
        """`value` checked and converted; text is read as the setting's type.

        Raises:
            BadInput: it has the wrong type or is out of bounds; `where` names its source.
        """
        try:
            return msgspec.convert(value, self.type, strict=not isinstance(value, str))
        except msgspec.ValidationError as error:
            reason = str(error).split(" - at ")[0].replace("`", "")
            raise BadInput(f"{where}: {reason} (setting {self.name}: {self.about})") from None

    def choices(self) -> tuple[str, ...]:
        """The words it may take, if they are few."""
        return tuple(word for word in _words(self.type) if isinstance(word, str))


def table() -> tuple[Setting, ...]:
    """All settings, in the order they are shown."""
    return tuple(_row(field) for field in msgspec.structs.fields(Settings))


def _row(field: msgspec.structs.FieldInfo) -> Setting:
    meta = [item for item in field.type.__metadata__ if isinstance(item, Meta)][-1]
    extra = meta.extra or {}
    flag = extra["flag"] or "--" + field.name.replace("_", "-")
    words = ", ".join(str(word) for word in _words(field.type))
    about = (meta.description or "") + (f" One of {words}." if words else "")
    return Setting(
        field.name, field.type, field.default, about, extra["metavar"], extra["panel"], flag
    )


def _words(annotation: Any) -> tuple[object, ...]:
    """The values of the Literal inside an annotation."""
    if get_origin(annotation) is Literal:
        return get_args(annotation)
    inner = get_args(annotation)
    return tuple(word for part in inner for word in _words(part))
