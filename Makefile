# Everything a fresh machine needs is made here: `make demo` shows what dragoman does, `make test` proves it.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DEMO := fixtures/claude-code/2.1.300/subagents
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.PHONY: help demo test lint system bench redaction-bench clean

help:
	@echo "make demo   convert the shipped Claude Code session into every format, into demo/"
	@echo "make test   lint, types and tests, with all that they need installed"
	@echo "make bench  the benchmarks, as ratios to the floor"
	@echo "make redaction-bench  leaks and over-redaction on the labelled benchmark"

$(VENV)/.runtime: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --upgrade pip
	$(BIN)/python -m pip install -q -e .
	$(BIN)/python -m compileall -q src # else it is compiled anew at each start where PYTHONDONTWRITEBYTECODE is set
	@touch $@

$(VENV)/.dev: pyproject.toml $(VENV)/.runtime
	$(BIN)/python -m pip install -q --group dev
	@touch $@

demo: $(VENV)/.runtime
	@rm -rf demo
	@for format in $$($(BIN)/python -c 'from dragoman import registry; print(*registry.names("writers"))'); do \
	    echo "dragoman convert $(DEMO) -t $$format -o demo/$$format/"; \
	    $(BIN)/dragoman convert $(DEMO) -t $$format -o demo/$$format/ || exit $$?; \
	done
	@echo; echo "The outputs:"; find demo -type f | sort

# System packages: Pango for the PDFs, fonts for what they say, Chromium for the pages' tests, poppler to look at PDFs.
system:
	@sh tests/install_system_packages.sh

tests/browser/node_modules: tests/browser/package.json
	cd tests/browser && npm install --silent --no-audit --no-fund
	@touch $@

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test: system $(VENV)/.dev tests/browser/node_modules lint
	$(BIN)/python -m pytest -n 2 --dist loadgroup

bench: $(VENV)/.dev
	$(BIN)/python tests/benchmarks/ratios.py
	$(BIN)/python tests/benchmarks/moving_ratio.py

redaction-bench: $(VENV)/.dev
	$(BIN)/python tests/redact/bench.py

clean:
	rm -rf $(VENV) demo build dist tests/browser/node_modules
