import { messageOf } from "@envs/core/engine";

import { corpus } from "./corpus.ts";
import { data } from "./data.ts";
import { engine } from "./engine.ts";
import { type Figure, isMet } from "./figure.ts";
import { gateway } from "./gateway.ts";
import { http } from "./http.ts";
import { hub } from "./hub.ts";
import { judging } from "./judge.ts";
import { maths } from "./maths.ts";
import { memory } from "./memory.ts";
import { pageReads } from "./pages.ts";
import { parserGrowth } from "./parsers.ts";
import { publishRates } from "./publish.ts";
import { queueVerifiers } from "./queue-verifiers.ts";
import { queue } from "./queue.ts";
import { queueFaults } from "./queue/faults.ts";
import { replayQueue } from "./replay-queue.ts";
import { rescore } from "./rescore.ts";
import { sandbox } from "./sandbox.ts";
import { serve } from "./serve.ts";
import { startUp } from "./start-up.ts";
import { tools } from "./tools.ts";
import { trainer } from "./trainer.ts";
import { verifiers } from "./verifiers.ts";
import { viewer } from "./viewer.ts";

/** The benchmarks by name. `pnpm bench` runs all, `pnpm bench http engine` some; `--json` prints one JSON object. */
const benches: Readonly<Record<string, () => Promise<readonly Figure[]>>> = {
  engine,
  memory,
  http,
  verifiers,
  tools,
  judge: judging,
  rescore,
  "replay-queue": replayQueue,
  queue,
  "queue-faults": queueFaults,
  "queue-verifiers": queueVerifiers,
  "start-up": startUp,
  parsers: parserGrowth,
  trainer,
  hub,
  publish: publishRates,
  corpus,
  pages: pageReads,
  serve,
  viewer,
  data,
  maths,
  sandbox,
  gateway,
};

if (process.argv.includes("--help")) {
  const names = Object.keys(benches).join(", ");
  process.stdout.write(`pnpm bench [name…] [--json]\n\nBenchmarks: ${names}. Default: all.\n`);
  process.exit();
}
const requested = process.argv.slice(2).filter((argument) => !argument.startsWith("-"));
const unknown = requested.find((name) => !Object.hasOwn(benches, name));
if (unknown !== undefined) {
  process.stderr.write(
    `Unknown benchmark ${JSON.stringify(unknown)}. Available: ${Object.keys(benches).join(", ")}.\n`,
  );
  process.exit(2);
}

const isJson = process.argv.includes("--json");
const results: Record<string, readonly Figure[]> = {};
for (const name of requested.length > 0 ? requested : Object.keys(benches)) {
  try {
    results[name] = await benches[name]!();
  } catch (error) {
    // The others still run: this machine may lack what a peer needs, such as a newer Python.
    process.stderr.write(`✗ ${name} failed: ${messageOf(error)}\n`);
    process.exitCode = 1;
  }
  if (isJson || results[name] === undefined) continue;
  process.stdout.write(`${name}\n`);
  for (const figure of results[name]) process.stdout.write(`  ${figureLine(figure)}\n`);
}
if (isJson) process.stdout.write(`${JSON.stringify(results)}\n`);

function figureLine(figure: Figure): string {
  const { name, value, unit, median, aim } = figure;
  const medianText = median === undefined ? "" : ` (median ${format(median)})`;
  const aimText =
    aim === undefined
      ? ""
      : `  aim: at ${aim.at} ${aim.value.toLocaleString("en")}${isMet(figure) ? "" : "  NOT MET"}`;
  return `${format(value).padStart(10)} ${unit.padEnd(8)} ${name}${medianText}${aimText}`;
}

function format(value: number): string {
  return Math.abs(value) >= 100 ? Math.round(value).toLocaleString("en") : value.toFixed(2);
}
