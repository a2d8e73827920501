/** HTML without unescaped user data. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

/** A template tag for HTML. Escapes all values that are not markup themselves. */
export function markup(
  parts: TemplateStringsArray,
  ...values: readonly (string | number | Markup | readonly Markup[])[]
): Markup {
  return new Markup(String.raw({ raw: parts }, ...values.map(render)));
}

function render(value: string | number | Markup | readonly Markup[]): string {
  if (value instanceof Markup) return value.text;
  if (typeof value === "object") return value.map(({ text }) => text).join("");
  return String(value).replaceAll(/[&<>"]/gu, (character) => entities[character]!);
}

/** JSON for a script element, which it cannot close. */
export function jsonMarkup(value: unknown): Markup {
  return new Markup(JSON.stringify(value).replaceAll("<", String.raw`\u003c`));
}
