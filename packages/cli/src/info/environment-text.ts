import type { Message } from "@envs/core";
import { describeContent } from "@envs/core/engine";

import { roleStyles } from "../conversation/message.ts";
import type { ConfigOption } from "../environments/config-options.ts";
import type { EnvironmentDescription } from "../environments/describe.ts";
import { evaluationArguments } from "../evaluation/evaluation-arguments.ts";
import { formatTable } from "../terminal/output.ts";
import { indent, paint } from "../terminal/text.ts";
import { wrap } from "../terminal/wrap.ts";
import { figure } from "../text/figures.ts";

/** An environment's data for display, installed or on a hub. */
export interface EnvironmentView extends Omit<EnvironmentDescription, "splits"> {
  /** The dataset's splits and sizes, as text. */
  readonly dataset: string;
  readonly example: ExampleView | undefined;
}

/** An example conversation: a policy's rollout, or only the prompt. */
export interface ExampleView {
  readonly policy: string | undefined;
  readonly reward: number | undefined;
  readonly messages: readonly Message[];
  /** Why no policy played. */
  readonly problem?: string | undefined;
}

/** Formats an environment's name, description and tags as three lines. */
export function environmentHead(environment: EnvironmentView): readonly string[] {
  const { name, version, description, kind, tags } = environment;
  return [
    `${paint("bold", name)} ${paint("dim", version ?? "")}`,
    description ?? "",
    paint("dim", [...new Set([kind, ...tags])].join(", ")),
  ];
}

/** Formats the sections of an environment, each with a heading. Wraps sentences to `columns`. */
export function environmentSections(
  environment: EnvironmentView,
  columns = Infinity,
): readonly string[] {
  const paragraph = (text: string): string => wrap(text, Math.max(columns - 2, 20)).join("\n  ");
  const { config, scores, tools, dataset, policies, seats, maxTurns, example } = environment;
  const { requires, subModel, kind, hasChoices, hasBoard } = environment;
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
    ...judgeLines(scores),
    ...scores.flatMap((score) =>
      score.description === undefined
        ? []
        : [paint("dim", paragraph(`${score.name}: ${score.description}`))],
    ),
    ...(kind === "tools" ? [heading("tools"), ...toolLines(tools).map(paragraph)] : []),
    heading("dataset"),
    dataset,
    heading("play"),
    maxTurns === 1 ? "one turn" : `at most ${maxTurns} turns`,
    `policies: ${policies.length === 0 ? "none" : policies.join(", ")}`,
    ...(hasChoices
      ? [`legal replies: listed in each position${hasBoard ? ", on a board" : ""}`]
      : []),
    ...(requires.length === 0
      ? []
      : [`needs a sandbox: ${requires.map(({ name }) => name).join(", ")}`]),
    ...(subModel === undefined
      ? []
      : [`asks a sub-model: ${budgetText(subModel)} per rollout (--sub-model names it)`]),
    ...seats.map(seatLine).map(paragraph),
    ...(example === undefined ? [] : exampleLines(example)),
  ];
}

function seatLine({ name, description = "", policy }: EnvironmentView["seats"][number]): string {
  const player = policy === undefined ? "" : ` (by default policy:${policy})`;
  return `seat ${name}${player}${description === "" ? "" : `: ${description}`}`;
}

/** States which scores ask a judge, and the judge that the author chose. */
function judgeLines(scores: EnvironmentView["scores"]): readonly string[] {
  const judged = scores.filter(({ needs }) => needs?.includes("judge") === true);
  if (judged.length === 0) return [];
  const names = judged.map(({ name }) => name).join(", ");
  const models = new Set(judged.flatMap(({ judge }) => judge?.model ?? []));
  const usual = models.size === 0 ? "pass --judge" : `by default ${[...models].join(", ")}`;
  return [`needs a judge: ${names} (${usual})`];
}

function toolLines(tools: EnvironmentView["tools"]): readonly string[] {
  if (tools.length === 0) return ["each example has its own: envs play lists them"];
  return tools.map((tool) => `${tool.name}: ${tool.description}`);
}

/** Formats a heading, with an empty line before it. */
export function heading(text: string): string {
  return `\n${paint("bold", text)}`;
}

function exampleLines({ policy, reward, messages, problem }: ExampleView): readonly string[] {
  const rewardText = reward === undefined ? "" : `, reward ${figure(reward)}`;
  const player = policy === undefined ? "" : ` by policy:${policy}${rewardText}`;
  const notes = problem === undefined ? [] : [paint("yellow", `Not played. ${problem}`)];
  return [heading(`example${player}`), ...notes, "", conversation(messages)];
}

function configTable(options: readonly ConfigOption[], columns: number): string {
  const rows = options.map((option) => [
    // An option of `envs eval` hides a config option of the same name; --config sets it.
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
      const lines = wrap(text, Math.max(columns - 4, 20));
      return `${row}\n${lines.map((line) => paint("dim", `    ${line}`)).join("\n")}`;
    })
    .join("\n");
}

/** Formats a conversation: each message's role as a heading, then its text, indented. */
function conversation(messages: readonly Message[]): string {
  return messages.map(messageText).join("\n\n");
}

function messageText(message: Message): string {
  const lines = [paint(["bold", roleStyles[message.role]], message.role)];
  if (message.role === "assistant" && message.reasoning_content !== undefined)
    lines.push(paint("dim", indent(message.reasoning_content)));
  if (message.content !== "") lines.push(indent(describeContent(message.content)));
  if (message.role === "assistant")
    for (const { function: call } of message.tool_calls ?? [])
      lines.push(indent(`${paint("yellow", `→ ${call.name}`)} ${call.arguments}`));
  return lines.join("\n");
}

/** How much the environment may ask its sub-model in a rollout, such as `at most 50 calls and 200,000 tokens`. */
function budgetText(budget: NonNullable<EnvironmentView["subModel"]>): string {
  const limits = [countText(budget.maxCalls, "call"), countText(budget.maxTokens, "token")];
  const text = limits.filter((limit) => limit !== "").join(" and ");
  return text === "" ? "without a limit" : `at most ${text}`;
}

function countText(limit: number | undefined, unit: string): string {
  if (limit === undefined) return "";
  return `${limit.toLocaleString("en")} ${unit}${limit === 1 ? "" : "s"}`;
}
