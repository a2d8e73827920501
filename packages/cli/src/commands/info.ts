import type { Message, Rollout } from "@envs/core";
import { defineCommand } from "citty";

import type { ConfigOption } from "../config-flags.ts";
import { type Description, describe } from "../describe.ts";
import { evaluationArguments } from "../evaluation-plan.ts";
import { examplePlay } from "../example-play.ts";
import { UsageError } from "../exit.ts";
import { loadEnvironment } from "../load-environment.ts";
import { conversation } from "../render/conversation.ts";
import { paint } from "../render/paint.ts";
import { columns, figure } from "../render/score-table.ts";

export const command = defineCommand({
  meta: {
    name: "info",
    description: "Describe an environment: config, scores, tools, an example conversation",
  },
  args: {
    environment: { type: "positional", required: false, description: "A package or a path" },
    json: { type: "boolean", description: "Print one JSON object" },
  },
  async run({ args }): Promise<void> {
    if (args.environment === undefined)
      throw new UsageError("Name an environment, for instance: envs info tictactoe");
    const loaded = await loadEnvironment(args.environment);
    const description = await describe(loaded);
    const played = await examplePlay(loaded.factory());
    if (args.json === true) {
      const example = played && [...played.prompt, ...played.completion];
      process.stdout.write(`${JSON.stringify({ ...description, example })}\n`);
      return;
    }
    process.stdout.write(`${render(description, played)}\n`);
  },
});

function render(description: Description, played: Rollout | undefined): string {
  const { name, version, tags, kind, splits, policies, opponent, maxTurns } = description;
  const heading = (text: string): string => `\n${paint("bold", text)}`;
  const lines = [
    `${paint("bold", name)} ${paint("dim", version ?? "")}`,
    description.description ?? "",
    paint("dim", [...new Set([kind, ...tags])].join(", ")),
    heading("config"),
    description.config.length === 0 ? "none" : configTable(description.config),
    heading("scores"),
    columns([
      [paint("dim", "name"), paint("dim", "weight"), paint("dim", "range")],
      ...description.scores.map((score) => [
        score.name,
        figure(score.weight),
        score.range === undefined ? "" : score.range.map(figure).join(" … "),
      ]),
    ]),
    ...description.scores.flatMap((score) =>
      score.description === undefined ? [] : [paint("dim", `${score.name}: ${score.description}`)],
    ),
    ...(description.tools.length === 0
      ? []
      : [
          heading("tools"),
          ...description.tools.map((tool) => `${tool.name}: ${tool.description}`),
        ]),
    heading("dataset"),
    splits.length === 0 ? "one, not divided" : `splits: ${splits.join(", ")}`,
    heading("play"),
    `at most ${maxTurns} turns`,
    `policies: ${policies.length === 0 ? "none" : policies.join(", ")}`,
    ...(opponent === undefined ? [] : [`other side: ${opponent}`]),
  ];
  if (played !== undefined) {
    const messages: readonly Message[] = [...played.prompt, ...played.completion];
    const reward = played.status === "scored" ? `, reward ${figure(played.reward)}` : "";
    const by = policies.length === 0 ? "" : ` by policy:${policies[0]}${reward}`;
    lines.push(heading(`an example${by}`), "", conversation(messages));
  }
  return lines.join("\n");
}

function configTable(options: readonly ConfigOption[]): string {
  const rows = options.map((option) => [
    // A name that `envs eval` has an option for itself is given by --config.
    Object.hasOwn(evaluationArguments, option.flag)
      ? `--config ${option.name}`
      : `--${option.flag}`,
    option.type,
    option.default === undefined ? "" : JSON.stringify(option.default),
  ]);
  const table = columns([
    ["flag", "type", "default"].map((title) => paint("dim", title)),
    ...rows,
  ]).split("\n");
  return table
    .flatMap((row, index) => {
      const text = index === 0 ? undefined : options[index - 1]?.description;
      return text === undefined ? [row] : [row, paint("dim", `    ${text}`)];
    })
    .join("\n");
}
