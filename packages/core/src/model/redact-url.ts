const secret = "***";

/** Parameters of a query that servers need, which are not secret. */
const publicParameters = new Set(["api-version"]);

/**
 * Replaces possible secrets in one or several comma-separated addresses: the user name, the password, and the values of the
 * query, except for the version of an API. Records and messages contain addresses in this form only.
 */
export function redactUrl(text: string): string {
  const urls = splitUrls(text);
  if (urls.length > 1) return urls.map(redactUrl).join(",");
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    return text.replace(/[^/]*@/u, `${secret}@`).replace(/[?#].*$/su, `?${secret}`);
  if (url.username !== "") url.username = secret;
  if (url.password !== "") url.password = secret;
  for (const name of new Set(url.searchParams.keys()))
    if (!publicParameters.has(name)) url.searchParams.set(name, secret);
  url.hash = "";
  const redacted = url.href;
  // An address without secrets stays as it was written.
  return redacted.includes(secret) ? redacted : text;
}

/** Splits several addresses at their commas. A comma within an address does not split it. */
export function splitUrls(text: string): readonly string[] {
  return text.split(/\s*,\s*(?=https?:\/\/)/iu);
}

/** Whether an address has lost secrets by {@link redactUrl}, so that it cannot be requested. */
export function isRedacted(url: string): boolean {
  return url.includes(secret);
}
