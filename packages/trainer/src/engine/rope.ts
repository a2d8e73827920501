import type { Arena } from "./arena.ts";

/** Where the cosines and sines of every position lie: `half` numbers a position. */
export interface RotationTables {
  readonly cosines: number;
  readonly sines: number;
}

const base = 10_000;

/** Angles of rotary position embeddings (RoPE, Su et al. 2021). */
export function rotationTables(arena: Arena, context: number, half: number): RotationTables {
  const tables = { cosines: arena.allocate(context * half), sines: arena.allocate(context * half) };
  const cosines = arena.floats(tables.cosines, context * half);
  const sines = arena.floats(tables.sines, context * half);
  for (let position = 0; position < context; position += 1)
    for (let pair = 0; pair < half; pair += 1) {
      const angle = position / base ** (pair / half);
      cosines[position * half + pair] = Math.cos(angle);
      sines[position * half + pair] = Math.sin(angle);
    }
  return tables;
}
