# Needs Python 3.11 or newer with pip and venv, and make; everything else goes into .venv.
PYTHON ?= python3
WORKERS ?= 2
ROUNDS ?= 5
SECONDS ?= 2

BIN := .venv/bin
PARALLEL := -n $(WORKERS) --dist loadgroup
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
RUNS := .venv/.runs
TESTS := .venv/.tests

# Each module of shared/, and the tests that have to reach all its branches: shared/a.py, tests/shared/test_a.py.
MODULES := $(shell find shared -name '*.py' ! -name __init__.py | sort)
OWN_TESTS := $(foreach module,$(MODULES),tests/$(dir $(module))test_$(notdir $(module)))

.PHONY: help run demo test soak bench load lint fix cover protocol shots constraints clean

help: ## Print this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

run: $(RUNS) ## Start the server on the network and print its addresses
	$(BIN)/samedeal serve --lan

demo: $(RUNS) ## Watch a whole race: server, bots, standings, leaderboard, replay
	$(BIN)/samedeal demo

test: lint ## Check the code, then run every test (what CI runs): those of shared/ have to reach all its branches
	$(BIN)/pytest $(PARALLEL) --cov=shared --cov-fail-under=100 $(OWN_TESTS)
	$(BIN)/pytest $(PARALLEL) $(addprefix --ignore=,$(OWN_TESTS))

soak: $(TESTS) ## Run the long versions of the tests, and have hypothesis look further
	$(BIN)/pytest $(PARALLEL) -m "soak or hypothesis" --hypothesis-profile=soak

bench: $(TESTS) ## Measure speed
	$(BIN)/pytest -m bench --benchmark-enable

load: $(TESTS) ## Measure the server under load (ROUNDS, SECONDS), beside a bare one; some minutes
	$(BIN)/python -m tests.load --rounds $(ROUNDS) --seconds $(SECONDS)

lint: $(TESTS) ## Check rules, layout and types
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

fix: $(TESTS) ## Mend what can be mended by itself
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

cover: $(TESTS) ## Fail unless each module of shared/ is reached in all its branches by its own tests alone
	@short=; for module in $(MODULES); do \
		$(BIN)/pytest -q --cov=shared --cov-report= tests/$${module%/*}/test_$${module##*/} \
			&& $(BIN)/coverage report --fail-under=100 --include=$$module || short="$$short $$module"; \
	done; test -z "$$short" || { echo "short of 100 %:$$short"; exit 1; }

protocol: $(TESTS) ## Make docs/PROTOCOL.md anew from the declarations
	$(BIN)/samedeal protocol > docs/PROTOCOL.md

shots: $(TESTS) ## Take the pictures of the README anew
	$(BIN)/python -m tests.browser.shots

constraints: ## Pin the newest versions that work together
	rm -rf build/constraints
	$(PYTHON) -m venv build/constraints
	build/constraints/bin/python -m pip install --quiet -e '.[dev]'
	build/constraints/bin/python -m pip list --format=freeze --exclude-editable --exclude pip --exclude setuptools \
		> constraints.txt
	rm -rf build/constraints

clean: ## Remove .venv and all that tools leave behind
	rm -rf .venv build dist .coverage .hypothesis .benchmarks .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Players need no more than this; pip runs again when what is needed changes.
$(RUNS): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(PIP) install -c constraints.txt -e .
	@touch $@

$(TESTS): $(RUNS)
	$(PIP) install -c constraints.txt -e '.[dev]'
	@touch $@
