import type { Arena } from "./arena.ts";
import type { Kernels } from "./kernels.ts";
import type { RotationTables } from "./rope.ts";
import type { Shape } from "./shape.ts";
import type { Weights } from "./weights.ts";

/** What every part of a model shares. */
export interface ModelParts {
  readonly kernels: Kernels;
  readonly arena: Arena;
  readonly shape: Shape;
  readonly weights: Weights;
  readonly rotation: RotationTables;
}
