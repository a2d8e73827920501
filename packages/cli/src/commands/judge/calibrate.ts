import { writeFile } from "node:fs/promises";

import { WriteError } from "@envs/records/node";

import { calibrationText } from "../../calibration/calibration-text.ts";
import { calibrate, judgedScoreOf } from "../../calibration/calibration.ts";
import { judgeReplies, withOnly } from "../../calibration/judge-replies.ts";
import { readLabelledReplies } from "../../calibration/labelled-replies.ts";
import { loadConfigFile } from "../../config-file.ts";
import { readConfig } from "../../environments/config-options.ts";
import { loadEnvironment } from "../../environments/load-environment.ts";
import { judgeArguments, judgePlan, loadJudge } from "../../models/load-judge.ts";
import { integerOption } from "../../terminal/arguments.ts";
import { defineCommand } from "../../terminal/command.ts";
import { UsageError } from "../../terminal/errors.ts";
import { argument, valueOption, flag } from "../../terminal/options.ts";
import { configFileOption } from "../../terminal/shared-options.ts";
import { paint } from "../../terminal/text.ts";
import { nearPath } from "../../text/run-path.ts";

export const command = defineCommand({
  meta: {
    name: "judge calibrate",
    description:
      "Compare a judge with people: agreement, Cohen's kappa and what a constant judge would reach. Writes the result beside the file, with the judge's name and the hash of its prompt",
  },
  args: {
    file: argument(
      "JSONL; each line has example, reply or completion, and label: a choice of the judge or a number",
    ),
    environment: valueOption(
      "The environment whose judge is compared: a package or a path",
      "environment",
      "e",
    ),
    score: valueOption("The judged score (default: the only one)", "name"),
    repeat: valueOption("How often each reply is judged (default 3)", "count"),
    ...judgeArguments,
    config: valueOption("The environment's config as JSON", "json"),
    "config-file": configFileOption,
    json: flag("Print one JSON object instead of tables"),
  },

  async run({ args }): Promise<number> {
    const { file } = args;
    if (file === undefined || args.environment === undefined)
      throw new UsageError(
        "Missing file or environment. Example: envs judge calibrate labelled.jsonl --environment summarize",
      );
    const repetitions = integerOption("repeat", args.repeat) ?? 3;
    const { endpoints } = await loadConfigFile(args["config-file"]);
    const { factory } = await loadEnvironment(args.environment);
    const environment = factory(readConfig([], {}, args.config));
    const score = judgedScoreOf(environment, args.score);
    const replies = await readLabelledReplies(file, score.judge?.choices);
    const plan = judgePlan(args);
    const judge = await loadJudge(environment, plan, endpoints);
    if (judge === undefined) throw new UsageError("Missing judge. Pass --judge with a model.");
    try {
      const judged = await judgeReplies(replies, {
        environment: withOnly(environment, score.name),
        score: score.name,
        judge,
        plan,
        repetitions,
      });
      const judges = judge.models.map(({ id }) => id ?? "judge");
      const subject = { environment, score, judges, repetitions };
      const calibration = calibrate(subject, replies, judged);
      const saved = `${file.replace(/\.jsonl$/, "")}.calibration.json`;
      await save(saved, calibration);
      process.stdout.write(
        args.json === true
          ? `${JSON.stringify({ ...calibration, file: saved })}\n`
          : `${calibrationText(calibration)}\n\n${paint("dim", "saved".padEnd(9))} ${nearPath(saved)}\n`,
      );
      return 0;
    } finally {
      await judge.close();
    }
  },
});

async function save(path: string, value: unknown): Promise<void> {
  try {
    await writeFile(path, `${JSON.stringify(value, undefined, 2)}\n`);
  } catch (error) {
    throw new WriteError(`write ${path}`, error);
  }
}
