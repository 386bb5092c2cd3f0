-- A tournament holds its draw; its matches follow from the games that count.
CREATE TABLE tournaments (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    season integer NOT NULL REFERENCES seasons,
    kind text NOT NULL,
    form text NOT NULL CHECK (form IN ('knockout', 'round_robin')),
    starts date NOT NULL,
    players integer[] NOT NULL CHECK (cardinality(players) BETWEEN 2 AND 64),
    handicaps integer[] NOT NULL CHECK (cardinality(handicaps) = cardinality(players)),
    gone integer[] NOT NULL DEFAULT '{}' CHECK (gone <@ players)
);
CREATE INDEX tournaments_listed ON tournaments (season, kind, starts DESC, id DESC);
GRANT SELECT ON tournaments TO league_app, league_reader;
-- A whole round robin that was planned as fixtures stays one. Others can be planned again: fixtures hold no results.
INSERT INTO tournaments (season, kind, form, starts, players, handicaps)
    SELECT f.season, f.kind, 'round_robin', s.starts, f.players, array_fill(0, ARRAY[cardinality(f.players)])
    FROM (SELECT season, kind, array_agg(DISTINCT player) AS players, count(DISTINCT id) AS pairs
          FROM fixtures, LATERAL (VALUES (home), (away)) AS of_pair (player) GROUP BY season, kind) f
    JOIN seasons s ON s.id = f.season AND s.id <> 0
    WHERE cardinality(f.players) BETWEEN 2 AND 64 AND f.pairs = cardinality(f.players) * (cardinality(f.players) - 1) / 2;
DROP TABLE fixtures;
