import { format } from "node:util";

import { textOf } from "@envs/core";
import { modelServer } from "@envs/models/testing";
import { afterEach, expect, test, vi } from "vitest";

/** The output of each program. All randomness is seeded, so it is the same on every machine. */
const printed = {
  "addition.ts": `reward 1 over 15 rollouts
exact 1, length 3 at most
`,
  "audit.ts": `3 rules applied to capitals
`,
  "custom-model.ts": `alone: 65 % exact
majority: 100 % exact
`,
  "tools.ts": `correct 1, looked up 1
6 calls, 3 of them with an error
assistant: 
tool: Error: The arguments of count do not fit:
✖ Invalid option: expected one of "apples"|"pears"|"plums"
  → at fruit
assistant: 
tool: {"fruit":"apples","count":12}
assistant: 12
`,
  "toolsets.ts": `The connection is closed.
The connection is closed.
[ '20', 'Paid.', 'Paid.' ]
[
  '20',
  'Error: There is no tool named "pay". Use one of: balance.',
  'Error: There is no tool named "pay". Use one of: balance.'
]
reward 1
balance: 2 calls, 0 errors
pay: 4 calls, 2 errors
`,
  "agent.ts": `reward 1, 19 model calls, all responses
tools: open, read, search
`,
  "gateway.ts": `It is sunny.
Weather in Rome? → It is sunny.
`,
  "workspace.ts": `assistant:
tool: Saved: hello.txt
assistant: Done.
reward 1
`,
  "dialects.ts": `2 rollouts, 2 calls of messages
`,
  "optimize.ts": `# Prompts of double-check
held out: 0 before, 1 after
reward with the better prompt: 1
`,
  "mcp-tools.ts": `reward 1, 3 calls
`,
  "images.ts": `right 1
user: Which bar is the darkest, from 1? [image: image/png, 70 bytes]
assistant: 
tool: [image: image/png, 68 bytes]
assistant: 1
`,
  "mix.ts": `all 1.07, n 30
reverse 1.20, n 9
tictactoe 1.01, n 21
`,
  "group-score.ts": `It is Lima. correct 1, brevity 0
It is Lima. correct 1, brevity 0
It is Lima. correct 1, brevity 0
Lima correct 1, brevity 1
I do not know. correct 0, brevity null
It is Nairobi. correct 1, brevity 1
I do not know. correct 0, brevity null
I do not know. correct 0, brevity null
`,
  "llm-judge.ts": `quality 0.8, polite 1
{"grade":8,"isPolite":true}

It is short.
2 rollouts, 4 verdicts, 2 answers of the judge
`,
  "ready-made-scores.ts": `name 1.00, born 1.00, fields 0.50, valid 1.00, spelling 1.00, apology 0.00
correct 0.5
`,
  "parsers.ts": `<think>...</think> <move>...</move>
{ think: 'The centre.', move: '4' }
5
0.5
42
\\frac{3}{4}
{ move: 4 }
`,
  "drive-by-hand.ts": `What is 17 × 71?
Are you sure? false
true end
0 1
`,
  "training-data.ts": `20 conversations, 40 replies to learn from
`,
  "take-the-last.ts": `first reads: 9 are left.
second reads: 7 are left.
second reads: Take 1, 2 or 3 matches.
first reads: 4 are left.
`,
  "best-of-n.ts": `picker 0.65
writer1 0.52
writer2 0.53
writer3 0.50
`,
  "stream-rollouts.ts": `384 flips, a fair coin
`,
  "serve.ts": `X takes 0, reward null
X takes 1, reward null
X takes 2, reward 1.2
X | X | X
---------
O | 4 | O
---------
6 | 7 | 8

You win.
`,
  "read-run.ts": `reverse-text by policy:echo: 6 rollouts
exact 0, ended by end
`,
  "openai-endpoint.ts": `20 scored, 0 failed, correct 1
more requests than turns: true, tokens counted: true
`,
  "ai-sdk.ts": `exact 1
`,
} as const;

const capitals: Readonly<Record<string, string>> = {
  France: "Paris",
  Japan: "Tokyo",
  Kenya: "Nairobi",
};

test("quickstart.ts prints the mean reward of a model on a server", async () => {
  await using server = await modelServer({
    name: "gpt-5-mini",
    answer({ messages }) {
      const country = /of (\w+)\?/.exec(textOf(messages.at(-1)?.content ?? ""))?.[1] ?? "";
      return capitals[country] ?? "Unknown";
    },
  });
  vi.stubEnv("OPENAI_BASE_URL", server.url);
  vi.stubEnv("OPENAI_API_KEY", "key");
  const log = vi.spyOn(console, "log").mockReturnValue();
  await import("../quickstart.ts");
  expect(log.mock.calls).toEqual([["mean reward 1 over 9 rollouts"]]);
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

test.for(Object.entries(printed))("%s prints its expected output", async ([file, output]) => {
  let text = "";
  vi.spyOn(console, "log").mockImplementation((...values: unknown[]) => {
    text += `${format(...values)}\n`;
  });
  await import(`../${file}`);
  expect(text).toBe(output);
});
