import { thinkParser } from "@envs/core";
import { gradeCode } from "@envs/sandbox";
import * as z from "zod";

import { limits, provider } from "./calls.ts";
import type { Task } from "./tasks.ts";

const think = thinkParser({ lenient: true });
const fence = /```(?:js|javascript)?\n([\s\S]*?)```/gu;

/** The code of the last fence after the thinking, as a script. Empty without one. */
export function readCode(reply: string): string {
  const code = [...think.parse(reply).matchAll(fence)].at(-1)?.[1] ?? "";
  return code;
}

/** Removes exports, which a script cannot have. */
function asScript(code: string): string {
  return code.replaceAll(/^export (?:default )?/gmu, "").replaceAll(/^module\.exports\b.*$/gmu, "");
}

export function writeCode(code: string): string {
  return `\`\`\`js\n${code}\n\`\`\``;
}

/** The tests that code passes. */
export interface Verdict {
  readonly visible: boolean;
  /** The share of the hidden tests. */
  readonly hidden: number;
}

const argumentsSchema = z.array(z.json());

/** Runs all tests in a sandbox of the score, which the model has not touched. */
export async function grade(
  { name, tests }: Task,
  text: string,
  signal: AbortSignal,
): Promise<Verdict> {
  const code = asScript(text);
  if (code === "") return { visible: false, hidden: 0 };
  const calls = tests.map(({ input, expected }) => ({
    args: argumentsSchema.parse(JSON.parse(input)),
    expected: z.json().parse(JSON.parse(expected)),
  }));
  const own = { ...limits, output: 100 };
  const { passed } = await gradeCode(provider, { code, name, tests: calls, limits: own, signal });
  const [visible = false, ...hidden] = passed;
  return { visible, hidden: hidden.filter(Boolean).length / hidden.length };
}
