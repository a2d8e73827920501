import autocannon from "autocannon";

import { median } from "../rounds.ts";
import type { Borne, Load } from "./load.ts";

const patience = 30;

process.on("message", ({ url, headers = {}, requests = [{}], connections, amount }: Load) => {
  const times: number[] = [];
  let last = 0;
  const start = performance.now();
  // autocannon's own numbers are whole milliseconds and whole seconds: too coarse for a fast server.
  const running = autocannon(
    { url, headers, requests: [...requests], connections, amount, timeout: patience },
    (error, result) => {
      if (error !== null) return process.send?.({ problem: error.message });
      // Those that took too long are errors, too.
      const { non2xx, errors, timeouts } = result;
      if (non2xx + errors > 0)
        return process.send?.({
          problem: `of ${amount} requests ${non2xx} were refused, ${timeouts} took over ${patience} s, ${errors - timeouts} broke off`,
        });
      const sorted = times.toSorted((a, b) => a - b);
      const borne: Borne = {
        p50: median(sorted),
        p95: sorted[Math.ceil(sorted.length * 0.95) - 1] ?? Number.NaN,
        p99: sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Number.NaN,
        perSecond: (amount * 1000) / (last - start),
      };
      return process.send?.(borne);
    },
  );
  void running.on("response", (...answer) => {
    times.push(answer[3]);
    last = performance.now();
  });
});
