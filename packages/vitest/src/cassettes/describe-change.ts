import type { Message } from "@envs/core";
import { canonicalJson } from "@envs/core/engine";

import type { Recording, RecordedRequest } from "./recording.ts";

type Wanted = Omit<Recording, "response">;

/** Describes how a request differs from the most similar recorded one. */
export function describeChange(wanted: Wanted, recordings: readonly Recording[]): string {
  if (recordings.length === 0) return "It contains no recordings.";
  const ofModel = recordings.filter(({ model }) => model === wanted.model);
  if (ofModel.length === 0) {
    const models = [...new Set(recordings.map(({ model }) => model))].toSorted().join(", ");
    return `Its recordings are of ${models}, not of ${wanted.model}.`;
  }
  const same = ofModel.filter(({ request }) => isEqual(request, wanted.request));
  if (same.length > 0) {
    const trials = [...new Set(same.map(({ trial }) => trial))].toSorted((a, b) => a - b);
    return `The same request is recorded for ${trials.length === 1 ? "trial" : "trials"} ${trials.join(", ")}.`;
  }
  return differences(closest(wanted, ofModel).request, wanted.request);
}

/** The recording that shares most of the request, then the one of the same trial. */
function closest(wanted: Wanted, recordings: readonly Recording[]): Recording {
  const scored = recordings.map((recording) => ({
    recording,
    score: similarity(recording, wanted),
  }));
  return scored.reduce((best, next) => (next.score > best.score ? next : best)).recording;
}

function similarity(recording: Recording, wanted: Wanted): number {
  const { messages } = recording.request;
  const equal = wanted.request.messages.filter((message, index) =>
    isEqual(message, messages[index]),
  );
  const length = Math.abs(messages.length - wanted.request.messages.length);
  return equal.length - length + (recording.trial === wanted.trial ? 0.5 : 0);
}

function differences(recorded: RecordedRequest, wanted: RecordedRequest): string {
  const found: string[] = [];
  const count = Math.max(recorded.messages.length, wanted.messages.length);
  for (let index = 0; index < count && found.length < 2; index += 1) {
    const [before, after] = [recorded.messages[index], wanted.messages[index]];
    if (!isEqual(before, after)) found.push(messageChange(index, before, after));
  }
  if (!isEqual(recorded.tools, wanted.tools)) found.push(toolChange(recorded, wanted));
  if (!isEqual(recorded.toolChoice, wanted.toolChoice))
    found.push(
      `Tool choice: recorded ${shown(recorded.toolChoice)}, now ${shown(wanted.toolChoice)}.`,
    );
  if (!isEqual(recorded.format, wanted.format)) found.push("The format of the reply changed.");
  if (!isEqual(recorded.sampling, wanted.sampling))
    found.push(`Sampling: recorded ${shown(recorded.sampling)}, now ${shown(wanted.sampling)}.`);
  return `Compared with the most similar recording: ${found.join(" ")}`;
}

function messageChange(
  index: number,
  before: Message | undefined,
  after: Message | undefined,
): string {
  const name = `message ${index} (${(after ?? before)!.role})`;
  if (before === undefined) return `${name} is new: ${excerpt(textOf(after!), 0)}.`;
  if (after === undefined) return `${name} was removed: ${excerpt(textOf(before), 0)}.`;
  const [old, now] = [textOf(before), textOf(after)];
  const start = firstDifference(old, now);
  return `${name} changed: recorded ${excerpt(old, start)}, now ${excerpt(now, start)}.`;
}

function toolChange(recorded: RecordedRequest, wanted: RecordedRequest): string {
  const names = ({ tools = [] }: RecordedRequest): readonly string[] =>
    tools.map(({ name }) => name);
  const [before, after] = [names(recorded), names(wanted)];
  const added = after.filter((name) => !before.includes(name));
  const removed = before.filter((name) => !after.includes(name));
  const parts = [
    ...(added.length > 0 ? [`added ${added.join(", ")}`] : []),
    ...(removed.length > 0 ? [`removed ${removed.join(", ")}`] : []),
  ];
  return `Tools: ${parts.length > 0 ? parts.join("; ") : "a description or a parameter changed"}.`;
}

function textOf(message: Message): string {
  if (message.role !== "assistant" && typeof message.content === "string") return message.content;
  const { role: _, ...rest } = message;
  return Object.keys(rest).length === 1 && typeof rest.content === "string"
    ? rest.content
    : canonicalJson(rest);
}

function firstDifference(a: string, b: string): number {
  let index = 0;
  while (index < a.length && a[index] === b[index]) index += 1;
  return index;
}

/** Sixty characters around a position, quoted. */
function excerpt(text: string, position: number): string {
  const from = Math.max(0, position - 20);
  const part = text.slice(from, from + 60);
  return `${from > 0 ? "…" : ""}${JSON.stringify(part)}${from + 60 < text.length ? "…" : ""}`;
}

function shown(value: unknown): string {
  return value === undefined ? "none" : canonicalJson(value);
}

function isEqual(a: unknown, b: unknown): boolean {
  return shown(a) === shown(b);
}
