import { formatTable, paint } from "@envs/cli/kit";
import { wrap } from "@envs/cli/kit/layout";

import type { CacheEntry } from "../doctor/caches.ts";
import type { Diagnosis } from "../doctor/diagnose.ts";
import type { SandboxProcess } from "../doctor/processes.ts";
import type { SandboxService } from "../doctor/services.ts";

/** The data that `envs sandbox doctor` reports. */
export interface SandboxReport {
  readonly providers: readonly Diagnosis[];
  readonly processes: readonly SandboxProcess[];
  readonly services: readonly SandboxService[];
  readonly caches: readonly CacheEntry[];
}

/** Formats the report: a table of providers, what to install, processes and caches. */
export function sandboxReport(
  { providers, processes, services, caches }: SandboxReport,
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
  const lines = [
    ...processLines(processes),
    ...services.flatMap(serviceLines),
    ...caches.map(cacheLine),
  ];
  return [table, ...problems, "", ...lines].join("\n");
}

function processLines(processes: readonly SandboxProcess[]): readonly string[] {
  if (processes.length === 0) return ["No sandbox is running."];
  return processes.map(({ pid, name, host, isStray, memory }) => {
    const text = `Process ${pid}: ${name}, ${megabytes(memory)}, started by process ${host}`;
    if (!isStray) return text;
    return paint("yellow", `${text}, which has ended. End it: envs sandbox doctor --clean`);
  });
}

function serviceLines({ kind, name, problem, leftovers }: SandboxService): readonly string[] {
  const what = kind === "containers" ? "Container server" : "Service of machines";
  if (problem !== undefined) return [paint("yellow", `${what} ${name}: ${problem}`)];
  const one = kind === "containers" ? "Container" : "Machine";
  return [
    `${what} ${name}: ${leftovers.length === 0 ? "nothing is left over" : `${leftovers.length} left over`}`,
    ...leftovers.map(({ id, image }) =>
      paint(
        "yellow",
        `${one} ${id.slice(0, 12)}${image === undefined ? "" : ` of ${image}`}: its process has ended. Remove it: envs sandbox doctor --clean`,
      ),
    ),
  ];
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
