import type { Message } from "@envs/core";
import { formatTable, paint } from "@envs/terminal";
import { wrap } from "@envs/terminal/layout";

import type { ConfigOption } from "../environments/config-options.ts";
import type { Description } from "../environments/describe.ts";
import { evaluationArguments } from "../evaluation/evaluation-plan.ts";
import { conversation } from "./conversation.ts";
import { figure } from "./score-table.ts";

/** An environment as it is shown, whether it is here or on a hub. */
export interface ShownEnvironment extends Omit<Description, "splits"> {
  /** What there is to play, in words. */
  readonly dataset: string;
  readonly example: ShownExample | undefined;
}

/** A conversation to show: somebody's game, or a prompt alone. */
export interface ShownExample {
  readonly policy: string | undefined;
  readonly reward: number | undefined;
  readonly messages: readonly Message[];
}

/** What an environment is called and is, in three lines. */
export function environmentHead(shown: ShownEnvironment): readonly string[] {
  const { name, version, description, kind, tags } = shown;
  return [
    `${paint("bold", name)} ${paint("dim", version ?? "")}`,
    description ?? "",
    paint("dim", [...new Set([kind, ...tags])].join(", ")),
  ];
}

/** The parts of an environment, each below its heading; sentences are as wide as the terminal. */
export function environmentParts(shown: ShownEnvironment, columns = Infinity): readonly string[] {
  const told = (text: string): string => wrap(text, Math.max(columns - 2, 20)).join("\n  ");
  const { config, scores, tools, dataset, policies, opponent, maxTurns, example } = shown;
  return [
    heading("config"),
    config.length === 0 ? "none" : configTable(config, columns),
    heading("scores"),
    formatTable([
      [paint("dim", "name"), paint("dim", "weight"), paint("dim", "range")],
      ...scores.map((score) => [
        score.name,
        figure(score.weight),
        score.range === undefined ? "" : score.range.map(figure).join(" … "),
      ]),
    ]),
    ...scores.flatMap((score) =>
      score.description === undefined
        ? []
        : [paint("dim", told(`${score.name}: ${score.description}`))],
    ),
    ...(tools.length === 0
      ? []
      : [heading("tools"), ...tools.map((tool) => told(`${tool.name}: ${tool.description}`))]),
    heading("dataset"),
    dataset,
    heading("play"),
    maxTurns === 1 ? "one turn" : `at most ${maxTurns} turns`,
    `policies: ${policies.length === 0 ? "none" : policies.join(", ")}`,
    ...(opponent === undefined ? [] : [told(`other side: ${opponent}`)]),
    ...(example === undefined ? [] : exampleLines(example)),
  ];
}

/** A heading within a description, with a line before it. */
export function heading(text: string): string {
  return `\n${paint("bold", text)}`;
}

function exampleLines({ policy, reward, messages }: ShownExample): readonly string[] {
  const worth = reward === undefined ? "" : `, reward ${figure(reward)}`;
  const by = policy === undefined ? "" : ` by policy:${policy}${worth}`;
  return [heading(`an example${by}`), "", conversation(messages)];
}

function configTable(options: readonly ConfigOption[], columns: number): string {
  const rows = options.map((option) => [
    // A name that `envs eval` has an option for itself is given by --config.
    Object.hasOwn(evaluationArguments, option.flag)
      ? `--config ${option.name}`
      : `--${option.flag}`,
    option.default === undefined ? "" : JSON.stringify(option.default),
    option.type,
  ]);
  const lines = formatTable(
    [["flag", "default", "type"].map((title) => paint("dim", title)), ...rows],
    "text",
  ).split("\n");
  return lines
    .map((row, index) => {
      const text = index === 0 ? undefined : options[index - 1]?.description;
      if (text === undefined) return row;
      const told = wrap(text, Math.max(columns - 4, 20));
      return `${row}\n${told.map((line) => paint("dim", `    ${line}`)).join("\n")}`;
    })
    .join("\n");
}
