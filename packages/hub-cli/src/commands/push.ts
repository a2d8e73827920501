import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

import {
  argument,
  defineCommand,
  flag,
  FailureError,
  importPackage,
  printResult,
  saveOption,
  UsageError,
  valueOption,
} from "@envs/cli/kit";
import { findRuns } from "@envs/records/node";

import { hubArguments, otpArgument } from "../connection/connect.ts";
import { readEvaluation } from "../push/evaluation-upload.ts";
import { formatPushedRun, pushRun } from "../push/push-run.ts";
import type { LocalRun } from "../push/run-parts.ts";
import { connectForRuns } from "../runs/run-connection.ts";

export const command = defineCommand({
  meta: {
    name: "run push",
    description:
      "Push a saved run with all its rollouts to a hub that has the version of its environment. The hub recomputes every number. An interrupted push continues when it is repeated",
  },
  args: {
    run: argument("The folder of an evaluation or a training (default: the newest evaluation)"),
    "model-package": valueOption(
      "The package of the model that a training produced: @you/your-model@1.0.0",
      "package",
    ),
    undeclared: flag("Push the run without its declaration. It gets no rank"),
    save: saveOption,
    quiet: { type: "boolean", alias: "q", description: "Do not show progress" },
    ...otpArgument,
    ...hubArguments,
  },

  async run({ args }): Promise<number> {
    const { registry, otp, json } = args;
    const path = await runPath(args.run, args.save);
    const isTraining = existsSync(join(path, "run.json"));
    const modelPackage = args["model-package"];
    if (modelPackage !== undefined && !isTraining)
      throw new UsageError(`--model-package is only for trainings, and ${path} is an evaluation.`);
    const saved = isTraining ? await trainingOf(path, modelPackage) : await readEvaluation(path);
    const run =
      args.undeclared === true
        ? { ...saved, upload: { ...saved.upload, declaration: null } }
        : saved;
    const connection = await connectForRuns(run.package, {
      command: "envs run push",
      registry,
      otp,
    });
    const pushed = await pushRun(connection, run, args.quiet === true || json === true);
    printResult(json, pushed, formatPushedRun(pushed));
    return 0;
  },
});

async function runPath(reference: string | undefined, outputs: string): Promise<string> {
  if (reference !== undefined) return resolve(reference);
  const [newest] = await findRuns(outputs);
  if (newest !== undefined) return newest;
  throw new FailureError(
    `No runs found in ${outputs}. Create one: envs eval tictactoe -m policy:optimal`,
  );
}

/** Reads a training with the trainer package, because no other can. */
async function trainingOf(path: string, modelPackage: string | undefined): Promise<LocalRun> {
  await importPackage("trainer/node", "A push of a training");
  const { readTraining } = await import("../push/training-upload.ts");
  return await readTraining(path, modelPackage);
}
