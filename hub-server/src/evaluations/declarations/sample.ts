import { dataset, random } from "@envs/core";
import type { RunDeclaration } from "@envs/hub-client";

/** The number of examples that a declared run has. */
export function sizeOf({ examples, size }: Pick<RunDeclaration, "examples" | "size">): number {
  return Math.min(examples ?? Infinity, size ?? Infinity);
}

/** The positions of the examples that a seed chooses, as `envs eval --shuffle` plays them. */
export async function chosenPositions(
  declaration: Pick<RunDeclaration, "examples" | "size">,
  seed: number,
): Promise<ReadonlySet<number>> {
  const positions = new Set<number>();
  const all = range(declaration.size ?? Infinity);
  const shuffled = dataset.shuffle(all, random(seed, "shuffle"));
  for await (const position of dataset.take(shuffled, sizeOf(declaration))) positions.add(position);
  return positions;
}

function* range(size: number): Generator<number> {
  for (let position = 0; position < size; position += 1) yield position;
}
