import type { McpServer } from "./server.ts";

const secretName = /auth|cookie|credential|key|pass|secret|token/iu;
/** Shorter values are words such as `1` and `true`, which appear in any text. */
const minSecretLength = 4;

/** Replaces a server's secrets in texts. */
export interface Redactor {
  /** For diagnostics: replaces all values of `env`, `headers` and the query of the URL. */
  diagnostic(text: string): string;
  /** For results of tools: replaces only values with a name such as `API_KEY`, since others may be a tool's data. */
  result(text: string): string;
}

/** Creates the redactor of a server, whose secrets it finds once. */
export function redactor(server: McpServer): Redactor {
  const entries = entriesOf(server).filter(([, value]) => value.length >= minSecretLength);
  const all = entries.map(([, value]) => value);
  const named = entries.filter(([name]) => secretName.test(name)).map(([, value]) => value);
  return {
    diagnostic: (text) => replaceAll(text, all),
    result: (text) => replaceAll(text, named),
  };
}

function entriesOf(server: McpServer): (readonly [string, string])[] {
  if ("command" in server)
    return Object.entries(server.env ?? {}).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    );
  if ("run" in server) return [];
  const { username, password, searchParams } = new URL(server.url);
  const headers = Object.entries(server.headers ?? {}).flatMap(([name, value]) => {
    // Also redacts the token of `Bearer <token>`, which a server may repeat alone.
    const [, credentials = value] = /^\w+ (\S+)$/u.exec(value) ?? [];
    return [
      [name, value],
      [name, credentials],
    ] as const;
  });
  return [
    ...headers,
    ["token", decodeURIComponent(username)],
    ["password", decodeURIComponent(password)],
    ...searchParams,
  ];
}

function replaceAll(text: string, secrets: readonly string[]): string {
  return secrets
    .toSorted((left, right) => right.length - left.length)
    .reduce((result, secret) => result.replaceAll(secret, "***"), text);
}
