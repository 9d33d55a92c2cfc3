"""Serves the model file given as the argument until it is interrupted; see serve.sh."""
import signal
import sys

import xllamacpp

params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.port = 8081
params.n_ctx = 8192  # what the model was trained with
params.n_parallel = 1
params.use_jinja = True  # the chat template decides what a history may look like
params.warmup = False
for cpu in (params.cpuparams, params.cpuparams_batch):
    cpu.n_threads = 1  # waiting threads spin: two are slower than one where anything else runs
    cpu.poll = 0
server = xllamacpp.Server(params)
print(f"serving on {server.listening_address}/v1", flush=True)
signal.pause()
