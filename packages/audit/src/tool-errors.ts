import { type AssistantMessage, callTools } from "@envs/core";
import { describeContent, episode, type ToolSpec } from "@envs/core/engine";

import type { Case, Subject } from "./subject.ts";

const maxTools = 6;

/** The results of tools for wrong arguments: none, nonsense of the right types, and the changed arguments of the best rollout. */
export async function resultsOfWrongCalls(
  { environment, seed, hookTimeout }: Subject,
  { keyed, best }: Case,
): Promise<readonly string[]> {
  const open = () => episode(environment, keyed.example, { key: keyed.key, seed, hookTimeout });
  const results: string[] = [];
  const call = async (name: string, text: string): Promise<void> => {
    const main = open();
    try {
      await main.start();
      const { messages } = await main.step(callTools([[name, text]]));
      results.push(...messages.map(({ content }) => describeContent(content)));
    } catch {
      // The rule odd-replies reports calls that fail a rollout.
    } finally {
      await main.close();
    }
  };
  const main = open();
  let tools: readonly ToolSpec[];
  try {
    await main.start();
    tools = main.tools.slice(0, maxTools);
  } finally {
    await main.close();
  }
  const changed = best.completion
    .filter((message): message is AssistantMessage => message.role === "assistant")
    .flatMap(({ tool_calls: calls = [] }) => calls.map((one) => one.function))
    .slice(0, maxTools);
  for (const { name, parameters } of tools) {
    await call(name, "{}");
    await call(name, JSON.stringify(nonsenseFor(parameters)));
  }
  for (const one of changed) await call(one.name, changedArguments(one.arguments));
  return results;
}

/** A value that fits the types of a JSON schema. */
function nonsenseFor(schema: unknown): unknown {
  if (typeof schema !== "object" || schema === null) return "zzz";
  const { type, enum: values, properties = {}, items } = schema as JsonSchema;
  if (Array.isArray(values)) return values[0];
  if (type === "object")
    return Object.fromEntries(
      Object.entries(properties).map(([key, inner]) => [key, nonsenseFor(inner)]),
    );
  if (type === "array") return [nonsenseFor(items)];
  if (type === "number" || type === "integer") return 987_654;
  return type === "boolean" ? false : "zzz";
}

interface JsonSchema {
  readonly type?: unknown;
  readonly enum?: unknown;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly items?: unknown;
}

/** Arguments whose texts and numbers are others. */
function changedArguments(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), (_, value: unknown) => {
      if (typeof value === "number") return value + 1;
      return typeof value === "string" ? "zzz" : value;
    });
  } catch {
    return text;
  }
}
