import { ServeError } from "../failure.ts";
import type { EpisodeHost } from "../host/host.ts";
import type { ServedSplit, Task } from "../host/task.ts";
import { quoted } from "../quoted.ts";

/** How many examples a trainer is told of where they are endless or were not counted. That many there are. */
export const uncounted = 100_000;

/** How many tasks one answer may hold. */
const mostListed = 10_000;

/** A split by its name. Throws a {@link ServeError} of code `unknown-split`. */
export function splitOf({ card }: EpisodeHost, name: string): ServedSplit {
  const found = card.splits.find((split) => split.name === name);
  if (found !== undefined) return found;
  const names = card.splits.map((split) => split.name).join(", ");
  throw new ServeError(
    "unknown-split",
    `${card.name} has no split ${quoted(name)}. It has: ${names}.`,
  );
}

/** Where a list of tasks begins and ends, as Python slices: from the end if negative, and never outside. */
export interface TaskRange {
  readonly start?: number | null | undefined;
  readonly stop?: number | null | undefined;
}

/** The tasks of a part of a split. */
export async function listTasks(
  host: EpisodeHost,
  { name, size }: ServedSplit,
  { start, stop }: TaskRange,
): Promise<readonly Task[]> {
  const count = size ?? uncounted;
  const place = (index: number): number =>
    Math.min(index < 0 ? Math.max(count + index, 0) : index, count);
  const [from, to] = [place(start ?? 0), place(stop ?? count)];
  if (to - from > mostListed)
    throw new ServeError(
      "unknown-task",
      `These are ${to - from} tasks; one answer holds ${mostListed}. Ask for ranges, or for one task by its index.`,
    );
  const tasks: Task[] = [];
  for (let index = from; index < to; index += 1)
    tasks.push(await host.task({ split: name, index }));
  return tasks;
}
