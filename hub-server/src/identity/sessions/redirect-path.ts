const anywhere = "http://hub.invalid";

/** Validates a redirect target: a path on this hub, or undefined for any other target. */
export function redirectPath(text: unknown): string | undefined {
  if (typeof text !== "string" || text.length > 500 || !text.startsWith("/")) return undefined;
  if (!URL.canParse(text, anywhere)) return undefined;
  const { origin, pathname, search } = new URL(text, anywhere);
  // Browsers treat `/\\host` and `//host` as another host; the URL parser normalizes the first form.
  return origin === anywhere && !pathname.startsWith("//") ? `${pathname}${search}` : undefined;
}
