# Every target needs nothing done before it; `make help` lists them.

PROFILE ?= profiles/quickstart.json5
RECORD ?= results/local/$(basename $(notdir $(PROFILE))).json
PAGE ?= $(RECORD:.json=.html)
ARGS ?=

# The tracer of crashes can hang and hold the output open.
export SWIFT_BACKTRACE := enable=no

.DEFAULT_GOAL := help
.PHONY: help setup build run test bench soak lint format sanitize clean

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 18

setup: ## install what is missing (Debian packages), check the Swift toolchain
	@scripts/setup

build: setup ## the program, optimised: .build/release/pushbench
	swift build -c release --product pushbench

run: build ## one run with PROFILE (the quickstart), its record and its page in results/local; ARGS are added to the command
	@mkdir -p $(dir $(RECORD))
	@rm -f $(PAGE)
	.build/release/pushbench run $(PROFILE) -o json=$(RECORD) -o html=$(PAGE) $(ARGS); \
	status=$$?; test ! -f $(PAGE) || echo "report: $(abspath $(PAGE))"; exit $$status

test: setup ## all tests
	scripts/test

bench: setup ## this machine's limits against what we reach, and the costs of the parts
	swift build -c release --product Benchmarks
	swift build -c release --product pushbench
	@mkdir -p results/local
	.build/release/Benchmarks --out results/local/bench.json $(ARGS)

ifeq ($(SANITIZE),thread)
# A race that is found ends the program with a report and status 66.
soak: setup
	SANITIZE=thread swift build -c release --product pushbench --sanitize=thread --scratch-path .build/sanitize-thread
	@mkdir -p results/local
	TSAN_OPTIONS="suppressions=$(CURDIR)/scripts/thread-sanitizer.supp halt_on_error=1" .build/sanitize-thread/release/pushbench \
		run profiles/blocked-writers.json5 -o json=results/local/blocked-writers.json $(ARGS)
else
soak: build ## ten minutes of everything that a gateway does wrong; SANITIZE=thread: of blocked writers; ARGS are added
	@mkdir -p results/local
	.build/release/pushbench run profiles/soak.json5 -o json=results/local/soak.json -o csv=results/local/soak.csv $(ARGS)
endif

lint: ## check the format of all Swift files
	scripts/lint

format: ## put the format right
	scripts/lint --fix

sanitize: setup ## the tests in one process under the address and the thread sanitizer
	scripts/sanitize

clean: ## remove what was built
	rm -rf .build
