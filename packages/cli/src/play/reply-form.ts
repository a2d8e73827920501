/** One pair of tags of a reply. */
export interface TagField {
  readonly name: string;
  readonly text: string;
}

/** The fields of a reply that is nothing but pairs of tags, in order. */
export function tagFields(reply: string): readonly TagField[] | undefined {
  const fields: TagField[] = [];
  let rest = reply.trim();
  while (rest !== "") {
    const name = /^<([A-Za-z_][\w.-]*)>/.exec(rest)?.[1];
    if (name === undefined) return undefined;
    const closing = `</${name}>`;
    const end = rest.indexOf(closing);
    if (end === -1) return undefined;
    fields.push({ name, text: rest.slice(name.length + 2, end).trim() });
    rest = rest.slice(end + closing.length).trimStart();
  }
  return fields.length === 0 ? undefined : fields;
}

/**
 * Writes what a person typed in the form that replies have here, which `sample` shows: the last line goes into the last
 * pair of tags, lines before it into the first. Text that has one of the tags is sent as it is.
 */
export function inForm(typed: string, sample: string): string {
  const fields = tagFields(sample);
  if (fields === undefined || fields.some(({ name }) => typed.includes(`<${name}>`))) return typed;
  const lines = typed.split("\n");
  const isSplit = fields.length > 1;
  const answer = isSplit ? lines.at(-1)! : typed;
  const thoughts = isSplit ? lines.slice(0, -1).join("\n") : "";
  return fields
    .map(({ name }, place) => {
      const text = place === fields.length - 1 ? answer : place === 0 ? thoughts : "";
      return `<${name}>${text}</${name}>`;
    })
    .join("\n");
}
