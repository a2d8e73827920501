/// <reference lib="dom" />

type Properties<Tag extends keyof HTMLElementTagNameMap> = Partial<
  Omit<HTMLElementTagNameMap[Tag], "style" | "dataset">
>;

/** Creates an element. Strings become text nodes, so they need no escaping. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Properties<Tag> = {},
  content: readonly (Node | string)[] = [],
): HTMLElementTagNameMap[Tag] {
  const created = Object.assign(document.createElement(tag), properties);
  created.append(...content);
  return created;
}

/** An element that the page always has. */
export function byId(id: string): HTMLElement {
  return document.getElementById(id)!;
}
