"""Reads pairs as JSON lines and writes the verdict of Math-Verify on each, and the seconds that it took."""

import json
import logging
import sys
import time

from math_verify import parse, verify

logging.disable(logging.CRITICAL)


def boxed(text):
    return parse("\\boxed{" + text + "}")


for line in sys.stdin:
    pair = json.loads(line)
    start = time.perf_counter()
    same = bool(verify(boxed(pair["reference"]), boxed(pair["answer"])))
    print(json.dumps({"same": same, "seconds": time.perf_counter() - start}), flush=True)
