# Two commands: `make demo` and `make test`. Both set up everything they need in .venv.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: demo test browser lint docs shown nightly setup clean

demo: $(VENV)/.installed
	$(BIN)/traindx demo

test: $(VENV)/.installed-dev lint browser
	$(BIN)/python -m pytest -n 2

# The browser of the page's tests. Where it may not be installed, or INSTALL_BROWSER=no says so, those tests are skipped.
INSTALL_BROWSER ?= yes
BROWSER := command -v chromium >/dev/null && command -v chromedriver >/dev/null
APT     := apt-get install -y -q --no-install-recommends chromium chromium-driver
browser:
	@$(BROWSER) \
	  || { [ $(INSTALL_BROWSER) = yes ] && [ "$$(id -u)" = 0 ] && { $(APT) || { apt-get update -q && $(APT); }; }; } >/dev/null 2>&1 \
	  || { [ $(INSTALL_BROWSER) = yes ] && sudo -n apt-get update -q && sudo -n $(APT); } >/dev/null 2>&1 \
	  || echo "make test: skipping the tests in a browser: chromium and chromium-driver are not installed"

# Ten thousand mutations of every log format and of records, every attack on isolation, and the property tests on new
# examples: up to two hours on two cores. Interrupted, it goes on where it stopped; .nightly/report.md keeps the result.
nightly: $(VENV)/.installed-dev
	$(BIN)/python -m benchmarks.nightly

# The handbook, in docs/_build/html. A warning (a link that leads nowhere, say) is an error.
docs: $(VENV)/.installed-dev
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html

# What the README and the handbook show: pictures of the page, and the first session. Look at them before you commit.
shown: $(VENV)/.installed-dev
	$(BIN)/python tests/reports/page/screens.py
	$(BIN)/python tests/docs/example_session.py

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# torch comes first and alone, by its exact pin: a resolver that may choose takes gigabytes of CUDA.
$(VENV)/.installed: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -q "$$(grep '^torch==' constraints.txt)"
	$(BIN)/pip install -q -c constraints.txt -e ".[zoo,plot]"
	touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	$(BIN)/pip install -q -c constraints.txt -e ".[zoo,plot,dev]"
	touch $@

setup: $(VENV)/.installed-dev

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache
