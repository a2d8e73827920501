import { ConfigError } from "@envs/core";
import * as z from "zod";

import type { Shape } from "../engine/shape.ts";

const size = z.int().min(1);

/** What sizes a tiny model may have: the kernels take eight numbers at a time. */
const shapeSchema: z.ZodType<Shape> = z
  .strictObject({
    vocabulary: size.max(65_536),
    width: size.max(4096).multipleOf(8),
    layers: size.max(64),
    heads: size.max(64),
    hidden: size.max(16_384).multipleOf(8),
    context: size.max(8192),
  })
  .refine(({ width, heads }) => width % heads === 0 && (width / heads) % 8 === 0, {
    path: ["heads"],
    error: "must cut the width into parts whose size is a multiple of 8",
  });

/** Refuses sizes that a tiny model cannot have. */
export function checkShape(shape: unknown): Shape {
  const { success, data, error } = shapeSchema.safeParse(shape);
  if (success) return data;
  throw new ConfigError(
    "A tiny model cannot have these sizes:",
    error.issues.map(({ path, message }) => ({ path: path.map(String), message })),
  );
}
