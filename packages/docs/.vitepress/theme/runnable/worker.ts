// Plays an edited environment in the sandbox. The page sends this script, with the whole library in it, as a text.
import * as core from "@envs/core";
import { describeScores, messageOf } from "@envs/core/engine";
import * as z from "zod";

import type { ExampleInput, Outcome } from "./outcome.ts";

// The policy of the sandbox forbids compilers of code, which zod would otherwise try.
z.config({ jitless: true });

const libraries: Readonly<Record<string, object>> = { "@envs/core": core, zod: z };
const shared = globalThis as unknown as Record<string, object>;
const post = postMessage.bind(globalThis) as (outcome: Outcome) => void;

addEventListener("message", ({ data }: MessageEvent<ExampleInput>) => {
  void play(data).then(post, (error: unknown) => post({ problem: messageOf(error) }));
});

async function play({ code, reply }: ExampleInput): Promise<Outcome> {
  const { default: factory } = await importText(withLibraries(code));
  if (typeof factory !== "function" || !("definition" in factory))
    return { problem: "The code has no environment as its default export." };
  const environment = (factory as core.EnvironmentFactory)();
  const { rollouts } = await core.evaluate(environment, {
    model: async () => ({ message: core.assistantMessage(reply), finish: "stop" }),
    examples: 1,
    rolloutsPerExample: 1,
    maxTurns: 1,
  });
  const [rollout] = rollouts;
  if (rollout === undefined) return { problem: "The dataset has no examples." };
  if (rollout.status === "failed") return { problem: rollout.error.message };
  return {
    question: rollout.prompt.at(-1)?.content ?? "",
    reward: rollout.reward,
    scores: describeScores(environment.definition).map(({ name, weight }) => ({
      name,
      weight,
      value: rollout.scores[name] ?? null,
    })),
  };
}

/** Points imports at modules that export what this script already contains: the sandbox cannot load others. */
function withLibraries(code: string): string {
  return code.replaceAll(/(?<=\bfrom\s*)(["'])(.+?)\1/g, (_, _quote, name: string) => {
    const library = libraries[name];
    if (library === undefined)
      throw new Error(`The example cannot import ${name}. It can import @envs/core and zod.`);
    shared[name] = library;
    const names = Object.keys(library).filter((key) => key !== "default");
    return JSON.stringify(
      textUrl(`export const { ${names.join(", ")} } = globalThis[${JSON.stringify(name)}];`),
    );
  });
}

async function importText(code: string): Promise<{ readonly default?: unknown }> {
  return (await import(/* @vite-ignore */ textUrl(code))) as { readonly default?: unknown };
}

function textUrl(code: string): string {
  return URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
}
