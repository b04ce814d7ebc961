"""The games there are. Another game is one rules file, one line here, and its texts in `locales/`."""

from shared.games.freecell import FreeCell
from shared.games.simplesimon import SimpleSimon
from shared.rules import Rules

RULES: dict[str, Rules] = {rules.name: rules for rules in (SimpleSimon(), FreeCell())}
"""Each game's rules by its name."""
