import type { AssistantMessage } from "@envs/core";
import type { ToolSpec } from "@envs/core/engine";

import { ServeError } from "./failure.ts";
import { quoted } from "./quoted.ts";

/** The tools of an environment under names that every trainer takes, and the way back to the environment's own. */
export interface ServedTools {
  readonly specs: readonly ToolSpec[];
  /** The name of the tool that says something without calling a tool: `respond`, unless the environment has one so named. */
  readonly respond: string;
  /** The environment's own name of a tool; `undefined` for `respond`, and if there is no such tool. */
  ownName(served: string): string | undefined;
  /** The name under which one of the environment's own tools is served. */
  servedName(own: string): string | undefined;
  /** What the model says when it calls a tool by its served name. Throws a {@link ServeError} of code `unknown-tool`. */
  call(name: string, input: Readonly<Record<string, unknown>>, callId: string): AssistantMessage;
}

/** Names that a protocol has taken, or that are words of Python, whose clients make functions of tools. */
const taken = new Set(
  `reset step state close verify seed_session close_session aggregate_metrics reverify_mode get_reward self
   False None True and as assert async await break class continue def del elif else except finally for from global if
   import in is lambda nonlocal not or pass raise return try while with yield`.split(/\s+/u),
);

/** Serves an environment's tools, and one more for plain text. */
export function servedTools(tools: readonly ToolSpec[]): ServedTools {
  const names = new Map<string, ToolSpec>();
  const free = (wanted: string): string => {
    let name = wanted.replaceAll(/\W/gu, "_").replace(/^(?=\d)/u, "_");
    while (taken.has(name) || names.has(name)) name += "_tool";
    return name;
  };
  for (const spec of tools) names.set(free(spec.name), spec);
  const respond = free("respond");
  const text = { type: "string", description: "What you say" };
  const specs = [...names].map(([name, { description, parameters }]): ToolSpec => {
    return { name, description, parameters };
  });
  specs.push({
    name: respond,
    description:
      tools.length === 0
        ? "Send your reply."
        : "Send a reply in plain words instead of calling another tool: your answer.",
    parameters: {
      type: "object",
      properties: { text },
      required: ["text"],
      additionalProperties: false,
    },
  });
  return {
    specs,
    respond,
    ownName: (served) => names.get(served)?.name,
    servedName: (own) => [...names].find(([, spec]) => spec.name === own)?.[0],
    call(name, input, callId) {
      if (name === respond) {
        if (typeof input.text === "string") return { role: "assistant", content: input.text };
        throw new ServeError("invalid-action", `${respond} takes one argument, text: a string.`);
      }
      const spec = names.get(name);
      if (spec === undefined)
        throw new ServeError(
          "unknown-tool",
          `There is no tool named ${quoted(name)}. Use one of: ${specs.map((each) => each.name).join(", ")}.`,
        );
      const named = { name: spec.name, arguments: JSON.stringify(withoutNulls(spec, input)) };
      return {
        role: "assistant",
        content: "",
        tool_calls: [{ id: callId, type: "function", function: named }],
      };
    },
  };
}

/** Clients in Python send `null` for whatever the model left out. */
function withoutNulls(
  { parameters }: ToolSpec,
  input: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const required = new Set(parameters.required as readonly string[] | undefined);
  return Object.fromEntries(
    Object.entries(input).filter(([name, value]) => value !== null || required.has(name)),
  );
}
