import { FailureError, UsageError, onInterrupt, paint } from "@envs/terminal";
import { liveLines } from "@envs/terminal/layout";
import { smoke, type SmokeProgress } from "@envs/trainer";

import type { LoadedEnvironment } from "../environments/load-environment.ts";
import { smokeJson, smokeLine, smokeReport } from "../render/smoke.ts";
import { shortDuration } from "../render/time.ts";

/** What a person asks of a smoke run. */
export interface SmokeOptions {
  readonly config: Readonly<Record<string, unknown>>;
  readonly seed: number | undefined;
  readonly threads: number | undefined;
  readonly isJson: boolean;
  readonly isQuiet: boolean;
}

/** Finds out whether an environment can be learned, and says so. Exit code 0: it can. */
export async function smokeTest(
  { factory, reference }: LoadedEnvironment,
  { config, seed = 0, threads = 2, isJson, isQuiet }: SmokeOptions,
): Promise<number> {
  const environment = factory(config);
  const began = performance.now();
  const shown = isJson || isQuiet ? undefined : progressOn(process.stderr);
  const interrupt = onInterrupt(() => shown?.done());
  try {
    const report = await smoke(environment, {
      seed,
      threads,
      signal: interrupt.signal,
      onProgress: (progress) => shown?.show(progress),
    });
    shown?.done();
    const { name } = environment;
    const chosen = { environment: name, config: environment.config, seed, threads };
    const time = paint(
      "dim",
      `${reference} · seed ${seed} · ${shortDuration((performance.now() - began) / 1000)}`,
    );
    process.stdout.write(
      isJson
        ? `${JSON.stringify({ ...chosen, ...smokeJson(report) })}\n`
        : `${smokeReport(report, Math.min(100, process.stdout.columns || 100))}\n\n${time}\n`,
    );
    return report.verdict.answer === "learnable" ? 0 : 1;
  } catch (error) {
    shown?.done();
    if (interrupt.signal.aborted) throw new FailureError("Stopped before there was a verdict.");
    throw error;
  } finally {
    interrupt.dispose();
  }
}

/** Options that a smoke run has no use for. */
export function rejectSmokeConflicts(args: Readonly<Record<string, unknown>>): void {
  const given = ["config", "phases", "from", "resume"].find((name) => args[name] !== undefined);
  if (given !== undefined)
    throw new UsageError(
      `--smoke trains a new model by a recipe of its own: leave out --${given}. The environment's options are options here, too: envs train <environment> --smoke --help`,
    );
}

interface Shown {
  show(progress: SmokeProgress): void;
  done(): void;
}

/** One line that is redrawn in a terminal, a line for each stage elsewhere. */
function progressOn(stream: NodeJS.WriteStream): Shown {
  const live = liveLines(stream);
  let stage: SmokeProgress["stage"] | undefined;
  return {
    show(progress) {
      if (stream.isTTY) live.draw([paint("dim", smokeLine(progress), stream)]);
      else if (progress.stage !== stage) stream.write(`${smokeLine({ stage: progress.stage })}\n`);
      ({ stage } = progress);
    },
    done() {
      if (stream.isTTY) live.draw([]);
      live.done();
    },
  };
}
