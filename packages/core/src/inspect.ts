import { resolve } from "./config.ts";
import type { AnyDefinition, Environment } from "./environment.ts";
import { ConfigError } from "./errors.ts";
import type { Example } from "./example.ts";
import { asMessages, type Message } from "./message.ts";
import type { ModelCheck, ToolSpec } from "./model.ts";
import { toolSpec } from "./tool.ts";

const toolSpecs = new WeakMap<AnyDefinition, readonly ToolSpec[]>();

/** The tools of an environment, as a model is told of them. */
export function toolSpecsOf({ definition }: Pick<Environment, "definition">): readonly ToolSpec[] {
  let specs = toolSpecs.get(definition);
  if (specs === undefined) {
    specs = Object.entries(definition.tools ?? {}).map(([name, tool]) => toolSpec(name, tool));
    toolSpecs.set(definition, specs);
  }
  return specs;
}

/** How often the model may speak in an environment. */
export function maxTurnsOf({ name, definition, config }: Environment): number {
  const isMultiTurn = definition.respond !== undefined || definition.tools !== undefined;
  const turns = resolve(definition.maxTurns, config) ?? (isMultiTurn ? 16 : 1);
  if (Number.isInteger(turns) && turns >= 1) return turns;
  throw new ConfigError(
    `maxTurns of ${name} is ${turns}. It must be a whole number of at least 1.`,
  );
}

/** What a model is told of an environment before it plays it. */
export function modelCheck({ name, definition }: Environment): ModelCheck {
  return { name, policies: Object.keys(definition.policies ?? {}) };
}

/** The prompt of an example as the model sees it: system prompt, few-shot messages, then the example's own. */
export function openingOf({ definition, config }: Environment, example: Example): Message[] {
  const prompt = asMessages(example.prompt);
  const systemPrompt = resolve(definition.systemPrompt, config);
  const fewShot = resolve(definition.fewShot, config) ?? [];
  const [first, ...rest] = prompt;
  if (first?.role === "system") return [first, ...fewShot, ...rest];
  if (systemPrompt === undefined) return [...fewShot, ...prompt];
  return [{ role: "system", content: systemPrompt }, ...fewShot, ...prompt];
}
