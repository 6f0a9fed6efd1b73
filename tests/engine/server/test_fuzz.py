"""Requests made up from the published OpenAPI: answers keep to it, none is a server error."""

from collections.abc import Iterator

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import response_schema_conformance, status_code_conformance

from engine.server.schemas import openapi
from tests.engine.server.running import Running

STREAMS = ("stream",)
CHECKS = [not_a_server_error, response_schema_conformance, status_code_conformance]


def without_streams() -> dict[str, object]:
    """The document, with bodies that never ask for a stream: those are no JSON."""
    document = openapi()
    for shape in document["components"]["schemas"].values():
        properties = shape.get("properties", {})
        for name in STREAMS:
            if name in properties:
                properties[name] = {"const": False}
                shape.setdefault("required", []).append(name)
    return document


SCHEMA = schemathesis.openapi.from_dict(without_streams())


@pytest.fixture(scope="module")
def base(server: Running) -> Iterator[str]:
    yield server.http


@pytest.mark.filterwarnings("ignore")
@SCHEMA.parametrize()
@settings(
    max_examples=5,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_every_route_keeps_to_its_description(base: str, case: schemathesis.Case) -> None:
    case.call_and_validate(base_url=base, checks=CHECKS, timeout=30)
