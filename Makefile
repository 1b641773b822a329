# What there is to run. Python 3.11 or newer and make are enough; the rest goes into .venv.
#
#   make demo     plays campaigns by mail through a local post folder (GAME=key for one game)
#   make quick    the fast tests, in a minute: without servers, browser, style and types
#   make test     style, types and all tests, with real servers; of long tests some cases, others each day
#   make test-all the same with all cases: each kill, each meeting of two acts, each soak
#   make check    style and types alone (make lint, make type; make format mends the style)
#   make programs answers mails of ours with real mail programs (NAME=mutt for one), polls and sends through real servers
#   make docs     the documents as a site, in build/docs
#   make bench    measurements, side by side with what they are measured against
#   make clean    removes what the others made, except .venv

# Three tiers of tests. quick leaves out what tests/conftest.py marks as slow. test runs every promise: of tests marked
# `sampled`, and where a test asks for the `sampler`, some cases; of those marked `in_turn`, which search long for what
# others show by an example, or install the program, a fifth; of the games' suites, each long rule for one game. Which,
# follows from the date, and pytest prints the --sample-seed that repeats it. test-all runs all, as before a release.

# Compiled modules are kept, even where Python is told not to: tests start hundreds of processes.
export PYTHONDONTWRITEBYTECODE :=

VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= $(shell for name in python3.11 python3.12 python3.13 python3.14 python3 python; do \
	$$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && { echo $$name; break; }; done)

DEMO_GAMES := singularity_trap singularity
WORKERS := 2
TYPESCRIPT := 5.9.3

# One more than there are processors: with two, a quarter of their time went by while workers waited for servers,
# browsers and other processes. The quick tests wait for nothing.
test test-all: WORKERS := 3

# A worker that has done its share of the tests takes half of what another has left: files mostly stay together, and
# with them what is made once for a file, and no worker is idle while another is in the middle of a long file.
PYTEST = $(BIN)/pytest -n $(WORKERS) --dist worksteal --hypothesis-profile ci

.DEFAULT_GOAL := help
.PHONY: help demo quick test test-all check checks lint format type types skeleton scripts docs parts bench programs clean

help:
	@sed -n 's/^#   //p' $(firstword $(MAKEFILE_LIST))

demo: $(VENV)/.runtime
	@rm -rf demo
	@for game in $(or $(GAME),$(DEMO_GAMES)); do $(BIN)/pbem demo demo/$$game --game $$game || exit; done

quick: $(VENV)/.dev
	@$(PYTEST) -m "not slow"

test: parts checks
	@$(PYTEST)

test-all: parts checks
	@$(PYTEST) --all

# The checkers use one processor each.
checks: $(VENV)/.dev
	@$(MAKE) --jobs --output-sync=target check

check: lint type

lint: $(VENV)/.dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check

format: $(VENV)/.dev
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

type: types skeleton $(if $(shell command -v npm),scripts)

types: $(VENV)/.dev
	$(BIN)/mypy

skeleton: $(VENV)/.dev
	cd pbem/cli/skeleton && MYPYPATH=.:tests:$(CURDIR) $(CURDIR)/$(BIN)/mypy --config-file $(CURDIR)/pyproject.toml \
		--cache-dir $(CURDIR)/.mypy_cache/skeleton --explicit-package-bases mygame tests

# The types of the pages' scripts stand in comments. Their checker is fetched by npm, where there is one; nothing else is.
scripts:
	npm exec --yes --package=typescript@$(TYPESCRIPT) -- tsc --project pbem/web/assets/jsconfig.json

docs: $(VENV)/.dev
	$(BIN)/sphinx-build --fail-on-warning --keep-going --quiet docs build/docs
	@echo "build/docs/index.html"

parts:
	@tests/install_parts.sh

bench: parts $(VENV)/.bench
	@for bench in bench/[a-z]*.py; do $(BIN)/python -m bench.$$(basename $$bench .py) || exit; done

# A system is kept for the next run; ONLY=remove takes it away, and runs nothing.
programs: parts $(VENV)/.dev
ifeq ($(ONLY),remove)
	@tests/programs/system.sh remove
else
	@$(BIN)/python -m tests.programs $(NAME) --suite $(or $(SUITE),trixie)
	@$(BIN)/python -m tests.programs.tables
ifndef NAME
	@failed=; for part in polling sending lists; do \
		$(BIN)/python -m tests.programs.$$part --suite $(or $(SUITE),trixie) || failed=1; \
	done; test -z "$$failed"
endif
endif

clean:
	rm -rf demo build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -path ./$(VENV) -prune -o -name __pycache__ -type d -exec rm -rf {} +

# Stamps: an environment is made once, and again when pyproject.toml changes.
$(VENV)/.runtime: pyproject.toml
	@test -n "$(PYTHON)" || { echo "make: Python 3.11 or newer is needed and was not found" >&2; exit 1; }
	@test -x $(BIN)/python || { echo "making $(VENV) with $(PYTHON)"; $(PYTHON) -m venv $(VENV); }
	@echo "installing pbem into $(VENV)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.bench: pyproject.toml $(VENV)/.runtime
	@echo "installing what the measurements need into $(VENV)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	@touch $@

$(VENV)/.dev: pyproject.toml $(VENV)/.runtime
	@echo "installing the tools for tests into $(VENV)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@
