import { setTimeout as sleep } from "node:timers/promises";

import type { Figure } from "../figure.ts";
import { median } from "../rounds.ts";
import { ours } from "./ours.ts";
import { type RegistryKind, residentMemory } from "./registry.ts";
import { verdaccio } from "./verdaccio.ts";

/** Until what a start leaves behind is compiled or collected. */
const rest = 5000;
const rounds = 5;

/** A registry that was started, left alone and stopped. */
interface Started {
  readonly seconds: number;
  readonly memory: number;
  readonly memoryAtRest: number;
}

/** Starts both registries on the folders that they have filled, in turns. */
export async function startUp(at: (kind: RegistryKind) => string): Promise<Figure[]> {
  const [we, they]: [Started[], Started[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    we.push(await started(ours, at(ours)));
    they.push(await started(verdaccio, at(verdaccio)));
  }
  return [...figures(ours, we, 2), ...figures(verdaccio, they)];
}

/** From the start of the process to its first answer; ending it again is not counted. */
async function started(kind: RegistryKind, folder: string): Promise<Started> {
  const start = performance.now();
  await using registry = await kind.start(folder);
  const seconds = (performance.now() - start) / 1000;
  const memory = residentMemory(registry.child);
  await sleep(rest);
  return { seconds, memory, memoryAtRest: residentMemory(registry.child) };
}

function figures({ name }: RegistryKind, all: readonly Started[], aim?: number): Figure[] {
  const usual = (of: keyof Started) => median(all.map((each) => each[of]));
  return [
    {
      name: `start on an existing folder: ${name}`,
      value: Math.min(...all.map(({ seconds }) => seconds)),
      median: usual("seconds"),
      unit: "s",
      ...(aim !== undefined && { aim: { at: "most", value: aim } as const }),
    },
    { name: `memory after the start: ${name}`, value: usual("memory"), unit: "MiB" },
    { name: `memory at rest: ${name}`, value: usual("memoryAtRest"), unit: "MiB" },
  ];
}
