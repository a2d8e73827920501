// humaneval, ported: complete a Python function from its docstring. Hidden tests decide.
import { defineEnvironment } from "@envs/core";
import { huggingFace } from "@envs/data";
import { gradeCode, python } from "@envs/sandbox";
import * as z from "zod";

const sandboxes = python();

const row = z
  .object({
    task_id: z.string(),
    prompt: z.string(),
    canonical_solution: z.string(),
    test: z.string(),
    entry_point: z.string(),
  })
  .transform(({ task_id: id, prompt, canonical_solution: solution, test, entry_point: name }) => ({
    id,
    prompt,
    stub: prompt,
    solution,
    test,
    name,
  }));

export default defineEnvironment({
  name: "humaneval",
  description: "Complete Python functions; hidden tests decide.",
  tags: ["code", "python", "sandbox"],
  requires: [sandboxes],

  config: z.object({
    seconds: z.number().positive().default(30).describe("Time limit of the tests"),
  }),

  systemPrompt:
    "Implement the Python function of the signature and docstring in full. Reply with its code alone.",

  dataset: () => huggingFace("openai/openai_humaneval", { schema: row, split: { eval: "test" } }),

  rubric: {
    passed: async ({ reply, example: { stub, test, name }, config, signal }) => {
      const { passed, feedback } = await gradeCode(sandboxes, {
        code: `${stub}\n${codeOf(reply)}`,
        name,
        // Tests may call functions that the stub defines.
        tests: `${stub}\n${test}\ncheck(candidate)`,
        limits: { ms: config.seconds * 1000 },
        signal,
      });
      return { score: passed.every(Boolean), feedback: feedback.slice(-2000) };
    },
  },

  policies: {
    gold: ({ example: { solution } }) => `\`\`\`python\n${solution}\n\`\`\``,
    "from-scratch": ({ example: { stub, solution } }) =>
      `Here it is:\n\`\`\`python\n${stub}${solution}\`\`\``,
    "in-thoughts": ({ example: { solution } }) => `<think>\n\`\`\`\n${solution}\n\`\`\`</think>`,
    nothing: () => "    pass",
    exit: () => "    import os; os._exit(0)",
    "always-equal": () =>
      "    return type('Same', (), {'__eq__': lambda *_: True, '__abs__': lambda self: 0})()",
    "redefines-helpers": () =>
      "    return 0\ndef plain(value): return Same()\nclass Same:\n    def __eq__(self, other): return True\n    def __abs__(self): return 0\n    def __sub__(self, other): return self\ncheck = print",
    endless: () => "    while True: pass",
  },
});

/** The last block of code after the thoughts, or all of what follows them. */
function codeOf(reply: string): string {
  const answer = reply.split("</think>").at(-1)!;
  return [...answer.matchAll(/```(?:python|py)?\n([\s\S]*?)```/g)].at(-1)?.[1] ?? answer;
}
