# Peg & Pip: `make` lists the targets. The virtual environment is made when it is missing.
PYTHON ?= python3
BIN := .venv/bin
QUICK := tests/games tests/table tests/history tests/bots tests/hardware tests/test_house.py tests/test_examples.py
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

# Tests start hundreds of processes: none compiles the modules again, also where the shell forbids stored bytecode.
export PYTHONDONTWRITEBYTECODE :=
.DEFAULT_GOAL := help
# Every target with a plain name is an action, not a file.
.PHONY: $(shell sed -n 's/^\([a-z-]*\):.*/\1/p' $(MAKEFILE_LIST))

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'

.venv/run.stamp: pyproject.toml constraints.txt
	@test -x $(BIN)/python || { echo "making .venv (once) ..."; $(PYTHON) -m venv .venv; }
	@echo "installing what playing needs ..."
	@$(PIP) -e '.[vision,fast]'
	@touch $@

.venv/dev.stamp: .venv/run.stamp
	@echo "installing what testing needs ..."
	@$(PIP) -e '.[vision,league,mqtt,dev]'
	@$(PIP) --no-deps --upgrade --target .venv/picamera2 picamera2 videodev2 piexif
	@touch $@

play: .venv/run.stamp  ## play against the virtual tray; open the address it prints
	@$(BIN)/pegpip play

test: .venv/dev.stamp lint types tests  ## every check: ruff, mypy, ESLint, TypeScript, pytest

check: .venv/dev.stamp lint types  ## quick checks while you work, under 90 s: ruff, mypy, ESLint, tests without browsers, processes and pictures
	@PEGPIP_GAMES=10 $(BIN)/pytest -n 2 -m "not slow and not browser" $(QUICK)

lint: .venv/dev.stamp scripts
	@$(BIN)/ruff check .

scripts:
	@if command -v npm >/dev/null; then $(MAKE) -s node_modules/pegpip.stamp && npm run --silent lint; \
	elif [ "$$CI" = true ]; then echo "npm is missing: the pages' scripts can't be checked; install nodejs and npm"; exit 1; \
	else echo "skipped: ESLint and TypeScript over the pages' scripts; they need nodejs and npm"; fi

node_modules/pegpip.stamp: package.json
	@npm install --no-package-lock --no-audit --no-fund --ignore-scripts --loglevel=error >/dev/null
	@touch $@

types: .venv/dev.stamp
	@$(BIN)/mypy

tests: .venv/dev.stamp
	@$(BIN)/pytest -n 4 --dist worksteal

bench: .venv/run.stamp  ## measure speed and accuracy on this machine
	@$(BIN)/pegpip bench

conformance: .venv/dev.stamp  ## test the rules against a second implementation: 2,000 random games of each mix of house rules
	@PEGPIP_GAMES=2000 $(BIN)/pytest -q -n 2 tests/games/test_conformance.py

explore: .venv/dev.stamp  ## run the property tests with new random examples; a failing one is printed
	@PEGPIP_EXPLORE=1 $(BIN)/pytest -n 2 -m hypothesis

fuzz: .venv/dev.stamp  ## replay 10,000 mutilated transcripts
	@PEGPIP_FUZZ=10000 $(BIN)/pytest -q tests/games/test_fuzz.py

mutants: .venv/dev.stamp  ## mutation testing of the rules: 97 % must fail a test (an hour; ONLY="engine.dice engine.roll_off" picks modules)
	@$(BIN)/python -m tests.games.mutants $(ONLY)

evening: .venv/dev.stamp  ## first start, whole games and the evening page in Chromium, in real time (half an hour)
	@$(BIN)/pytest -s -m evening tests/system tests/web

reaction: .venv/dev.stamp  ## measure the time from dice at rest to the page in Chromium, median of fifty throws (LOAD=--load: under load; SET="mqtt.host=127.0.0.1")
	@$(BIN)/python -m tests.system.reaction $(LOAD) $(if $(SET),--set $(SET))

layout: .venv/dev.stamp  ## measure every page for every game, size, look and language: nothing may be clipped (long; pictures in out/layout)
	@PEGPIP_LAYOUT=1 $(BIN)/pytest -n 2 tests/web/test_layout.py tests/web/test_codes.py tests/web/test_axe.py

pictures: .venv/dev.stamp  ## photograph every page at every size, dark and light: out/web
	@$(BIN)/pytest -m pictures tests/web

style: .venv/dev.stamp  ## serve the page /style on this machine: tokens, type scale, components, states
	@$(BIN)/python -m tests.web.style

phases: .venv/dev.stamp  ## photograph every phase of the three games, phone and pub's screen, for a three-second round: out/phases
	@$(BIN)/python -m tests.web.phases out/phases

throw-picture: .venv/dev.stamp  ## draw the README's moving picture of a throw in Chromium: docs/img/throw.webp
	@$(BIN)/python -m tests.web.moving_picture

load: .venv/dev.stamp  ## serve 2,000 viewers, a thousand phones that come and go, and a slow client
	@$(BIN)/python -m tests.web.load

