import { ServeError } from "../errors.ts";
import type { EpisodeHost } from "../host/episode-host.ts";
import { assumedSplitSize, type ServedSplit, type Task } from "../host/tasks.ts";

/** The maximum number of tasks in one response. */
const maxTasks = 10_000;

/** A range of tasks as a Python slice: negative indices count from the end, and indices outside are clamped. */
export interface TaskRange {
  readonly start?: number | null | undefined;
  readonly stop?: number | null | undefined;
}

/** The tasks of a range of a split. */
export async function listTasks(
  host: EpisodeHost,
  { name, size }: ServedSplit,
  { start, stop }: TaskRange,
): Promise<readonly Task[]> {
  const count = size ?? assumedSplitSize;
  const clamp = (index: number): number =>
    Math.min(index < 0 ? Math.max(count + index, 0) : index, count);
  const [from, to] = [clamp(start ?? 0), clamp(stop ?? count)];
  if (to - from > maxTasks)
    throw new ServeError(
      "unknown-task",
      `The range has ${to - from} tasks. One response contains at most ${maxTasks}: request smaller ranges, or one task by its index.`,
    );
  const tasks: Task[] = [];
  for (let index = from; index < to; index += 1)
    tasks.push(await host.task({ split: name, index }));
  return tasks;
}
