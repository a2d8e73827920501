import type { CacheEntry, Diagnosis, SandboxProcess } from "@envs/sandbox/doctor";
import { formatTable, paint } from "@envs/terminal";
import { wrap } from "@envs/terminal/layout";

/** What `envs sandbox doctor` reports. */
export interface SandboxReport {
  readonly providers: readonly Diagnosis[];
  readonly processes: readonly SandboxProcess[];
  readonly caches: readonly CacheEntry[];
}

/** Formats the report: a table of providers, what to install, processes and caches. */
export function sandboxReport(
  { providers, processes, caches }: SandboxReport,
  columns = Infinity,
): string {
  const titles = ["sandbox", "works", "isolation", "language", "first start", "next start"];
  const table = formatTable(
    [
      titles.map((title) => paint("dim", title)),
      ...providers.map(({ traits, problem, firstStartMs, startMs }) => [
        traits.name,
        problem === undefined ? paint("green", "yes") : paint("red", "no"),
        traits.isolation,
        traits.language,
        milliseconds(firstStartMs),
        milliseconds(startMs),
      ]),
    ],
    "text",
  );
  const problems = providers.flatMap(({ traits: { name }, problem }) =>
    problem === undefined
      ? []
      : ["", wrap(`${name}: ${problem}`, Math.max(columns - 2, 40)).join("\n  ")],
  );
  const lines = [...processLines(processes), ...caches.map(cacheLine)];
  return [table, ...problems, "", ...lines].join("\n");
}

function processLines(processes: readonly SandboxProcess[]): readonly string[] {
  if (processes.length === 0) return ["No sandbox is running."];
  return processes.map(({ pid, name, host, isStray, memory }) => {
    const text = `Process ${pid}: ${name}, ${megabytes(memory)}, started by process ${host}`;
    if (!isStray) return text;
    return paint("yellow", `${text}, which has ended. End it: kill -9 ${pid}`);
  });
}

function cacheLine({ path, bytes, isUsed, packages = [] }: CacheEntry): string {
  const content = packages.length === 0 ? "" : `, ${packages.join(" ")}`;
  const text = `Cache ${path}: ${megabytes(bytes)}${content}`;
  return isUsed ? text : paint("yellow", `${text}, of another version. Remove it: rm -r ${path}`);
}

function milliseconds(value: number | undefined): string {
  return value === undefined ? "" : `${value} ms`;
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}
