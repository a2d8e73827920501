import type { AssistantMessage } from "@envs/core";
import type { ToolSpec } from "@envs/core/engine";

import { quote, ServeError } from "./errors.ts";

/** An environment's tools, under names that every trainer accepts. */
export interface ServedTools {
  readonly specs: readonly ToolSpec[];
  /** The name of the tool that sends plain text: `respond`, unless the environment has a tool of that name. */
  readonly respond: string;
  /** The environment's own name of a tool; `undefined` for `respond` and for unknown tools. */
  ownName(served: string): string | undefined;
  /** The name under which one of the environment's own tools is served. */
  servedName(own: string): string | undefined;
  /** The model's message for a call by the served name. Throws a {@link ServeError} of code `unknown-tool` or `invalid-action`. */
  call(name: string, input: Readonly<Record<string, unknown>>, callId: string): AssistantMessage;
}

/** Names of protocol routes, and words of Python: Python clients turn tools into functions. */
const reservedNames = new Set(
  `reset step state close verify seed_session close_session aggregate_metrics reverify_mode get_reward self
   False None True and as assert async await break class continue def del elif else except finally for from global if
   import in is lambda nonlocal not or pass raise return try while with yield`.split(/\s+/u),
);

/** Names an environment's tools for trainers, and adds a tool for plain text. */
export function servedTools(tools: readonly ToolSpec[]): ServedTools {
  const specsByName = new Map<string, ToolSpec>();
  const unusedName = (ownName: string): string => {
    let name = ownName.replaceAll(/\W/gu, "_").replace(/^(?=\d)/u, "_");
    while (reservedNames.has(name) || specsByName.has(name)) name += "_tool";
    return name;
  };
  for (const spec of tools) specsByName.set(unusedName(spec.name), spec);
  const respond = unusedName("respond");
  const specs = [...specsByName].map(([name, { description, parameters }]): ToolSpec => {
    return { name, description, parameters };
  });
  specs.push(respondSpec(respond, tools.length > 0));
  return {
    specs,
    respond,
    ownName: (served) => specsByName.get(served)?.name,
    servedName: (own) => [...specsByName].find(([, spec]) => spec.name === own)?.[0],
    call(name, input, callId) {
      if (name === respond) {
        if (typeof input.text === "string") return { role: "assistant", content: input.text };
        throw new ServeError("invalid-action", `${respond} takes one argument, text: a string.`);
      }
      const spec = specsByName.get(name);
      if (spec === undefined)
        throw new ServeError(
          "unknown-tool",
          `There is no tool named ${quote(name)}. Use one of: ${specs.map((tool) => tool.name).join(", ")}.`,
        );
      const arguments_ = JSON.stringify(withoutOptionalNulls(spec, input));
      return {
        role: "assistant",
        content: "",
        tool_calls: [
          { id: callId, type: "function", function: { name: spec.name, arguments: arguments_ } },
        ],
      };
    },
  };
}

/** A tool in the form of MCP's `tools/list`. */
export function listedTool({ name, description, parameters }: ToolSpec) {
  return { name, description, inputSchema: parameters };
}

function respondSpec(name: string, hasOtherTools: boolean): ToolSpec {
  return {
    name,
    description: hasOtherTools
      ? "Send your answer in plain text instead of calling another tool."
      : "Send your reply.",
    parameters: {
      type: "object",
      properties: { text: { type: "string", description: "Your reply" } },
      required: ["text"],
      additionalProperties: false,
    },
  };
}

/** Removes `null` values, which Python clients send for arguments that the model left out. */
function withoutOptionalNulls(
  { parameters }: ToolSpec,
  input: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const required = new Set(parameters.required as readonly string[] | undefined);
  return Object.fromEntries(
    Object.entries(input).filter(([name, value]) => value !== null || required.has(name)),
  );
}
