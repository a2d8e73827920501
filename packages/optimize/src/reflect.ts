import { type Model, type ModelResponse, userMessage } from "@envs/core";
import { contentHash } from "@envs/core/engine";

import type { Journal, Trial } from "./journal.ts";
import type { Prompts } from "./prompts.ts";

/** The input of the reflective model. */
export interface Reflection {
  /** The name of the prompt to improve. */
  readonly name: string;
  readonly prompts: Prompts;
  readonly trials: readonly Trial[];
  /** The description of the environment. */
  readonly description: string;
}

/**
 * Asks for a better prompt. Returns `undefined` if the answer contains none. Source of the procedure: Agrawal et al. 2025, appendix on
 * the meta-prompt.
 */
export async function reflect(
  { name, prompts, trials, description }: Reflection,
  {
    model,
    journal,
    signal,
    onAnswer,
  }: {
    readonly model: Model;
    readonly journal: Journal;
    readonly signal: AbortSignal;
    readonly onAnswer: (response: Pick<ModelResponse, "usage">) => void;
  },
): Promise<string | undefined> {
  const messages = [userMessage(question({ name, prompts, trials, description }))];
  const key = contentHash({ reflection: model.id ?? "model", messages });
  const known = journal.get(key);
  if (known !== undefined && "response" in known) {
    onAnswer(known.response);
    return readPrompt(known.response.message.content);
  }
  const { tokens: _, ...response } = await model({ messages, signal });
  journal.add({ key, response });
  onAnswer(response);
  return readPrompt(response.message.content);
}

/** The text of the last block between lines of three or more backticks. */
export function readPrompt(answer: string): string | undefined {
  const blocks = [...answer.matchAll(/^(`{3,})[^\n`]*\n([^]*?)\n?^\1[ \t]*$/gmu)];
  const text = blocks.at(-1)?.[2]?.trim();
  return text === undefined || text === "" ? undefined : text;
}

function question({ name, prompts, trials, description }: Reflection): string {
  const subject =
    name === "systemPrompt"
      ? "the system prompt of an assistant"
      : `the description of the tool ${name.slice("tools.".length)}, which an assistant reads`;
  return `You improve ${subject}.${description === "" ? "" : ` Its task: ${description}`}

The present text:

${fenced(prompts[name] ?? "")}

${trials.length} conversations with this text follow, with their rewards and with feedback where there is some. A higher reward is better.

${trials.map((trial, index) => `## Conversation ${index + 1}\n\n${trialText(trial)}`).join("\n\n")}

Write a better text. Find out what the task demands, also facts and formats that only the feedback shows, and state them explicitly. Keep
what works. Do not refer to these conversations: the text is for new inputs. Answer with the whole new text between lines of three
backticks.`;
}

function trialText({ transcript, reward, scores, feedback }: Trial): string {
  const lines = Object.entries(scores).flatMap(([name, value]) =>
    value === null ? [] : [`- ${name}: ${round(value)}${reason(feedback[name])}`],
  );
  return `${fenced(transcript)}\n\nReward: ${round(reward)}\n${lines.join("\n")}`;
}

function reason(feedback: string | undefined): string {
  return feedback === undefined ? "" : `. ${feedback}`;
}

/** A fence that is longer than each of the text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/gu)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

function round(value: number): string {
  return String(Math.round(value * 1000) / 1000);
}
