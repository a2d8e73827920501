import type { RolloutRow } from "../run/run.ts";
import type { ViewedRollout } from "./rollout.ts";

const maxPreview = 160;
/** Hostile records may have any number of scores. */
const maxScores = 200;
const maxTools = 100;

/** The identity of a rollout and the place of its record. */
export interface RowPlace {
  readonly id: string;
  readonly rollout: number;
  readonly range?: readonly [number, number] | undefined;
  readonly part?: number | undefined;
}

/** Summarizes a rollout as a row of the index. */
export function summarizeRollout(viewed: ViewedRollout, place: RowPlace): RolloutRow {
  const { usage, error } = viewed;
  return {
    ...place,
    example: viewed.example.slice(0, 200),
    key: viewed.key.slice(0, 200),
    ...(viewed.part === undefined ? {} : { mixPart: viewed.part.slice(0, 200) }),
    status: viewed.status,
    reward: viewed.reward,
    scores: Object.fromEntries(
      viewed.scores.slice(0, maxScores).map(({ name, value }) => [name, value]),
    ),
    turns: viewed.turns.length,
    inputTokens: usage?.inputTokens ?? null,
    outputTokens: usage?.outputTokens ?? null,
    cost: usage?.cost ?? null,
    seconds: durationOf(viewed),
    ending: (error?.code ?? viewed.stopReason ?? "").slice(0, 60),
    isTruncated: viewed.isTruncated,
    isFiltered: viewed.isFiltered,
    ...toolsOf(viewed),
    ...judgeOf(viewed),
    preview: shorten(error?.message ?? lastReply(viewed)),
  };
}

function toolsOf({ tools }: ViewedRollout): Pick<RolloutRow, "tools"> {
  if (tools.length === 0) return {};
  return {
    tools: Object.fromEntries(
      tools
        .slice(0, maxTools)
        .map(({ name, calls, errors, seconds }) => [
          name.slice(0, 200),
          { calls, errors, seconds },
        ]),
    ),
  };
}

function judgeOf({ judges }: ViewedRollout): Pick<RolloutRow, "judge"> {
  if (judges.length === 0) return {};
  const sum = (read: (judge: ViewedRollout["judges"][number]) => number): number =>
    judges.reduce((total, judge) => total + read(judge), 0);
  return {
    judge: {
      calls: sum(({ calls }) => calls),
      inputTokens: sum(({ usage }) => usage.inputTokens),
      outputTokens: sum(({ usage }) => usage.outputTokens),
    },
  };
}

/** The row of a record that is not a rollout. */
export function brokenRow(problem: string, place: RowPlace): RolloutRow {
  return {
    ...place,
    example: "",
    key: `broken ${place.id}`,
    status: "broken",
    reward: null,
    scores: {},
    turns: 0,
    inputTokens: null,
    outputTokens: null,
    cost: null,
    seconds: null,
    ending: "broken",
    isTruncated: false,
    isFiltered: false,
    preview: problem,
  };
}

function durationOf({ phases, turns }: ViewedRollout): number | null {
  const all = phases.length > 0 ? phases.map(({ seconds }) => seconds) : turns.flatMap(turnSeconds);
  return all.length === 0 ? null : all.reduce((sum, seconds) => sum + seconds, 0);
}

function turnSeconds({
  modelSeconds,
  environmentSeconds,
}: ViewedRollout["turns"][number]): number[] {
  return [modelSeconds, environmentSeconds].filter((seconds) => seconds !== undefined);
}

function lastReply({ messages }: ViewedRollout): string {
  const reply = messages.findLast(({ role }) => role === "assistant");
  if (reply === undefined) return "";
  const texts = reply.parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const [call] = reply.toolCalls;
  if (texts.length > 0) return texts.join(" ");
  if (call !== undefined) return `${call.name}(${call.arguments})`;
  return reply.parts.flatMap((part) => (part.type === "thinking" ? [part.text] : [])).join(" ");
}

function shorten(text: string): string {
  const line = text
    .slice(0, 4 * maxPreview)
    .replaceAll(/\s+/gu, " ")
    .trim();
  return line.length > maxPreview ? `${line.slice(0, maxPreview - 1)}…` : line;
}