pages: .venv/dev.stamp  ## measure the pages in Chromium: first paint, slow phone, update, reconnection, first throw
	@$(BIN)/python -m tests.web.timings

pi-budget: .venv/dev.stamp  ## run a table with a part of one core, as a Pi has it: frames, reading time, memory (15 minutes; CLIP=video CORE=0.22)
	@$(BIN)/python -m tests.system.pi_budget $(if $(CLIP),--clip $(CLIP)) $(if $(CORE),--core $(CORE))

restarts: .venv/dev.stamp  ## measure how soon a crashed part is reported and works again
	@$(BIN)/python -m tests.system.restarts

page-types: .venv/dev.stamp  ## write the types that the pages' scripts are checked against: after changing the snapshot or a template
	@$(BIN)/python -m tests.web.page_types

fuzz-web: .venv/dev.stamp  ## as the owner's phone, send some 20,000 random requests and compare the answers with the API's description (four minutes)
	@$(BIN)/python -m tests.web.fuzz

faults: .venv/dev.stamp  ## damage folders, cut the power, kill, fail writes, mutilate backups: nothing may be lost in silence (minutes)
	@$(BIN)/python -m tests.faults
	@$(BIN)/python -m tests.system.restarts
	@$(BIN)/pytest -q tests/service/test_supervision.py tests/service/test_safe_mode.py tests/system/test_plug_pulled.py tests/vision/test_camera_faults.py tests/hardware/test_strip_faults.py

settings-storm: .venv/dev.stamp  ## as root: change settings at random 300 times, restart each time; the page must be up within 10 s (half an hour)
	@$(BIN)/python -m tests.settings.storm --rounds $(or $(ROUNDS),300) --seed $(or $(SEED),1)

soak: .venv/dev.stamp  ## play 2,000 throws with 50 viewers and exports: nothing may grow, slow down or get lost (an hour)
	@$(BIN)/python -m tests.faults.soak --throws $(or $(THROWS),2000)

years: .venv/dev.stamp  ## start a table from 100,000 entries: time, memory, exports while it plays (five minutes)
	@$(BIN)/python -m tests.faults.years

pi-memory: .venv/dev.stamp  ## measure the peak memory of a table with a fake Pi camera, calibrated and not (a minute)
	@$(BIN)/python -m tests.system.pi_memory

corrupted: .venv/dev.stamp  ## read a thousand damaged, odd and hostile picture files: an answer or a clear error each, under 1 GB
	@PEGPIP_CORRUPTED=1000 $(BIN)/pytest -s tests/vision/test_corrupted.py

rendered: .venv/dev.stamp  ## measure the tray reader on 2,040 rendered pictures in twelve conditions (EACH=20: fewer)
	@$(BIN)/python -m vision.research.evaluation.rendered --each $(or $(EACH),170) --first $(or $(FIRST),0) --failures out/rendered

rigs: .venv/dev.stamp  ## measure the tray reader on photos by real fixed cameras: RIGS=rigs.json PHOTOS=folder (SPLIT=tune HEIGHT=1.1)
	@$(BIN)/python -m vision.research.evaluation.rigs $(RIGS) $(PHOTOS) --split $(or $(SPLIT),check) --height $(or $(HEIGHT),1.0)

rescored: .venv/dev.stamp  ## read virtual throws again from their packages, also with a spoilt network (40 minutes; THROWS=200: fewer)
	@$(BIN)/python -m tests.evidence.proving --throws $(or $(THROWS),2000)

ablation: .venv/dev.stamp  ## measure what each part of the reader contributes: RIGS=rigs.json PHOTOS=folder (ten minutes; docs/lab/ablation.md)
	@$(BIN)/python -m vision.research.evaluation.ablation $(RIGS) $(PHOTOS) --split $(or $(SPLIT),check)

clips: .venv/dev.stamp  ## watch 66 rendered clips of throws, hands, shadows, knocks: none may be missed or invented (EACH=1: fewer)
	@$(BIN)/python -m vision.research.evaluation.clips --each $(or $(EACH),6)

handheld: .venv/dev.stamp  ## the same clips filmed by hand, without a calibration (EACH=1: fewer)
	@$(BIN)/python -m vision.research.evaluation.handheld --each $(or $(EACH),2)

duel-games: .venv/dev.stamp .venv/solve.stamp  ## play 200,000 games between two perfect players and compare with the stored values (ten minutes)
	@$(BIN)/python -m tests.games.duel_games

.venv/solve.stamp: .venv/run.stamp
	@$(PIP) -e '.[solve]'
	@touch $@

losses: .venv/dev.stamp .venv/solve.stamp  ## measure what the approximations of the odds lose (long; GAME=name: one game)
	@$(BIN)/python -m tests.games.losses $(GAME)

solve: .venv/solve.stamp  ## compute the stored tables of best play (ten minutes; docs/how-to/change-a-scoring-chart.md)
	@$(BIN)/python -m companion.games.solving

