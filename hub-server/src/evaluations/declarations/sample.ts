import { dataset, random } from "@envs/core";
import type { RunDeclaration } from "@envs/hub-client";

/** The number of examples that a declared run has. */
export function sizeOf({ examples, size }: Pick<RunDeclaration, "examples" | "size">): number {
  return Math.min(examples ?? Infinity, size ?? Infinity);
}

const maxPositions = 200_000;

/** The positions that a selection such as `3,10-20` lists, in order; undefined for keys and filters, which only the environment knows. */
export function selectedPositions(select: unknown): readonly number[] | undefined {
  if (typeof select !== "string") return undefined;
  const positions = new Set<number>();
  for (const term of select.split(",")) {
    const [, first, last = first] = /^\s*(\d{1,9})(?:\s*-\s*(\d{1,9}))?\s*$/.exec(term) ?? [];
    if (first === undefined || positions.size + Number(last) - Number(first) >= maxPositions)
      return undefined;
    for (let index = Number(first); index <= Number(last); index += 1) positions.add(index);
  }
  return [...positions].toSorted((a, b) => a - b);
}

/** Whether only the environment knows which examples a selection has. */
export function needsDataset(select: unknown): boolean {
  return select !== undefined && selectedPositions(select) === undefined;
}

/** The positions of the examples that a seed chooses, as `envs eval --shuffle` plays them. Default: from the whole dataset. */
export async function chosenPositions(
  declaration: Pick<RunDeclaration, "examples" | "size">,
  seed: number,
  all: Iterable<number> | AsyncIterable<number> = range(declaration.size ?? Infinity),
): Promise<ReadonlySet<number>> {
  const positions = new Set<number>();
  const shuffled = dataset.shuffle(all, random(seed, "shuffle"));
  for await (const position of dataset.take(shuffled, sizeOf(declaration))) positions.add(position);
  return positions;
}

function* range(size: number): Generator<number> {
  for (let position = 0; position < size; position += 1) yield position;
}
