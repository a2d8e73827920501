import codeRepair from "@envs/code-repair";
import {
  type AssistantMessage,
  type Environment,
  evaluate,
  policy,
  repliesOf,
  textOf,
} from "@envs/core";
import { type ModelServer, modelServer } from "@envs/models/testing";
import wikiSearch from "@envs/wiki-search";
import { onTestFinished } from "vitest";

/** Environments that a program solves with their tools or in their folder. */
export const environments = {
  "wiki-search": wikiSearch() as Environment,
  "code-repair": codeRepair() as Environment,
} as const;
export const options = { examples: 2, rolloutsPerExample: 1, concurrency: 1 };

type Name = keyof typeof environments;

/** Each environment's perfect rollouts: their messages by the text of their prompt. */
export async function oracle(name: Name) {
  const { rollouts } = await evaluate(environments[name], { ...options, model: policy("oracle") });
  const scripts = rollouts.map(({ prompt, completion }) => ({
    prompt: prompt.map(({ content }) => textOf(content)).join("\n\n"),
    replies: repliesOf(completion),
  }));
  return { rollouts, scripts };
}

type Scripts = Awaited<ReturnType<typeof oracle>>["scripts"];

/**
 * A model's server that repeats the perfect rollouts, and ignores additions of a program to the prompt. Programs give the
 * environment's tools other names, and ask for a title.
 */
export async function scriptedServer(scripts: Scripts): Promise<ModelServer> {
  const server = await modelServer({
    answer({ messages, tools = [] }) {
      const at = messages.findIndex(({ content }) =>
        scripts.some(({ prompt }) => asks(textOf(content), prompt)),
      );
      if (at === -1) return "A title";
      const { replies } = scripts.find(({ prompt }) =>
        asks(textOf(messages[at]!.content), prompt),
      )!;
      return renamed(
        replies[repliesOf(messages.slice(at)).length]!,
        tools.map((tool) => tool.name),
      );
    },
  });
  onTestFinished(server.close);
  return server;
}

/** Whether a message is a prompt: opencode quotes it, and Claude Code writes the date before it. */
function asks(content: string, prompt: string): boolean {
  const text = content.trim();
  return text === prompt || text === `"${prompt}"` || text.endsWith(`\n\n${prompt}`);
}

function renamed({ content, tool_calls: calls = [] }: AssistantMessage, names: readonly string[]) {
  // opencode has a tool `read` beside `environment_read`.
  const nameOf = (name: string): string => names.find((each) => each.endsWith(`_${name}`)) ?? name;
  return calls.length === 0
    ? content
    : {
        role: "assistant" as const,
        content,
        tool_calls: calls.map((call) => ({
          ...call,
          function: { ...call.function, name: nameOf(call.function.name) },
        })),
      };
}
