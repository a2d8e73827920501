import type { Route } from "./contract/route.ts";

/** A request as HTTP has it. */
export interface PlainRequest {
  readonly method: Route["method"];
  /** Path and query. */
  readonly path: string;
  readonly body?: string;
}

/** Puts each value of an input where its route wants it. The hub judges them: also those that the route does not know. */
export function plainRequest(
  { method, path, params, query, body }: Route,
  input: Readonly<Record<string, unknown>>,
): PlainRequest {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(textOf(input[name])),
  );
  const inPath = Object.keys(params?.shape ?? {});
  const inQuery = Object.keys(query?.shape ?? {});
  const rest = Object.entries(input).filter(([name]) => !inPath.includes(name));
  const isQuery = ([name]: readonly [string, unknown]): boolean =>
    body === undefined || inQuery.includes(name);
  const search = searchOf(rest.filter(isQuery));
  return {
    method,
    path: search === "" ? filled : `${filled}?${search}`,
    ...(body !== undefined && {
      body: JSON.stringify(Object.fromEntries(rest.filter((entry) => !isQuery(entry)))),
    }),
  };
}

function searchOf(entries: readonly (readonly [string, unknown])[]): string {
  const search = new URLSearchParams();
  for (const [name, value] of entries)
    for (const each of Array.isArray(value) ? (value as readonly unknown[]) : [value])
      if (each !== undefined) search.append(name, textOf(each));
  return search.toString();
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
