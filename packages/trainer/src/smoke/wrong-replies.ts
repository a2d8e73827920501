import { assistantMessage, type Model, policy } from "@envs/core";

import { answerOf, contentOf, type ReplyForm } from "./reply-form.ts";

/** Wrong replies, each made of the replies of the first policy. */
export const wrongReplies = {
  "empty replies": () => "",
  "replies of one letter": () => "x",
  "long replies without an answer": ({ reply }) => "x ".repeat(4 * reply.length + 40),
  "lists of all answers": ({ form: { prefix, suffix }, contents }) =>
    `${prefix}${contents.join(" ")}${suffix}`,
  "all replies in one": ({ form: { prefix, suffix }, contents }) =>
    contents.map((content) => `${prefix}${content}${suffix}`).join("\n"),
  "repetitions of one reply": ({ replies }) => mostCommon(replies),
  "first characters of answers": (source) => withAnswer(source, (answer) => answer.slice(0, 1)),
  "answers that are one larger": (source) => withAnswer(source, (answer) => shift(answer, 1)),
  "answers that are one smaller": (source) => withAnswer(source, (answer) => shift(answer, -1)),
  "answers without their last character": (source) =>
    withAnswer(source, (answer) => answer.slice(0, -1)),
  "answers in lower case": (source) => withAnswer(source, (answer) => answer.toLowerCase()),
  "answers in capitals": (source) => withAnswer(source, (answer) => answer.toUpperCase()),
} satisfies Readonly<Record<string, (source: Source) => string>>;

export const delayedName = "games with a wasted first turn";

interface Source {
  /** The reply of the first policy to the same messages. */
  readonly reply: string;
  /** All of its replies. */
  readonly replies: readonly string[];
  readonly form: ReplyForm;
  /** What its replies say, without duplicates. */
  readonly contents: readonly string[];
}

export function changedModel(
  policyName: string,
  { change, ...source }: Omit<Source, "reply"> & { readonly change: (source: Source) => string },
): Model {
  const model = policy(policyName);
  return async (request) => {
    const { message } = await model(request);
    const text = change({ ...source, reply: message.content });
    return { message: assistantMessage(text), finish: "stop" };
  };
}

/** A model that wastes its first turn, and then plays a policy. */
export function delayedModel(policyName: string): Model {
  const model = policy(policyName);
  return async (request) =>
    request.messages.some(({ role }) => role === "assistant")
      ? await model(request)
      : { message: assistantMessage("x"), finish: "stop" };
}

/** Changes the answer of a reply, and keeps the text around it. */
function withAnswer({ reply, form }: Source, change: (answer: string) => string): string {
  const answer = answerOf(contentOf(reply, form));
  const at = reply.lastIndexOf(answer);
  return reply.slice(0, at) + change(answer) + reply.slice(at + answer.length);
}

/** The next number or, for a text, one whose last character is the next. */
function shift(answer: string, by: number): string {
  if (/^-?\d+$/u.test(answer)) return String(BigInt(answer) + BigInt(by));
  const last = answer.codePointAt(answer.length - 1);
  return last === undefined ? "" : answer.slice(0, -1) + String.fromCodePoint(last + by);
}

function mostCommon(replies: readonly string[]): string {
  const counts = Map.groupBy(replies, (reply) => reply);
  return [...counts].toSorted(([, left], [, right]) => right.length - left.length)[0]?.[0] ?? "";
}
