"""Settings of what reaches beyond the table. All of it is off by default."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta


class LeagueSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A league that this table sends its finished games to.

    Attributes:
        server: Address of the league's server, with https. Empty: no game leaves the table.
        aliases: Names to publish instead of those at the table, each as `"Ann=Ann of the Lion"`.
    """

    server: Annotated[str, Meta(max_length=200)] = ""
    aliases: tuple[str, ...] = ()
