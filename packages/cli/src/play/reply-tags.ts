/** A pair of tags in a reply. */
export interface TagField {
  readonly name: string;
  readonly text: string;
}

/** Parses a reply that consists only of pairs of tags. Returns `undefined` for any other reply. */
export function tagFields(reply: string): readonly TagField[] | undefined {
  const fields: TagField[] = [];
  let rest = reply.trim();
  while (rest !== "") {
    const name = /^<([A-Za-z_][\w.-]*)>/.exec(rest)?.[1];
    if (name === undefined) return undefined;
    const closingTag = `</${name}>`;
    const end = rest.indexOf(closingTag);
    if (end === -1) return undefined;
    fields.push({ name, text: rest.slice(name.length + 2, end).trim() });
    rest = rest.slice(end + closingTag.length).trimStart();
  }
  return fields.length === 0 ? undefined : fields;
}

/**
 * Wraps typed text in the tags of a sample reply: the last line goes into the last pair of tags, the lines before it into
 * the first pair. Text that already contains one of the tags stays unchanged.
 */
export function wrapInTags(typed: string, sample: string): string {
  const fields = tagFields(sample);
  if (fields === undefined || fields.some(({ name }) => typed.includes(`<${name}>`))) return typed;
  const lines = typed.split("\n");
  const hasThoughts = fields.length > 1;
  const answer = hasThoughts ? lines.at(-1)! : typed;
  const thoughts = hasThoughts ? lines.slice(0, -1).join("\n") : "";
  return fields
    .map(({ name }, index) => {
      const text = index === fields.length - 1 ? answer : index === 0 ? thoughts : "";
      return `<${name}>${text}</${name}>`;
    })
    .join("\n");
}
