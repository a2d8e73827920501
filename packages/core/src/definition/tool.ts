import * as z from "zod";

import { ConfigError } from "../errors.ts";
import { frozenCopy } from "../json.ts";
import type { ToolSpec } from "../model/model.ts";
import type { EpisodeContext } from "./context.ts";

/** A tool that the model can call by its name. */
export interface Tool<
  Config = unknown,
  E = unknown,
  State = unknown,
  Input extends z.ZodObject = z.ZodObject,
> {
  readonly description: string;
  readonly input: Input;
  /** The time limit of a call in milliseconds. A call that exceeds it is an error of the tool, and its signal is aborted. */
  readonly timeout?: number | undefined;
  /**
   * Whether a call runs alone. Other calls of the same turn run at once; set it where the order of calls changes what they
   * return or leave behind.
   */
  readonly sequential?: boolean | undefined;
  /** Returns the result for the model: text and content parts as they are, any other value as JSON. `end()` ends the
   * episode. */
  execute(input: z.output<Input>, context: EpisodeContext<Config, E, State>): unknown;
}

/** Tools by name. Toolsets compose: `tools: { ...calculator(), search }`. */
export type Toolset<Config = unknown, E = unknown, State = unknown> = Readonly<
  Record<string, Tool<Config, E, State>>
>;

/** Infers the types of a tool outside of a definition, and in a function `tools`. */
export function tool<Input extends z.ZodObject>(
  definition: Tool<unknown, unknown, unknown, Input>,
): Tool<unknown, unknown, unknown, Input> {
  return definition;
}

type Merged<Toolsets extends readonly Toolset[]> = Toolsets extends readonly [
  infer First,
  ...infer Rest extends readonly Toolset[],
]
  ? First & Merged<Rest>
  : unknown;

/** Joins toolsets. Throws a `ConfigError` if two have a tool of the same name; an object spread would keep the last one. */
export function mergeTools<const Toolsets extends readonly Toolset[]>(
  ...toolsets: Toolsets
): Merged<Toolsets> {
  const merged: Record<string, Tool> = {};
  for (const [name, definition] of toolsets.flatMap((toolset) => Object.entries(toolset))) {
    if (Object.hasOwn(merged, name))
      throw new ConfigError(`Two toolsets have a tool named ${name}. Rename one of them.`);
    merged[name] = definition;
  }
  return merged as Merged<Toolsets>;
}

/** A cache: toolsets of different rollouts often share their schemas, and a conversion takes long. */
const jsonSchemas = new WeakMap<z.ZodObject, ToolSpec["parameters"]>();

/** Describes a tool for the model. */
export function toolSpec(
  name: string,
  { description, input }: Pick<Tool, "description" | "input">,
): ToolSpec {
  let parameters = jsonSchemas.get(input);
  if (parameters === undefined) {
    const { $schema: _, ...schema } = z.toJSONSchema(input, { io: "input" });
    jsonSchemas.set(input, (parameters = frozenCopy(schema)));
  }
  return { name, description, parameters };
}

/** The names that OpenAI's API accepts. */
const validName = /^[\w-]{1,64}$/;

/** Throws a `ConfigError` for tools that no model could call. */
export function checkToolset(environment: string, toolset: Toolset): void {
  for (const [name, definition] of Object.entries(toolset)) {
    const { input, timeout } = definition;
    const problem = !validName.test(name)
      ? "has a name that model servers reject. Use 1 to 64 letters, digits, _ and -"
      : typeof definition.execute !== "function"
        ? "has no function execute. Add execute: (input, context) => …"
        : !(input instanceof z.core.$ZodType)
          ? "has no input schema. Add input: z.object({ … })"
          : timeout !== undefined && !(timeout > 0)
            ? `has a timeout of ${timeout}. It is a number of milliseconds above 0`
            : undefined;
    if (problem !== undefined)
      throw new ConfigError(`The tool ${JSON.stringify(name)} of ${environment} ${problem}.`);
  }
}
