import type { IncomingMessage } from "node:http";

/** The target of a request. */
export interface Target {
  /** The rollout's secret: of the path, else of the key; empty without either. */
  readonly secret: string;
  /** The path below the version of the API. */
  readonly path: string;
  readonly query: URLSearchParams;
}

const pattern = /^(?:\/rollouts\/(?<secret>[^/]+))?(?:\/v1(?:beta|alpha)?\b)?(?<path>\/.*)?$/;

/** Reads the target of a request; `undefined` if its path is malformed. Clients differ in whether their base URL has a version, and in where they send the key. */
export function targetOf({ url = "/", headers }: IncomingMessage): Target | undefined {
  const [pathname = "/", search = ""] = url.split(/\?(.*)/su, 2);
  const query = new URLSearchParams(search);
  const groups = pattern.exec(pathname)?.groups;
  const path = decodedPath(groups?.["path"] ?? "/");
  if (groups === undefined || path === undefined) return undefined;
  const key =
    headers.authorization?.replace(/^Bearer\s+/iu, "") ??
    header(headers["x-api-key"]) ??
    header(headers["x-goog-api-key"]) ??
    query.get("key") ??
    "";
  return { secret: groups["secret"] ?? key, path, query };
}

/** Decodes a path, and joins its double slashes; `undefined` if an escape is not UTF-8. */
function decodedPath(path: string): string | undefined {
  try {
    return decodeURI(path.replaceAll(/\/{2,}/gu, "/"));
  } catch {
    return undefined;
  }
}

function header(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === "string" ? value : value?.[0];
}
