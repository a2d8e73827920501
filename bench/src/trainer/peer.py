"""A peer of `pnpm bench trainer`: python peer.py <torch|compile|jax> <threads> <input.json>.

Reads one task a line from standard input, runs it and prints its result as JSON:
  check   loss and norm of the gradients of the training batch
  train   seconds of one training step: forward, backward, clipping, AdamW
  decode  seconds of reading the measured tokens of all conversations
  probe   the probabilities after the last token of the first conversation
  peak    GFLOP/s of the fastest product of square matrices
"""

import json
import os
import sys
import time

kind, threads, path = sys.argv[1], int(sys.argv[2]), sys.argv[3]
# XLA's pool has a thread for each processor that it may use, so that only this limits it.
if kind == "jax" and hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-threads:])
os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = str(threads)
os.environ["JAX_PLATFORMS"] = "cpu"

import numpy as np

with open(path) as file:
    given = json.load(file)


def matrices():
    weights = np.fromfile(given["weights"], dtype=np.float32)
    return {
        name: weights[offset : offset + rows * columns].reshape(rows, columns).copy()
        for name, rows, columns, offset in given["parameters"]
    }


def products(multiply):
    """The best of many products: the peak of the hardware, as far as a tuned library reaches it."""
    best = 0.0
    for size in (256, 512, 768):
        left, right = np.random.rand(2, size, size).astype(np.float32)
        for _ in range(12):
            start = time.perf_counter()
            multiply(left, right)
            best = max(best, 2 * size**3 / (time.perf_counter() - start) / 1e9)
    return best


if kind == "jax":
    from peer_jax import create
else:
    from peer_torch import create

peer = create(given, matrices(), kind, threads)


def timed(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


tasks = {
    "check": peer["check"],
    "train": lambda: timed(peer["train"]),
    "decode": lambda: timed(peer["decode"]),
    "probe": peer["probe"],
    "peak": lambda: max(products(np.matmul), products(peer["multiply"])),
}
print("ready", flush=True)
for line in sys.stdin:
    print(json.dumps(tasks[line.strip()]()), flush=True)
