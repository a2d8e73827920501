// needle_in_haystack_rlm, ported: find rare words among ten thousand lines of common ones, with code and a sub-model.
import { boxedParser, defineEnvironment, random } from "@envs/core";
import { javascript } from "@envs/sandbox";
import * as z from "zod";

import { codeInput, repl, replyOf } from "./support/repl.ts";

const common =
  "apple banana orange grape cherry table chair window door floor river mountain forest ocean desert happy quiet gentle simple steady walk talk think write read".split(
    " ",
  );
const rare =
  "kumquat rambutan persimmon lychee ottoman credenza vestibule portico parquet fjord tundra savanna estuary jubilant serene pristine ethereal saunter ponder peruse".split(
    " ",
  );
const sandbox = javascript();
const boxed = boxedParser();

interface Haystack {
  readonly seed: number;
  readonly lines: number;
  readonly needles: readonly string[];
}

function haystack({ seed, lines, needles }: Haystack): string {
  const source = random("haystack", seed);
  const words = Array.from({ length: lines }, () =>
    Array.from({ length: 4 + source.int(5) }, () => source.pick(common)),
  );
  const places = source.shuffle([...words.keys()]).slice(0, needles.length);
  for (const [index, needle] of needles.entries()) {
    const line = words[places[index]!]!;
    line[source.int(line.length)] = needle;
  }
  return words.map((line) => line.join(" ")).join("\n");
}

export default defineEnvironment({
  name: "needle-in-haystack-rlm",
  description: "Find rare words in a long text with code and a sub-model.",
  tags: ["long-context", "recursive", "sandbox"],

  config: z.object({
    samples: z.int().min(1).default(10).describe("Number of texts"),
    lines: z.int().min(1).default(10_000).describe("Lines of a text"),
    needles: z.int().min(1).max(rare.length).default(3).describe("Rare words in a text"),
  }),

  requires: [sandbox],

  *dataset({ config: { samples, lines, needles: count }, random }) {
    for (let index = 0; index < samples; index += 1) {
      const needles = random.shuffle(rare).slice(0, count);
      const prompt = `Hidden in a text of ${lines} lines are ${count} unusual words that do not belong with the others. Most words are common, such as apple, table, river, happy, walk. Find all of them. The text is the file context.txt. ${repl.manual} Reply with the words in \\boxed{}, separated by commas.`;
      yield { prompt, needles, lines, seed: random.int(2 ** 31) };
    }
  },

  // #region sub-model
  subModel: {
    maxCalls: 50,
    policy: ({ prompt, example }) =>
      example.needles.filter((needle) => prompt.includes(needle)).join(", "),
  },

  setup: async ({ example, subModel, signal }) => ({
    sandbox: await sandbox.create({
      files: { "context.txt": haystack(example) },
      functions: repl.functions(subModel),
      signal,
    }),
  }),
  // #endregion

  tools: {
    run: {
      description: "Runs JavaScript.",
      input: codeInput,
      sequential: true,
      execute: ({ code }, { state }) => repl.run(state.sandbox, code),
    },
  },

  episode: { maxTurns: 30 },

  rubric: {
    partial: {
      description: "The share of the words that were found; 0 for more words than the text hides",
      range: [0, 1],
      score({ reply, example: { needles } }) {
        const words = found(reply);
        if (words.length > needles.length) return 0;
        return needles.filter((needle) => words.includes(needle)).length / needles.length;
      },
    },
  },

  metrics: {
    exact: ({ reply, example: { needles } }) =>
      found(reply).toSorted().join() === needles.toSorted().join(),
  },

  policies: {
    search: ({ messages }) => replyOf(messages, byCode),
    reader: ({ messages }) => replyOf(messages, bySubModel),
    first: () => String.raw`\boxed{${rare[0]!}}`,
    all: () => String.raw`\boxed{${rare.join(", ")}}`,
  },
});

function found(reply: string): readonly string[] {
  const words = boxed.parse(reply)?.split(",") ?? [];
  return words.map((word) => word.trim().toLowerCase());
}

const readText = 'const text = require("fs").readFileSync("context.txt", "utf8");';
const box = (words: string): string => String.raw`"\\boxed{" + ${words} + "}"`;

const byCode = `${readText}
const common = new Set(${JSON.stringify(common)});
${box("text.split(/\\s+/).filter((word) => !common.has(word)).join(', ')")}`;

const bySubModel = `${readText}
const lines = text.split("\\n");
const parts = Array.from({ length: 20 }, (_, part) => lines.filter((_, line) => line % 20 === part));
const replies = llm_batch(parts.map((part) => "List the unusual words:\\n" + part.join("\\n")));
${box("replies.filter((reply) => reply !== '').join(', ')")}`;
