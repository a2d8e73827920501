const anywhere = "http://hub.invalid";

/** A place on this hub to go on to; anything that would lead elsewhere is undefined. */
export function ownPath(text: unknown): string | undefined {
  if (typeof text !== "string" || text.length > 500 || !text.startsWith("/")) return undefined;
  if (!URL.canParse(text, anywhere)) return undefined;
  const { origin, pathname, search } = new URL(text, anywhere);
  // Browsers read `/\\host` and `//host` as another host; what they resolve to here begins with one slash.
  return origin === anywhere && !pathname.startsWith("//") ? `${pathname}${search}` : undefined;
}
