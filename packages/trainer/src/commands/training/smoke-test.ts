import { FailureError, UsageError, onInterrupt, paint } from "@envs/cli/kit";
import type { LoadedEnvironment } from "@envs/cli/kit/environments";
import { liveLines, shortDuration } from "@envs/cli/kit/layout";
import { queueOptions } from "@envs/cli/kit/runs";
import type { JudgeModels } from "@envs/core";

import type { SmokeProgress } from "../../smoke/smoke-training.ts";
import { smoke } from "../../smoke/smoke.ts";
import { serviceArguments } from "./service-arguments.ts";
import { smokeExitCode, smokeJson, smokeLine, smokeReport } from "./smoke-text.ts";

export interface SmokeOptions {
  readonly config: Readonly<Record<string, unknown>>;
  readonly seed: number | undefined;
  readonly judge: JudgeModels | undefined;
  readonly threads: number | undefined;
  readonly isJson: boolean;
  readonly isQuiet: boolean;
}

/** Tests whether a tiny model can learn an environment, and prints the report. Returns the exit code: 0 if it can. */
export async function smokeTest(
  { factory, reference }: LoadedEnvironment,
  { config, judge, seed = 0, threads = 2, isJson, isQuiet }: SmokeOptions,
): Promise<number> {
  const environment = factory(config);
  const start = performance.now();
  const display = isJson || isQuiet ? undefined : progressDisplay(process.stderr);
  const interrupt = onInterrupt(() => display?.done());
  try {
    const report = await smoke(environment, {
      judge,
      seed,
      threads,
      signal: interrupt.signal,
      onProgress: (progress) => display?.show(progress),
    });
    display?.done();
    const { name } = environment;
    const settings = { environment: name, config: environment.config, seed, threads };
    const time = paint(
      "dim",
      `${reference} · seed ${seed} · ${shortDuration((performance.now() - start) / 1000)}`,
    );
    process.stdout.write(
      isJson
        ? `${JSON.stringify({ ...settings, ...smokeJson(report) })}\n`
        : `${smokeReport(report, Math.min(100, process.stdout.columns || 100))}\n\n${time}\n`,
    );
    return smokeExitCode(report.verdict);
  } catch (error) {
    display?.done();
    if (interrupt.signal.aborted) throw new FailureError("Interrupted before the verdict.");
    throw error;
  } finally {
    interrupt.dispose();
  }
}

/** Throws a `UsageError` for an option that conflicts with `--smoke`. */
export function rejectSmokeConflicts(args: Readonly<Record<string, unknown>>): void {
  const others = { ...serviceArguments, ...queueOptions };
  const names = ["config", "phases", "from", "agent", "resume", ...Object.keys(others)];
  const conflict = names.find((name) => args[name] !== undefined);
  if (conflict !== undefined)
    throw new UsageError(
      `--${conflict} does not apply to --smoke, which trains a new model with its own recipe. Remove --${conflict}. To list the environment's config options: envs train <environment> --smoke --help`,
    );
}

interface ProgressDisplay {
  show(progress: SmokeProgress): void;
  done(): void;
}

/** Shows one updated line in a terminal, and one line per stage elsewhere. */
function progressDisplay(stream: NodeJS.WriteStream): ProgressDisplay {
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
