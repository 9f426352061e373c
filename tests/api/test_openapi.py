"""The interface answers as it describes itself, whatever it is asked.

The stream never ends and is tested elsewhere; ``/readyz`` says 503 where a camera stands still.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
import schemathesis
from desk_match import DeskMatch
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.schemas import APIOperation, BaseSchema
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from api.app import create_app
from api.door import DoorPlan
from api.hub import Hub
from api.store.shelf import forgetful_store
from api.v1 import examples

EXAMPLES = 5
"""For each route; a nightly run may take more."""


CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
KNOWN = {"match_id": "friday", "table": "kitchen", "verdict_id": "v1"}


@pytest.fixture
def described(tmp_path: Path) -> Iterator[BaseSchema]:
    """A match in the middle of it, behind the whole door."""
    played = DeskMatch(tmp_path / "friday.jsonl").play()
    hub = Hub()
    hub.add(played.feed, played.desk)
    store = forgetful_store()
    app = create_app(hub, plan=DoorPlan(hosts=frozenset({"testserver"})), store=store)
    yield schemathesis.openapi.from_asgi("/openapi.json", app)
    store.close()
    played.record.close()


@pytest.mark.parametrize("is_known", [True, False], ids=["of the match", "of anything"])
def test_every_answer_is_one_that_is_described(described: BaseSchema, *, is_known: bool):
    operations = [found.ok() for found in described.get_all_operations()]
    asked = [each for each in operations if not each.path.endswith(("/stream", "/readyz"))]
    assert len(asked) > 40

    for operation in asked:
        if not is_known or "{" in operation.path:
            ask_all(operation, KNOWN if is_known else {})


def ask_all(operation: APIOperation, known: dict[str, str]) -> None:
    """Ask for ``operation`` in every way that hypothesis thinks of."""

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy())
    def ask(case: schemathesis.Case) -> None:
        for name, value in known.items():
            if name in (case.path_parameters or {}):
                case.path_parameters[name] = value
        case.call_and_validate(checks=CHECKS)

    ask()


def test_every_operation_says_what_it_does_and_has_its_examples():
    schema_ = create_app(Hub()).openapi()
    operations = {
        operation["operationId"]: operation
        for operations in schema_["paths"].values()
        for operation in operations.values()
    }

    assert all(operation["description"] for operation in operations.values())
    assert all("tags" in operation for operation in operations.values())
    bodies = {name for name, each in operations.items() if "requestBody" in each}
    in_fields = {"remember", "make_token", "make_webhook"}
    assert bodies - in_fields == set(examples.OF_BODIES)


def test_examples_are_what_the_program_itself_would_send():
    for example in (*examples.OF_SCHEMAS, *(b for bs in examples.OF_BODIES.values() for b in bs.values())):
        assert type(example).model_validate_json(example.model_dump_json()) == example
