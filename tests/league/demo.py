"""A league to look at: PostgreSQL in a folder, the server, and three simulated tables that play: `make league`."""

from __future__ import annotations

import contextlib
import random
import threading
from datetime import date

from companion.league import admin
from companion.league.database import as_owner
from tests.league.faults import LeagueServer, Member
from tests.league.proxy import Network
from tests.league.services import cluster

PUBS = ("The Lion", "The Swan", "The Anchor")
NAMES = ("Ann", "Ben", "Cat", "Dan", "Eve", "Fay")
PAUSE_S = 5.0
"""Seconds between two games of a table."""


def main() -> None:
    with cluster() as (folder, postgres), contextlib.ExitStack() as stack:
        url = postgres.league("demo")
        server, network = LeagueServer(url), Network()
        network.to_port = server.port
        members = [Member(folder / f"table{at}", at, network) for at in range(len(PUBS))]
        with as_owner(url) as connection:
            admin.add_season(connection, "Demonstration", date(2020, 1, 1), date(2040, 1, 1))
            for member, pub in zip(members, PUBS, strict=True):
                admin.add_table(connection, member.key, "Table 1", pub)
                stack.callback(member.close)
        server.start()
        stack.callback(server.kill)
        chance = random.Random(1)
        print(f"league: {server.address()}/   Ctrl-C ends it; nothing is kept.", flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            while True:
                for member in members:
                    member.pub.play(*chance.sample(NAMES, chance.choice((2, 2, 3))))
                threading.Event().wait(PAUSE_S)


if __name__ == "__main__":
    main()
