import { ConfigError, type Message, RolloutError, type ScoreContext, textOf } from "@envs/core";

import { quoted } from "./quoted.ts";

/** The fields of a template that need no path. */
const fields = ["reply", "prompt", "conversation"] as const;
/** The fields of a template that are followed by a path, such as `{example.answer}`. */
const roots = ["example", "config", "state"] as const;

type Field = (typeof fields)[number];
type Root = (typeof roots)[number];

const placeholder = /\{\{(?<literal>[^{}]*)\}\}|\{(?<path>[A-Za-z_]\w*(?:\.\w+)*)\}/g;

/** A prompt with fields, which {@link Template.fill} replaces in one pass: a value is never read as a template. */
export interface Template {
  fill(context: ScoreContext): string;
}

/** Parses a template. Throws a `ConfigError` for an unknown field. Double braces are literal: `{{name}}` becomes `{name}`. */
export function template(source: string): Template {
  const paths = [...source.matchAll(placeholder)].flatMap(({ groups }) => groups?.["path"] ?? []);
  for (const path of paths) checkPath(path);
  return {
    fill(context) {
      const values = quoted(
        Object.fromEntries(paths.map((path) => [path, valueOf(path, context)])),
      );
      return source.replaceAll(placeholder, (_match, literal: string | undefined, path: string) =>
        literal === undefined ? values[path]! : `{${literal}}`,
      );
    },
  };
}

function checkPath(path: string): void {
  const [root = "", ...rest] = path.split(".");
  const isField = rest.length === 0 && fields.includes(root as Field);
  if (isField || (rest.length > 0 && roots.includes(root as Root))) return;
  throw new ConfigError(
    `The judge's prompt has an unknown field {${path}}. It can have {reply}, {prompt}, {conversation}, {example.…}, {config.…} and {state.…}. For literal braces, write {{${path}}}.`,
  );
}

function valueOf(path: string, context: ScoreContext): string {
  if (path === "reply") return context.reply;
  if (path === "prompt") return transcript(context.prompt);
  if (path === "conversation") return transcript([...context.prompt, ...context.completion]);
  let value: unknown = context;
  for (const name of path.split("."))
    value =
      typeof value === "object" && value !== null && Object.hasOwn(value, name)
        ? (value as Readonly<Record<string, unknown>>)[name]
        : undefined;
  if (value === undefined)
    throw new RolloutError(
      "score",
      `The judge's prompt has the field {${path}}, which this rollout lacks. Add it, or remove it from the prompt.`,
    );
  return typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
}

function transcript(messages: readonly Message[]): string {
  return messages.map(messageText).join("\n\n");
}

function messageText(message: Message): string {
  const calls = message.role === "assistant" ? (message.tool_calls ?? []) : [];
  const lines = calls.map(({ function: call }) => `calls ${call.name}(${call.arguments})`);
  return [`${message.role}:`, textOf(message.content), ...lines]
    .filter((line) => line !== "")
    .join("\n");
}
