# The one command before a push, and the pieces of it.
.PHONY: check format vet staticcheck test quickstart bench

check:
	bash .ci/run

format:
	gofmt -l -w $$(git ls-files '*.go')

vet:
	go vet ./...

test:
	go test ./...

quickstart:
	go run ./cmd/tauguide run configs/quickstart.yaml --fresh

bench:
	go run ./scripts/bench -compare
