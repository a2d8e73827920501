import type { Model } from "@envs/core";
import {
  checkRequirements,
  checkSubModel,
  examples,
  modelCheck,
  toolSpecsOf,
} from "@envs/core/engine";
import { selectOf } from "@envs/viewer";
import type { ArgsDef } from "citty";

import { loadConfigFile } from "../config-file.ts";
import { configFromArguments, withConfigFlags } from "../environments/config-arguments.ts";
import { loadEnvironment } from "../environments/load-environment.ts";
import { evaluationArguments } from "../evaluation/evaluation-arguments.ts";
import { planFromArguments } from "../evaluation/evaluation-plan.ts";
import { judgeArguments, loadJudge, sharedModels } from "../models/load-judge.ts";
import { modelSyntax } from "../models/load-model.ts";
import { type LoadedPlayers, loadPlayers, seatModelNames } from "../models/load-players.ts";
import { loadSubModel, subModelArguments } from "../models/sub-model.ts";
import { playInBrowser } from "../play/browser-play.ts";
import { createLineReader } from "../play/line-reader.ts";
import type { PlayContext } from "../play/play-context.ts";
import { playSession } from "../play/play-session.ts";
import { toolList } from "../play/play-text.ts";
import { takeSeats } from "../play/take-seats.ts";
import { integerOption } from "../terminal/arguments.ts";
import type { EnvsCommand } from "../terminal/command.ts";
import { UsageError } from "../terminal/errors.ts";
import { valueOption, flag } from "../terminal/options.ts";
import { paint } from "../terminal/text.ts";
import { wrap } from "../terminal/wrap.ts";

const { environment, seed, split, select, shuffle, temperature, config } = evaluationArguments;

const playArguments = {
  environment,
  model: {
    ...valueOption(
      `The model to play against in the other seats, or models by seat, such as X=policy:optimal: ${modelSyntax}`,
    ),
    alias: "m",
  },
  seat: valueOption(
    "The seat that you take (default: the one that a model would take; with -m, another)",
    "name",
  ),
  example: valueOption("Index of the first example (default 0)", "number", "e"),
  web: flag("Play on a page in the browser, in which the environment's code runs"),
  port: valueOption("Port of the page with --web (default 0: any free port)", "number"),
  seed,
  split,
  select,
  shuffle,
  temperature,
  "top-p": evaluationArguments["top-p"],
  "max-tokens": evaluationArguments["max-tokens"],
  "base-url": evaluationArguments["base-url"],
  "api-key-var": evaluationArguments["api-key-var"],
  ...judgeArguments,
  ...subModelArguments,
  "sub-model": {
    ...subModelArguments["sub-model"],
    description:
      "The model that answers the environment's sub-model calls, named as with -m (default: the environment's script)",
  },
  judge: {
    ...judgeArguments.judge,
    description:
      "The model that judges replies, named as with -m; several with commas vote (default: none, and the result lacks the scores that ask a judge)",
  },
  config,
  "config-file": evaluationArguments["config-file"],
} as const satisfies ArgsDef;

