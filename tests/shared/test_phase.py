"""The phases of a race."""

from shared.phase import Phase


def test_phases_are_called_by_their_names() -> None:
    """The wire and the page know them by these words, in the order in which a race goes through them."""
    assert [str(phase) for phase in Phase] == [phase.name.lower() for phase in Phase]
    assert list(Phase) == ["open", "countdown", "running", "finished"]
