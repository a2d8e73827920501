import { assistantMessage, type Message } from "@envs/core";
import { describeContent, type Episode, episode } from "@envs/core/engine";

import { answerLeaves } from "../answers.ts";
import { excerpt } from "../conversation.ts";
import { inParallel } from "../in-parallel.ts";
import { type Leaf, leavesOf } from "../leaves.ts";
import { noScale } from "../probe.ts";
import { counted, type Evidence, notTried, outcome, type Rule } from "../rule.ts";
import { type Case, rewardIn, type Subject } from "../subject.ts";
import { resultsOfWrongCalls } from "../tool-errors.ts";

const labels =
  /\b(?:answer|solution|correct|label|target|gold|expected|secret|key|truth|reference)\b\W{0,3}(?:is|was|are)?\W{0,3}/
    .source;

/** The texts that the model sees before it acts, by their place. */
type Sight = Readonly<Record<Place, string>>;
const places = ["system", "examples", "prompt", "tools", "feedback", "errors"] as const;
type Place = (typeof places)[number];

const names: Readonly<Record<Place, string>> = {
  system: "the system prompt",
  examples: "the few-shot messages",
  prompt: "the prompt, after a word such as “answer”",
  tools: "the description of a tool",
  feedback: "the environment's reaction to a reply without content",
  errors: "the result of a tool for wrong arguments",
};

/** What precedes the answer in an error: also words that compare it with what the model passed. */
const errorLabels = `(?:${labels}|(?:\\b(?:should|must)\\s+(?:be|equal|have been)|\\bto (?:be|equal)|\\binstead of|\\bequals?|[!=]==?|≠)\\W{0,3})`;

export const answerLeak: Rule = {
  id: "answer-leak",
  severity: "high",
  asks: "The model does not see the answer before it acts.",
  decides:
    "A text or number of an example is its answer if the best replies earn less once it is changed. A finding is an answer in the system prompt, the few-shot messages, the tools' descriptions, in the reaction to an empty reply while the episode continues, or in the prompt or a tool's result for wrong arguments directly after a word such as “answer” or “expected”. Answers that are in the same place of other examples, or shorter than three characters there, do not count: they are options, not leaks.",
  remedy: "Remove it, or move it into the example's other fields, which only the scores see.",

  async check(subject) {
    if (subject.cases.length < 2)
      return notTried(
        "fewer than two examples, so that answers cannot be distinguished from options",
      );
    const scored = subject.cases.filter(({ best }) => rewardIn(best) > 0).length;
    if (scored === 0) return notTried(noScale(subject));
    const seen = await inParallel(subject.cases, async (one) => {
      const sight = await sightOf(subject, one);
      const visible = rewardIn(one.best) > 0 ? visibleIn(sight, one) : [];
      const answers = await answerLeaves(subject, one, visible);
      return { one, sight, visible, answers: answers.map(({ text }) => text) };
    });
    const evidence = new Map<Place, Evidence>();
    for (const place of places)
      for (const { one, sight, answers } of seen) {
        const others = seen.filter((other) => other.one !== one).map((other) => other.sight[place]);
        const leaked = answers.find(
          (answer) =>
            shows(place, sight[place], answer) &&
            others.filter((text) => shows(place, text, answer)).length <= others.length / 4,
        );
        if (leaked === undefined || evidence.has(place)) continue;
        evidence.set(place, {
          variant: place,
          message: `The answer ${JSON.stringify(leaked)} is in ${names[place]}`,
          conversations: [
            excerpt(`what the model sees in ${names[place]}`, one.keyed.key, [
              {
                role: place === "system" ? "system" : "user",
                content: around(sight[place], leaked),
              },
            ]),
          ],
        });
      }
    const texts = seen.flatMap(({ visible }) => visible).length;
    return outcome(`${counted(scored, "example")}, ${counted(texts, "text")} in sight`, [
      ...evidence.values(),
    ]);
  },
};

/** The texts and numbers of an example that the model sees somewhere. Only these need a rollout, which shows whether they are answers. */
function visibleIn(sight: Sight, { keyed }: Case): readonly Leaf[] {
  return leavesOf(keyed.example).filter(({ text }) =>
    places.some((place) => shows(place, sight[place], text)),
  );
}

function shows(place: Place, text: string, answer: string): boolean {
  const pattern = escape(answer.trim());
  if (place === "prompt" || place === "errors") {
    const before = place === "prompt" ? labels : errorLabels;
    return new RegExp(`${before}${pattern}(?![\\w])`, "iu").test(text);
  }
  if (answer.trim().length < 3) return false;
  return new RegExp(`(?<![\\p{L}\\p{N}])${pattern}(?![\\p{L}\\p{N}])`, "iu").test(text);
}

/** Everything that the model sees before its first real action. */
async function sightOf(subject: Subject, one: Case): Promise<Sight> {
  const { environment, seed } = subject;
  const { keyed, best } = one;
  const system = best.prompt.filter(({ role }) => role === "system");
  const own = typeof keyed.example.prompt === "string" ? 1 : keyed.example.prompt.length;
  const rest = best.prompt.slice(system.length);
  const main = episode(environment, keyed.example, { key: keyed.key, seed });
  try {
    await main.start();
    const tools = main.tools.map(descriptionsIn).join("\n");
    const errors = main.tools.length === 0 ? [] : await resultsOfWrongCalls(subject, one);
    return {
      system: textsOf(system),
      examples: textsOf(rest.slice(0, Math.max(0, rest.length - own))),
      prompt: textsOf(rest.slice(Math.max(0, rest.length - own))),
      tools,
      feedback: await feedbackOf(main),
      errors: errors.join("\n"),
    };
  } finally {
    await main.close();
  }
}

/** The names and descriptions of a tool and its input. They are the vocabulary of answers that are calls. */
function descriptionsIn(value: unknown): string {
  if (typeof value !== "object" || value === null) return "";
  return Object.entries(value)
    .map(([key, inner]) =>
      key === "description" && typeof inner === "string" ? inner : descriptionsIn(inner),
    )
    .join(" ");
}

/** The messages after an empty reply, if the model may act again: the last message may contain the answer. */
async function feedbackOf(main: Episode): Promise<string> {
  if (main.stopReason !== undefined) return "";
  const { messages, isDone } = await main.step(assistantMessage(""));
  return isDone ? "" : textsOf(messages);
}

function textsOf(messages: readonly Message[]): string {
  return messages.map(({ content }) => describeContent(content)).join("\n");
}

function around(text: string, answer: string): string {
  const at = Math.max(0, text.toLowerCase().indexOf(answer.toLowerCase()) - 300);
  return text.slice(at, at + 900);
}

function escape(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, (sign) => `\\${sign}`).replaceAll(/\\-/g, "-");
}