export const command: EnvsCommand<typeof playArguments> = {
  meta: {
    name: "play",
    description:
      "Play an environment in the model's place, or against a model with -m. The options of the environment's config are options of this command too",
  },
  everydayOptions: [
    "model",
    "seat",
    "example",
    "seed",
    "split",
    "select",
    "web",
    "port",
    "base-url",
    "judge",
    "config",
  ],
  args: playArguments,
  joinedOptions: ["--model", "-m"],
  exitsOnClosedPipe: true,

  async argumentsFor(rawArgs): Promise<ArgsDef> {
    return withConfigFlags(rawArgs, playArguments);
  },

  async run({ args }): Promise<number> {
    if (args.environment === undefined)
      throw new UsageError("Missing environment. Example: envs play tictactoe -m policy:optimal");
    const first = integerOption("example", args.example, 0) ?? 0;
    // A plan requires a model; without -m, the player answers instead.
    const plan = planFromArguments(
      { ...args, model: args.model ?? "you" },
      await configFromArguments(args, playArguments),
    );
    const loadedEnvironment = await loadEnvironment(plan.environment);
    const environment = loadedEnvironment.factory(plan.config);
    if (args.web === true) {
      if (args.seat !== undefined)
        throw new UsageError("--seat does not go with --web: choose the seat on the page.");
      if (args.model !== undefined)
        throw new UsageError("-m does not go with --web: choose the model on the page.");
      if (plan.select !== undefined)
        throw new UsageError("--select does not go with --web: choose the example on the page.");
      if (plan.judge !== undefined)
        throw new UsageError(
          "--judge does not go with --web: the page shows the result without the scores that ask a judge.",
        );
      const { config: options, seed: runSeed, split: name } = plan;
      const port = integerOption("port", args.port, 0) ?? 0;
      const play = { loaded: loadedEnvironment, environment, config: options, port };
      return playInBrowser({ ...play, example: first, seed: runSeed, split: name });
    }
    if (args.port !== undefined) throw new UsageError("--port has no effect without --web.");
    await checkRequirements(environment);
    const names = args.model === undefined ? undefined : seatModelNames(environment, args.model);
    const models =
      args.model === undefined ? undefined : names === undefined ? "others" : [...names.keys()];
    const seats = takeSeats(environment, { seat: args.seat, models });
    const { endpoints } = await loadConfigFile(args["config-file"]);
    const loaded =
      args.model === undefined
        ? undefined
        : await loadPlayers(environment, plan.model, { ...plan, endpoints });
    const rivals = seats.models.map((seat) => {
      const model = modelOfSeat(loaded!.models, seat);
      model.check?.(modelCheck(environment));
      const name = names?.get(seat) ?? plan.model;
      return [seat, { model, name, sampling: plan.sampling }] as const;
    });
    const judge =
      plan.judge === undefined ? undefined : await loadJudge(environment, plan, endpoints);
    const subModel = await loadSubModel(environment, plan, endpoints);
    const isRequired = environment.definition.subModel?.policy === undefined;
    checkSubModel(environment, { subModel: subModel?.model, isRequired });

    const controller = new AbortController();
    const { stdin: input, stdout: output } = process;
    const onInterrupt = (): void => controller.abort(new Error("interrupted"));
    const lines = createLineReader({ input, output, onInterrupt });
    const context: PlayContext = {
      environment,
      seat: seats.person,
      rivals: Object.fromEntries(rivals),
      judge: judge && sharedModels(judge, plan),
      subModel: subModel?.model,
      seed: plan.seed,
      lines,
      signal: controller.signal,
      write: (text) => void output.write(`${text}\n`),
      showStatus(text) {
        if (!output.isTTY) return () => {};
        output.write(`\n${paint("dim", text)}`);
        return () => void output.write("\r\u001B[2K\u001B[1A");
      },
      columns: () => Math.min(output.columns ?? 100, 100),
    };
    try {
      context.write(introduction(context));
      const rows = examples(environment, {
        seed: plan.seed,
        shuffle: plan.shuffle,
        split: plan.split,
        select: selectOf(plan.select),
      });
      for (let index = 0; index < first; index += 1) await rows.next();
      const code = await playSession(context, rows);
      return controller.signal.aborted ? 130 : code;
    } finally {
      lines.close();
      await loaded?.close();
      await judge?.close();
      await subModel?.close();
    }
  },
};

function modelOfSeat(models: LoadedPlayers["models"], seat: string): Model {
  return typeof models === "function" ? models : models[seat]!;
}

function introduction({ environment, seat, rivals, columns }: PlayContext): string {
  const { name, definition } = environment;
  const tools = toolSpecsOf(environment) ?? [];
  const role = seat === undefined ? "you answer in the model's place" : `you play ${seat}`;
  const players = definition.seats?.players ?? {};
  const description = seat === undefined ? undefined : players[seat]?.description;
  const names = [...new Set(Object.values(rivals).map((rival) => rival.name))];
  return [
    `${paint("bold", name)} · ${names.length === 0 ? role : `${role} against ${names.join(" and ")}`}`,
    ...(description === undefined ? [] : wrap(description, columns())),
    ...toolList(tools, columns()),
    paint("dim", "/back takes back your last answer, /help lists all commands"),
  ].join("\n");
}
