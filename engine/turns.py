"""What one result calls for: messages up, work down, work to end, work that was changed."""

from dataclasses import dataclass, field

from engine.job import Job, Work
from protocol.messages import ServerMessage


@dataclass(slots=True)
class Turn:
    """Handed from a session to whoever runs the engine."""

    messages: list[ServerMessage] = field(default_factory=list)
    add: list[Work] = field(default_factory=list)
    cancel: list[str] = field(default_factory=list)
    changed: list[Job] = field(default_factory=list)
