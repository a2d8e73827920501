import autocannon from "autocannon";

import { median } from "../rounds.ts";
import type { Load, LoadResult } from "./load.ts";

const timeoutSeconds = 30;

process.on("message", ({ url, headers = {}, requests = [{}], connections, amount }: Load) => {
  const times: number[] = [];
  let last = 0;
  const start = performance.now();
  // autocannon rounds its own numbers to milliseconds and seconds: too coarse for a fast server.
  const generator = autocannon(
    { url, headers, requests: [...requests], connections, amount, timeout: timeoutSeconds },
    (error, outcome) => {
      if (error !== null) return process.send?.({ problem: error.message });
      // `errors` includes the timeouts.
      const { non2xx, errors, timeouts } = outcome;
      if (non2xx + errors > 0)
        return process.send?.({
          problem: `of ${amount} requests, ${non2xx} were rejected, ${timeouts} took over ${timeoutSeconds} s, and ${errors - timeouts} lost the connection`,
        });
      const sorted = times.toSorted((a, b) => a - b);
      const result: LoadResult = {
        p50: median(sorted),
        p95: sorted[Math.ceil(sorted.length * 0.95) - 1] ?? Number.NaN,
        p99: sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Number.NaN,
        perSecond: (amount * 1000) / (last - start),
      };
      return process.send?.(result);
    },
  );
  void generator.on("response", (_client, _status, _bytes, milliseconds) => {
    times.push(milliseconds);
    last = performance.now();
  });
});
