CREATE TABLE tables (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key bytea NOT NULL UNIQUE CHECK (length(key) = 32),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 60),
    pub text NOT NULL CHECK (length(pub) BETWEEN 1 AND 60),
    active boolean NOT NULL DEFAULT true,
    added_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE seasons (
    id integer PRIMARY KEY,
    name text NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 60),
    starts date, ends date,
    CHECK (id = 0 OR (starts IS NOT NULL AND ends IS NOT NULL AND starts < ends)),
    EXCLUDE USING gist (daterange(starts, ends) WITH &&) WHERE (id <> 0)
);
INSERT INTO seasons VALUES (0, 'Between seasons', NULL, NULL);
CREATE TABLE players (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    table_id integer NOT NULL REFERENCES tables,
    name text COLLATE "C" NOT NULL CHECK (length(name) BETWEEN 1 AND 24),
    merged_into integer REFERENCES players CHECK (merged_into <> id),
    UNIQUE (table_id, name)
);
CREATE INDEX ON players (merged_into) WHERE merged_into IS NOT NULL;
CREATE INDEX players_by_name ON players (name, id) WHERE merged_into IS NULL;
CREATE INDEX players_searched ON players ((lower(name COLLATE "default") COLLATE "C"), name, id)
    WHERE merged_into IS NULL;
-- One row a game for ever: this key is what counts a game once.
CREATE TABLE games (
    game uuid PRIMARY KEY,
    table_id integer NOT NULL REFERENCES tables,
    season integer NOT NULL REFERENCES seasons,
    seq bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
    kind text NOT NULL DEFAULT '',
    revision integer NOT NULL DEFAULT 0 CHECK (revision >= 0),
    state text NOT NULL DEFAULT 'open' CHECK (state IN ('final', 'open', 'withdrawn')),
    sides jsonb,
    rated boolean NOT NULL DEFAULT true,
    played_at timestamptz NOT NULL,
    heard_at timestamptz NOT NULL DEFAULT now(),
    CHECK (state <> 'final' OR (kind <> '' AND sides IS NOT NULL))
);
CREATE INDEX games_listed ON games (season, kind, seq DESC) WHERE state = 'final';
CREATE INDEX games_to_rate ON games (season, kind, seq) WHERE NOT rated;
CREATE TABLE revisions (
    season integer NOT NULL REFERENCES seasons,
    game uuid NOT NULL REFERENCES games,
    revision integer NOT NULL CHECK (revision > 0),
    state text NOT NULL CHECK (state IN ('final', 'open', 'withdrawn')),
    body bytea NOT NULL CHECK (length(body) <= 262144),
    signature bytea NOT NULL CHECK (length(signature) = 64),
    heard_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (season, game, revision)
) PARTITION BY LIST (season);
CREATE TABLE results (
    season integer NOT NULL REFERENCES seasons,
    game uuid NOT NULL REFERENCES games,
    seat smallint NOT NULL CHECK (seat >= 0),
    player integer NOT NULL REFERENCES players,
    side smallint NOT NULL CHECK (side >= 0),
    kind text NOT NULL,
    seq bigint NOT NULL,
    won numeric(7, 6) NOT NULL CHECK (won BETWEEN 0 AND 1),
    lost integer NOT NULL CHECK (lost >= 0),
    score bigint NOT NULL,
    counted boolean NOT NULL DEFAULT true,
    mu double precision, sigma double precision,
    PRIMARY KEY (season, game, seat, player)
) PARTITION BY LIST (season);
CREATE INDEX results_of_player ON results (player, season, kind, seq DESC);
CREATE INDEX results_in_order ON results (season, kind, seq);
CREATE INDEX results_by_score ON results (season, kind, score DESC) WHERE counted;
CREATE INDEX results_by_loss ON results (season, kind, lost DESC) WHERE counted;
CREATE TABLE revisions_0 PARTITION OF revisions FOR VALUES IN (0);
CREATE TABLE results_0 PARTITION OF results FOR VALUES IN (0);
CREATE TABLE standings (
    season integer NOT NULL REFERENCES seasons,
    kind text NOT NULL,
    player integer NOT NULL REFERENCES players,
    games integer NOT NULL CHECK (games >= 0),
    won numeric(13, 6) NOT NULL CHECK (won BETWEEN 0 AND games),
    lost integer NOT NULL CHECK (lost >= 0),
    mu double precision NOT NULL DEFAULT 25, sigma double precision NOT NULL DEFAULT 25.0 / 3,
    PRIMARY KEY (season, kind, player)
);
CREATE INDEX standings_of_player ON standings (player);
CREATE INDEX standings_by_wins ON standings (season, kind, won DESC, lost, player);
CREATE INDEX standings_by_rating ON standings (season, kind, (mu - 3 * sigma) DESC, player);
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
CREATE TABLE refused (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    table_id integer NOT NULL REFERENCES tables,
    path text NOT NULL, reason text NOT NULL, body bytea NOT NULL,
    at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ON refused (table_id, id);
CREATE TABLE changes (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT now(),
    who text NOT NULL, what text NOT NULL,
    game uuid REFERENCES games,
    before jsonb, after jsonb
);
CREATE INDEX ON changes (game) WHERE game IS NOT NULL;

-- The server may add revisions and log lines, never change or delete them. Tables and seasons are the owner's.
DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'league_app') THEN CREATE ROLE league_app NOLOGIN; END IF;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'league_reader') THEN CREATE ROLE league_reader NOLOGIN; END IF;
END $$;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO league_app, league_reader;
GRANT INSERT ON players, games, revisions, results, standings, refused, changes TO league_app;
GRANT UPDATE (revision, state, kind, sides, rated) ON games TO league_app;
GRANT UPDATE (side, won, lost, score, counted, mu, sigma) ON results TO league_app;
GRANT UPDATE (games, won, lost, mu, sigma) ON standings TO league_app;
GRANT DELETE ON refused TO league_app;
