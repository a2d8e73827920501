/** What all replies of a policy begin and end with. The rest is their content. */
export interface ReplyForm {
  readonly prefix: string;
  readonly suffix: string;
}

/** The form of replies. It ends before words and numbers, which may begin alike by chance. */
export function formOf(replies: readonly string[]): ReplyForm {
  const [first = ""] = replies;
  let start = first.length;
  for (const reply of replies) while (!reply.startsWith(first.slice(0, start))) start -= 1;
  const prefix = first.slice(0, start).replace(/[\p{L}\p{N}.,+-]+$/u, "");
  const rests = replies.map((reply) => reply.slice(prefix.length));
  const [rest = ""] = rests;
  let end = 0;
  for (const other of rests) while (!other.endsWith(rest.slice(end))) end += 1;
  return { prefix, suffix: rest.slice(end).replace(/^[\p{L}\p{N}.,+-]+/u, "") };
}

/** What a reply in the form says; the whole of another reply. */
export function contentOf(reply: string, { prefix, suffix }: ReplyForm): string {
  const hasForm =
    reply.length >= prefix.length + suffix.length &&
    reply.startsWith(prefix) &&
    reply.endsWith(suffix);
  return hasForm ? reply.slice(prefix.length, reply.length - suffix.length) : reply;
}

/** The answer in a content that begins with reasoning: what follows the last tag, brace, quote or line break. */
export function answerOf(content: string): string {
  return content
    .split(/[<>{}"\n]/)
    .at(-1)!
    .trim();
}
