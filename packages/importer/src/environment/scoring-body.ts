import type { Block, FunctionStatement } from "../python/syntax.ts";
import { meaningOf } from "../translate/path.ts";
import type { File } from "../translate/scope.ts";
import { walk } from "../translate/walk.ts";

/** The statements in which a rubric and its functions are defined, and their module. */
export interface ScoringBody {
  readonly file: File;
  readonly body: Block;
}

/** A function of the body, at any depth, or of a module. */
export function functionOf(
  { file, body }: ScoringBody,
  name: string,
): FunctionStatement | undefined {
  let local: FunctionStatement | undefined;
  walk(body, (node) => {
    if (node.kind === "function" && node.name === name) local = node;
    return node.kind !== "function" && node.kind !== "class";
  });
  if (local !== undefined) return local;
  const target = meaningOf(file, name)?.meaning;
  return target?.kind === "function" ? target.statement : undefined;
}
