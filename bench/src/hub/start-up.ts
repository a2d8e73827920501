import { setTimeout as sleep } from "node:timers/promises";

import type { Aim, Figure } from "../figure.ts";
import { median } from "../rounds.ts";
import { ours } from "./ours.ts";
import { type RegistryKind, residentMemory } from "./registry.ts";
import { verdaccio } from "./verdaccio.ts";

/** Time until code is compiled and garbage collected after a start. */
const idleMs = 5000;
const rounds = 5;

/** The measurements of one start. Memory is in MiB. */
interface StartResult {
  readonly seconds: number;
  readonly memory: number;
  readonly idleMemory: number;
}

/** Starts both registries in alternation, with the data of the earlier benchmarks. */
export async function startUpFigures(folderFor: (kind: RegistryKind) => string): Promise<Figure[]> {
  const [ourStarts, theirStarts]: [StartResult[], StartResult[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    ourStarts.push(await measureStart(ours, folderFor(ours)));
    theirStarts.push(await measureStart(verdaccio, folderFor(verdaccio)));
  }
  return [
    ...figures(ours, ourStarts, { at: "most", value: 2 }),
    ...figures(verdaccio, theirStarts),
  ];
}

/** Measures from the start of the process to its first response. The time of the exit does not count. */
async function measureStart(kind: RegistryKind, folder: string): Promise<StartResult> {
  const start = performance.now();
  await using registry = await kind.start(folder);
  const seconds = (performance.now() - start) / 1000;
  const memory = residentMemory(registry.child);
  await sleep(idleMs);
  return { seconds, memory, idleMemory: residentMemory(registry.child) };
}

function figures({ name }: RegistryKind, starts: readonly StartResult[], aim?: Aim): Figure[] {
  const medianOf = (key: keyof StartResult) => median(starts.map((start) => start[key]));
  return [
    {
      name: `start on an existing folder: ${name}`,
      value: Math.min(...starts.map(({ seconds }) => seconds)),
      median: medianOf("seconds"),
      unit: "s",
      aim,
    },
    { name: `memory after the start: ${name}`, value: medianOf("memory"), unit: "MiB" },
    { name: `memory at rest: ${name}`, value: medianOf("idleMemory"), unit: "MiB" },
  ];
}
