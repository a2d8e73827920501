const thoughts = /<think(?:ing)?>[\s\S]*?<\/think(?:ing)?>/gi;
/** The innermost content of tags, of `\boxed{}`, of code fences, and the texts in JSON. */
const slots = [
  /(<([a-z][\w-]*)>)([^<>]*)(<\/\2>)/gi,
  /(\\boxed(\{))([^{}]*)(\})/g,
  /(```(\w*)\n)([\s\S]*?)(\n```)/g,
  /(":\s*(")?)((?<=")[^"]*|(?<!")[\d.]+)("?)/g,
];

/** Replaces the content of a reply's form. `undefined` for a reply without a form, such as a bare word. */
export function refill(reply: string, content: string): string | undefined {
  const bare = withoutThoughts(reply);
  for (const slot of slots) {
    const filled = bare.replaceAll(
      slot,
      (...groups: string[]) => `${groups[1]}${content}${groups[4]}`,
    );
    if (filled !== bare) return filled;
  }
  return undefined;
}

/** The text in the form of a reply; the reply itself if it has no form. */
export function contentOf(reply: string): string {
  const bare = withoutThoughts(reply);
  for (const slot of slots) {
    const last = [...bare.matchAll(slot)].at(-1);
    if (last?.[3] !== undefined) return last[3];
  }
  return bare.trim();
}

/** Puts a text where the answer was: into the form of the best reply, or alone. */
export function inFormOf(reply: string, content: string): string {
  return refill(reply, content) ?? content;
}

/** A reply without its `<think>` block. */
export function withoutThoughts(reply: string): string {
  const rest = reply.replaceAll(thoughts, "").trim();
  return rest === "" ? reply : rest;
}
