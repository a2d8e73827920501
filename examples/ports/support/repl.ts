import {
  type AskSubModel,
  type AssistantMessage,
  callTools,
  type Message,
  textOf,
} from "@envs/core";
import type { HostFunction, Sandbox } from "@envs/sandbox";
import * as z from "zod";

const maxOutput = 8192;

/** The tool that the ports of verifiers' RLMEnv share: it runs code, in which `llm_batch` asks sub-models. */
export const repl = {
  manual:
    "The tool run executes JavaScript; variables of globalThis stay, and output is cut. In the code, llm_batch(prompts) asks another model a list of prompts at once and returns its replies.",

  functions: (subModel: AskSubModel): Record<string, HostFunction> => ({
    llm_batch: (prompts) => {
      if (!Array.isArray(prompts)) throw new Error("Pass a list of prompts.");
      return Promise.all(prompts.map(async (prompt) => (await subModel(String(prompt))).text));
    },
  }),

  /** Runs code in the sandbox of a rollout. */
  async run(sandbox: Sandbox, code: string): Promise<string> {
    const { stdout, stderr, value, timedOut } = await sandbox.run(code);
    const shown = typeof value === "string" ? value : JSON.stringify(value ?? "");
    const parts = [stdout, stderr, timedOut ? "The code ran out of time." : "", shown];
    const output = parts.filter((part) => part !== "" && part !== '""').join("\n");
    return output.length > maxOutput ? `${output.slice(0, maxOutput)}…` : output || "(no output)";
  },
};

export const codeInput = z.object({ code: z.string() });

/** A policy that runs code once, and replies what it returned. */
export function replyOf(messages: readonly Message[], code: string): string | AssistantMessage {
  const last = messages.at(-1);
  if (last?.role === "tool") return textOf(last.content);
  return callTools([["run", { code }]]);
}
