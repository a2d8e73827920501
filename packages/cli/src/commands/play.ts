import { ConfigError, type Environment } from "@envs/core";
import { examples, modelCheck, toolSpecsOf } from "@envs/core/engine";
import { type EnvsCommand, integerOption, paint, UsageError } from "@envs/terminal";
import { wrap } from "@envs/terminal/layout";
import type { ArgsDef } from "citty";

import { loadConfigFile } from "../config-file.ts";
import { configFrom, withConfigArguments } from "../environments/config-arguments.ts";
import { loadEnvironment } from "../environments/load-environment.ts";
import { evaluationArguments, planFromArguments } from "../evaluation/evaluation-plan.ts";
import { loadModel, modelForms } from "../models/load-model.ts";
import { readLines } from "../play/lines.ts";
import type { Table } from "../play/play-context.ts";
import { playSession } from "../play/play-session.ts";

const { environment, seed, split, shuffle, temperature, config } = evaluationArguments;

const playArguments = {
  environment,
  model: {
    type: "string",
    alias: "m",
    description: `Play against it, where the environment has another side: ${modelForms}`,
  },
  example: {
    type: "string",
    alias: "e",
    description: "The number of the example to begin with (default 0)",
    valueHint: "number",
  },
  seed,
  split,
  shuffle,
  temperature,
  "top-p": evaluationArguments["top-p"],
  "max-tokens": evaluationArguments["max-tokens"],
  "base-url": evaluationArguments["base-url"],
  "api-key-var": evaluationArguments["api-key-var"],
  config,
  "config-file": evaluationArguments["config-file"],
} as const satisfies ArgsDef;

export const command: EnvsCommand<typeof playArguments> = {
  meta: {
    name: "play",
    description:
      "Play an environment yourself: in the model's place, or with -m against a model. Each option of the environment's config is an option here too",
  },
  args: playArguments,
  exitsOnClosedPipe: true,

  async argumentsFor(rawArgs): Promise<ArgsDef> {
    return withConfigArguments(rawArgs, playArguments);
  },

  async run({ args }): Promise<number> {
    if (args.environment === undefined)
      throw new UsageError(
        "Name an environment, for instance: envs play tictactoe -m policy:optimal",
      );
    const first = integerOption("example", args.example, 0) ?? 0;
    // A person answers where no model does.
    const plan = planFromArguments(
      { ...args, model: args.model ?? "you" },
      await configFrom(args, playArguments),
    );
    const { factory } = await loadEnvironment(plan.environment);
    const environment = factory(plan.config);
    if (args.model !== undefined) refuseOneSided(environment);
    const { endpoints } = await loadConfigFile(args["config-file"]);
    const loaded =
      args.model === undefined ? undefined : await loadModel(plan.model, { ...plan, endpoints });
    loaded?.model.check?.(modelCheck(environment));

    const over = new AbortController();
    const { stdin: input, stdout: output } = process;
    const lines = readLines({ input, output }, () => over.abort(new Error("interrupted")));
    const table: Table = {
      environment,
      seat: loaded === undefined ? "model" : "opponent",
      other: loaded && { model: loaded.model, name: plan.model, sampling: plan.sampling },
      seed: plan.seed,
      lines,
      signal: over.signal,
      write: (text) => void output.write(`${text}\n`),
      wait(text) {
        if (!output.isTTY) return () => {};
        output.write(`\n${paint("dim", text)}`);
        return () => void output.write("\r\u001B[2K\u001B[1A");
      },
      columns: () => Math.min(output.columns ?? 100, 100),
    };
    try {
      table.write(opening(table));
      const rows = examples(environment, {
        seed: plan.seed,
        shuffle: plan.shuffle,
        ...(plan.split === undefined ? {} : { split: plan.split }),
      });
      for (let index = 0; index < first; index += 1) await rows.next();
      const code = await playSession(table, rows);
      return over.signal.aborted ? 130 : code;
    } finally {
      lines.close();
      await loaded?.close();
    }
  },
};

function refuseOneSided({ name, definition }: Environment): void {
  if (definition.opponent !== undefined) return;
  throw new ConfigError(
    `${name} has no other side for you to play against a model. Leave out -m to answer in the model's place, or watch the model with envs eval.`,
  );
}

function opening({ environment, other, columns }: Table): string {
  const { name, definition } = environment;
  const tools = toolSpecsOf(environment);
  const who = other === undefined ? "you answer in the model's place" : `you against ${other.name}`;
  const about =
    other === undefined
      ? tools.map((tool) => `/call ${tool.name}: ${tool.description}`)
      : [definition.opponent!];
  return [
    `${paint("bold", name)} · ${who}`,
    ...about.flatMap((text) => wrap(text, columns())),
    paint("dim", "/back takes your last answer back, /help lists the other commands"),
  ].join("\n");
}
