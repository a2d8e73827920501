import type { FastifyRequest } from "fastify";

const commandLines = /\b(npm|pnpm|yarn|bun|envs)\/v?(\d[\w.+-]*)/i;
const browsers: readonly (readonly [RegExp, string])[] = [
  [/Edg\//, "Edge"],
  [/Firefox\//, "Firefox"],
  [/Chrom(e|ium)\//, "Chrome"],
  [/Safari\//, "Safari"],
];
const systems: readonly (readonly [RegExp, string])[] = [
  [/iPhone|iPad/, "iOS"],
  [/Android/, "Android"],
  [/Windows|win32/, "Windows"],
  [/Mac OS X|darwin/, "macOS"],
  [/Linux/i, "Linux"],
];

/** Describes the client by its User-Agent header, which it may forge: `npm 11.19.1 on Linux`. */
export function clientName({ headers }: Pick<FastifyRequest, "headers">): string {
  const agent = headers["user-agent"] ?? "";
  const [, program, version] = commandLines.exec(agent) ?? [];
  const name = program === undefined ? match(browsers, agent) : `${program} ${version ?? ""}`;
  const system = match(systems, agent);
  if (name === undefined) return printable(agent) || "unknown client";
  return printable(system === undefined ? name : `${name} on ${system}`);
}

/** Removes characters outside printable ASCII and truncates to 100 characters: the text comes from the client. */
export function printable(text: string): string {
  return text
    .replaceAll(/[^\x20-\x7e]/g, "")
    .slice(0, 100)
    .trim();
}

function match(names: readonly (readonly [RegExp, string])[], agent: string): string | undefined {
  return names.find(([pattern]) => pattern.test(agent))?.[1];
}