guide: .venv/dev.stamp  ## write the strategy guide and its charts from the stored tables: docs/strategy (a minute)
	@$(BIN)/python -m companion.games.solving.guide

levels: .venv/dev.stamp  ## measure the mean regret of the computer's levels, with which ratings are compared (a minute)
	@$(BIN)/python -m companion.games.solving.levels

league: .venv/dev.stamp  ## run a league with PostgreSQL, its server and three simulated tables; prints the address
	@$(BIN)/python -m tests.league.demo

league-faults: .venv/dev.stamp  ## kill the league's database and server, cut its network, copy its tables: 200 runs (an hour)
	@$(BIN)/python -m tests.league.faults --runs $(or $(RUNS),200) --seed $(or $(SEED),1)

league-scale: .venv/dev.stamp  ## send 100,000 games of 1,000 tables to the league; time its pages over 1,000,000 stored games (an hour)
	@$(BIN)/python -m tests.league.scale

.venv/home-assistant/bin/python:
	@python3.11 -m venv .venv/home-assistant
	@.venv/home-assistant/bin/pip install -q 'homeassistant==2024.3.3' 'paho-mqtt==1.6.1'

home-assistant: .venv/dev.stamp .venv/home-assistant/bin/python  ## check the MQTT discovery messages against Home Assistant's own schemas
	@$(BIN)/python -m tests.mqtt.discovered | .venv/home-assistant/bin/python tests/mqtt/home_assistant.py

moments-page: .venv/dev.stamp  ## write docs/reference/moments.md from the games' events and effects
	@$(BIN)/python -m tests.games.moments_page

settings-page: .venv/dev.stamp  ## write docs/reference/settings.md from the declarations of the settings
	@$(BIN)/python -m tests.settings.reference

results: .venv/dev.stamp  ## measure the quick figures, and write docs/results.md from docs/lab/results.json (minutes)
	@$(BIN)/python -m tests.results

fairness: .venv/dev.stamp  ## simulate thousands of sets of dice: false alarms, and how soon loaded ones are found
	@$(BIN)/python -m tests.history.fair_sets

fixtures: .venv/dev.stamp  ## render the pictures in fixtures/images
	@$(BIN)/python -m vision.research.evaluation.fixtures

TRAIN := .venv-train/bin
.venv-train/run.stamp: pyproject.toml constraints.txt
	@test -x $(TRAIN)/python || $(PYTHON) -m venv .venv-train
	@$(TRAIN)/python -m pip install --quiet -c constraints.txt -e '.[vision,train]'
	@touch $@

train: .venv-train/run.stamp  ## train the three networks that read, on a CPU: DATA="folder ..." MINUTES=60 for each (docs/how-to/retrain.md)
	@test -n "$(DATA)" || { echo 'say which folders hold labelled sets: make train DATA="photos more_photos"'; exit 2; }
	@$(TRAIN)/python -m vision.research.training.train $(DATA) --minutes $(or $(MINUTES),60) --out vision/models/centres.onnx
	@$(TRAIN)/python -m vision.research.training.train_glance $(DATA) --minutes $(or $(MINUTES),60) --out vision/models/glance.onnx
	@$(TRAIN)/python -m vision.research.training.train_faces $(DATA) --minutes $(or $(MINUTES),60) --out vision/models/faces.onnx

PARTS := .venv-parts/bin
.venv-parts/run.stamp: pyproject.toml constraints.txt
	@test -x $(PARTS)/python || $(PYTHON) -m venv .venv-parts
	@$(PARTS)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[parts]' pytest
	@touch $@

parts: .venv-parts/run.stamp  ## draw and check the parts to print, saw and cut: docs/parts, with pictures of every step
	@$(PARTS)/python -m release.parts --out docs
	@$(PARTS)/python -m pytest -q --noconftest -o addopts= tests/hardware/test_mechanics.py

deb: .venv/dev.stamp  ## build the Debian package for a Raspberry Pi, with all it needs: dist/ (ARCH=amd64: for a PC)
	@$(BIN)/python -m release.deb --arch $(or $(ARCH),arm64)

release-key: .venv/dev.stamp  ## once, for the publisher: make the key that signs releases (docs/appliance.md)
	@$(BIN)/python -m release.sign key

sign: .venv/dev.stamp  ## sign releases: FILES="dist/pegpip_....deb" gets a FILE.sig beside it
	@test -n "$(FILES)" || { echo 'say what to sign: make sign FILES="dist/..."'; exit 2; }
	@$(BIN)/python -m release.sign sign $(FILES)

appliance: .venv/dev.stamp  ## as root: install, play, update and uninstall in a fresh Debian (ARCH=arm64 SUITE=trixie)
	@$(BIN)/python -m release.in_a_root --arch $(or $(ARCH),amd64) --suite $(or $(SUITE),bookworm)

clean:  ## remove the virtual environment and caches
	rm -rf node_modules .venv .venv-train .venv-parts .mypy_cache .ruff_cache .pytest_cache .hypothesis out dist
