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

/** What made a request, as a person would say it: `npm 11.19.1 on Linux`. It is only what the client says of itself. */
export function clientName({ headers }: Pick<FastifyRequest, "headers">): string {
  const agent = headers["user-agent"] ?? "";
  const [, program, version] = commandLines.exec(agent) ?? [];
  const name = program === undefined ? match(browsers, agent) : `${program} ${version ?? ""}`;
  const system = match(systems, agent);
  if (name === undefined) return printable(agent) || "an unnamed program";
  return printable(system === undefined ? name : `${name} on ${system}`);
}

/** A text of a stranger's, for a page or a list. */
export function printable(text: string): string {
  return text
    .replaceAll(/[^\x20-\x7e]/g, "")
    .slice(0, 100)
    .trim();
}

function match(names: readonly (readonly [RegExp, string])[], agent: string): string | undefined {
  return names.find(([pattern]) => pattern.test(agent))?.[1];
}
