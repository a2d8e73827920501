import { ConfigError, type Environment } from "@envs/core";
import type { AnyDefinition } from "@envs/core/engine";

/** The texts of an environment that a model reads in every rollout, by name: `systemPrompt`, and `tools.<name>`. */
export type Prompts = Readonly<Record<string, string>>;

/** The system prompt of an environment, and the descriptions of its tools unless each rollout has its own. */
export function promptsOf({ name, config, definition }: Environment): Prompts {
  if (definition.parts !== undefined)
    throw new ConfigError(
      `${name} is a mix, whose parts have their own prompts. Optimize each part alone.`,
    );
  const { systemPrompt = "" } = definition;
  const text =
    typeof systemPrompt === "function"
      ? (systemPrompt as (context: { readonly config: unknown }) => string)({ config })
      : systemPrompt;
  const tools = Object.entries(toolsOf(definition)).map(([tool, { description }]) => [
    `tools.${tool}`,
    description,
  ]);
  return { systemPrompt: text, ...(Object.fromEntries(tools) as Prompts) };
}

/** The environment with other prompts. Throws a `ConfigError` for a name that it does not have. */
export function withPrompts<E extends Environment>(environment: E, prompts: Prompts): E {
  const known = Object.keys(promptsOf(environment));
  const unknown = Object.keys(prompts).filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new ConfigError(
      `${environment.name} has no prompt named ${unknown.join(", ")}. It has: ${known.join(", ")}.`,
    );
  const { definition } = environment;
  const tools = toolsOf(definition);
  const described = Object.entries(tools).map(([tool, entry]) => [
    tool,
    { ...entry, description: prompts[`tools.${tool}`] ?? entry.description },
  ]);
  return {
    ...environment,
    definition: {
      ...definition,
      ...(prompts["systemPrompt"] === undefined ? {} : { systemPrompt: prompts["systemPrompt"] }),
      ...(described.length === 0 ? {} : { tools: Object.fromEntries(described) }),
    },
  };
}

type Tools = Exclude<NonNullable<AnyDefinition["tools"]>, (...context: never[]) => unknown>;

function toolsOf({ tools = {} }: AnyDefinition): Tools {
  return typeof tools === "function" ? {} : tools;
}
