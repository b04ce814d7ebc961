"""The values that messages carry."""

import msgspec
import pytest

from shared.protocol import values
from shared.protocol.values import Options

VALUES = [each for each in vars(values).values() if isinstance(each, type) and each.__module__ == values.__name__]


@pytest.mark.parametrize("kind", VALUES)
def test_values_are_frozen_and_spelt_out(kind: type[msgspec.Struct]) -> None:
    """
    Nobody changes a value that others hold, and none is made by the order of its fields.
    """
    assert kind.__struct_config__.frozen
    with pytest.raises(TypeError):
        kind(1)


def test_options_are_sent_whole() -> None:
    """
    What a race was played by is kept with its result, so every option is written, at its default too.
    """
    assert set(msgspec.to_builtins(Options())) == set(Options.__struct_fields__)


@pytest.mark.parametrize("text", ['{"limit_ms":9999}', '{"seats":0}', '{"goal":"luck"}', '{"view":"never"}'])
def test_options_have_bounds(text: str) -> None:
    """
    What no race can be played by is not read.
    """
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(text, type=Options)
