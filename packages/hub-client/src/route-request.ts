import type { Route } from "./contract/route.ts";

/** An HTTP request without its origin. */
export interface HttpRequest {
  readonly method: Route["method"];
  /** Path and query. */
  readonly path: string;
  readonly body?: string | undefined;
}

/**
 * Distributes an input's values over the path, the query and the body of a route. Does not validate them: the hub
 * rejects unknown and invalid ones.
 */
export function routeRequest(
  { method, path: template, params, query, body }: Route,
  input: Readonly<Record<string, unknown>>,
): HttpRequest {
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(textOf(input[name])),
  );
  const pathNames = Object.keys(params?.shape ?? {});
  const queryNames = Object.keys(query?.shape ?? {});
  const entries = Object.entries(input).filter(([name]) => !pathNames.includes(name));
  const isQuery = ([name]: readonly [string, unknown]): boolean =>
    body === undefined || queryNames.includes(name);
  const search = searchOf(entries.filter(isQuery));
  const bodyEntries = entries.filter((entry) => !isQuery(entry));
  return {
    method,
    path: search === "" ? path : `${path}?${search}`,
    body: body === undefined ? undefined : JSON.stringify(Object.fromEntries(bodyEntries)),
  };
}

function searchOf(entries: readonly (readonly [string, unknown])[]): string {
  const search = new URLSearchParams();
  for (const [name, value] of entries)
    for (const item of Array.isArray(value) ? (value as readonly unknown[]) : [value])
      if (item !== undefined) search.append(name, textOf(item));
  return search.toString();
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
