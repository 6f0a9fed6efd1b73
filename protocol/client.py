"""The client's side of one connection: requests in, frames out; frames in, replies out. No I/O.

It numbers nothing and waits for nothing: it keeps which fills are live, turns cell frames back
into deltas, acknowledges every frame, and refuses what a server may not say.
"""

from protocol.codec import Codec
from protocol.errors import ProtocolError
from protocol.handshake import Ack, Heard, Hello, Resume, Welcome
from protocol.messages import ToClient, ToServer
from protocol.replies import Accepted, Delta, Done, Error, Scores, Snap, Splice, is_end
from protocol.requests import Fill, ReviseText, Score
from protocol.states import CLIENT_SAYS, SERVER_SAYS, IllegalOrder, Phase, step
from protocol.wire import CellFrame, lengthen


class ClientConnection:
    """See the module.

    Attributes:
        welcome: what the server said it can do, once it has.
        live: fills that have not ended, with the last frame seen of each.
    """

    def __init__(self, codec: Codec) -> None:
        self.welcome: Welcome | None = None
        self.live: dict[str, int] = {}
        self._codec = codec
        self._phase = Phase.OPENING
        self._server = Phase.OPENING
        self._names: dict[int, str] = {}  # f -> id
        self._acks: list[Ack] = []

    def send(self, message: ToServer) -> bytes:
        """The frame of a message; IllegalOrder if it may not be said now."""
        if not isinstance(message, Hello) and self.welcome is None:
            raise IllegalOrder("wait for welcome before anything else is sent")
        self._phase = step(self._phase, message, CLIENT_SAYS)
        if isinstance(message, Fill | ReviseText | Score):
            self.live.setdefault(message.id, 0)
        if isinstance(message, Hello) and message.resume is not None:
            self.live.update({heard.id: heard.seq for heard in message.resume.fills})
        return self._codec.encode(message)

    def receive(self, data: bytes) -> ToClient | None:
        """Take one frame; None where it says nothing (unknown types, fills that have ended).

        ProtocolError or IllegalOrder if the server breaks the rules.
        """
        frame = self._codec.decode_to_client(data)
        if frame is None:
            return None
        message = self._named(frame) if isinstance(frame, CellFrame) else frame
        if message is None:
            return None
        self._server = step(self._server, message, SERVER_SAYS)
        match message:
            case Welcome():
                self.welcome = message
            case Accepted() | Snap() if message.id in self.live:
                self._names[message.f] = message.id
        return message if self._is_news(message) else None

    def acks(self) -> list[bytes]:
        """Frames that acknowledge what has been received since the last call."""
        frames = [self._codec.encode(ack) for ack in self._acks]
        self._acks.clear()
        return frames

    def resume(self) -> Resume | None:
        """What to say in the next connection's hello to take this one's fills up again."""
        if self.welcome is None:
            return None
        fills = tuple(Heard(fill_id, seq) for fill_id, seq in self.live.items())
        return Resume(self.welcome.session, self.welcome.resume_token, fills)

    def _named(self, frame: CellFrame) -> Delta | None:
        fill_id = self._names.get(frame.f)
        return lengthen(frame, fill_id) if fill_id is not None else None

    def _is_news(self, message: ToClient) -> bool:
        """Whether the message is of the connection or of a live fill; keeps the books of fills."""
        match message:
            case Delta() | Splice() | Snap():
                return self._frame(message)
            case Done() | Scores() | Error() if message.id is not None and is_end(message):
                self._names = {f: name for f, name in self._names.items() if name != message.id}
                return self.live.pop(message.id, None) is not None
            case Accepted():
                return message.id in self.live
        return True

    def _frame(self, frame: Delta | Splice | Snap) -> bool:
        last = self.live.get(frame.id)
        if last is None:
            return False
        if frame.seq <= last:
            text = f"frame {frame.seq} of fill {frame.id} came after frame {last}"
            raise ProtocolError("invalid_message", text, "seq")
        self.live[frame.id] = frame.seq
        self._acks = [ack for ack in self._acks if ack.id != frame.id]
        self._acks.append(Ack(frame.id, frame.seq))
        return True
