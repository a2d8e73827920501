import type { Message } from "@envs/core";
import { canonicalJson } from "@envs/core/engine";
import { isFields } from "@envs/records";

import { normalised, type Normaliser } from "./normalise.ts";
import type { Recording, RecordedRequest } from "./recording.ts";

type Wanted = Omit<Recording, "response">;

/** Describes how a request differs from the most similar recorded one. */
export function describeChange(
  wanted: Wanted,
  recordings: readonly Recording[],
  normalise: readonly Normaliser[],
): string {
  if (recordings.length === 0) return "It contains no recordings.";
  const ofModel = recordings.filter(({ model }) => model === wanted.model);
  if (ofModel.length === 0) {
    const models = [...new Set(recordings.map(({ model }) => model))].toSorted().join(", ");
    return `Its recordings are of ${models}, not of ${wanted.model}.`;
  }
  const same = ofModel.filter((recording) => isSameCall(recording, wanted));
  if (same.length > 0) {
    const trials = [...new Set(same.map(({ trial }) => trial))].toSorted((a, b) => a - b);
    return `The same request is recorded for ${trials.length === 1 ? "trial" : "trials"} ${trials.join(", ")}.`;
  }
  const recorded = closest(wanted, ofModel);
  const plain = ({ request, ...by }: Wanted): Wanted => ({
    ...by,
    request: normalised(request, normalise) as RecordedRequest,
  });
  const important = differences(plain(recorded), plain(wanted));
  const changes = important.length > 0 ? important : differences(recorded, wanted);
  return `Compared with the most similar recording: ${changes.join(" ")}`;
}

function isSameCall(recording: Wanted, { request, settings, code }: Wanted): boolean {
  return (
    recording.code === code &&
    isEqual(recording.settings, settings) &&
    isEqual(recording.request, request)
  );
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

function differences(recorded: Wanted, wanted: Wanted): readonly string[] {
  const [before, after] = [recorded.request, wanted.request];
  const count = Math.max(before.messages.length, after.messages.length);
  const messages = Array.from({ length: count }, (_, index) =>
    messageChange(index, before.messages[index], after.messages[index]),
  ).flat();
  return [
    ...(recorded.code === wanted.code ? [] : ["The model's code changed."]),
    ...fieldChanges("The model's ", recorded.settings, wanted.settings),
    ...messages.slice(0, 2),
    ...toolChanges(before, after),
    ...fieldChanges(
      "The ",
      { "tool choice": before.toolChoice },
      { "tool choice": after.toolChoice },
    ),
    ...fieldChanges("The ", { format: before.format }, { format: after.format }),
    ...fieldChanges("The sampling's ", before.sampling, after.sampling),
    ...fieldChanges("The agent's ", before.call, after.call),
  ];
}

/** Names each field that differs, by its path. */
function fieldChanges(subject: string, before: unknown, after: unknown): readonly string[] {
  if (isEqual(before, after)) return [];
  const [old = {}, now = {}] = [before, after];
  if (!isFields(old) || !isFields(now)) {
    const start = firstDifference(shown(before), shown(after));
    return [`${subject} changed from ${cut(shown(before), start)} to ${cut(shown(after), start)}.`];
  }
  const prefix = subject.endsWith(" ") ? subject : `${subject}.`;
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].flatMap((name) =>
    fieldChanges(`${prefix}${name}`, old[name], now[name]),
  );
}

function messageChange(
  index: number,
  before: Message | undefined,
  after: Message | undefined,
): readonly string[] {
  if (isEqual(before, after)) return [];
  const name = `message ${index} (${(after ?? before)!.role})`;
  if (before === undefined) return [`${name} is new: ${excerpt(textOf(after!), 0)}.`];
  if (after === undefined) return [`${name} was removed: ${excerpt(textOf(before), 0)}.`];
  const [old, now] = [textOf(before), textOf(after)];
  const start = firstDifference(old, now);
  return [`${name} changed: recorded ${excerpt(old, start)}, now ${excerpt(now, start)}.`];
}

function toolChanges(
  { tools: recorded = [] }: RecordedRequest,
  { tools = [] }: RecordedRequest,
): readonly string[] {
  const before = new Map(recorded.map((tool) => [tool.name, tool]));
  const after = new Map(tools.map((tool) => [tool.name, tool]));
  const changes = [...new Set([...before.keys(), ...after.keys()])].flatMap((name) => {
    const [old, now] = [before.get(name), after.get(name)];
    if (old === undefined) return [`The tool ${name} is new.`];
    if (now === undefined) return [`The tool ${name} was removed.`];
    return fieldChanges(`The tool ${name}'s `, old, now);
  });
  return changes.length > 0 || isEqual(recorded, tools)
    ? changes
    : ["The order of the tools changed."];
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
  return cut(text, position, JSON.stringify);
}

function cut(text: string, position: number, quote = (part: string): string => part): string {
  const from = Math.max(0, position - 20);
  const part = text.slice(from, from + 60);
  return `${from > 0 ? "…" : ""}${quote(part)}${from + 60 < text.length ? "…" : ""}`;
}

function shown(value: unknown): string {
  return value === undefined ? "none" : canonicalJson(value);
}

function isEqual(a: unknown, b: unknown): boolean {
  return shown(a) === shown(b);
}
