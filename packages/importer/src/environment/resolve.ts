import type {
  Argument,
  Block,
  ClassStatement,
  Expression,
  FunctionStatement,
  Statement,
} from "../python/syntax.ts";
import { meaningOf, pathOf, verifiersName } from "../translate/path.ts";
import { type File, Scope } from "../translate/scope.ts";
import { walk } from "../translate/walk.ts";

/** The value that a name was last given in a body. */
export function resolve(body: Block, value: Expression): Expression {
  if (value.kind !== "name") return value;
  let last: Expression | undefined;
  walk(body, (node) => {
    if (node.kind === "function" || node.kind === "class") return false;
    if (
      node.kind === "assign" &&
      node.value !== undefined &&
      node.targets.some((target) => target.kind === "name" && target.name === value.name)
    )
      last = node.value;
    return true;
  });
  return last === undefined || last === value || (last.kind === "name" && last.name === value.name)
    ? value
    : resolve(body, last);
}

/** The class that an expression names: of verifiers, or of the package with its base of verifiers. */
export function classOf(
  file: File,
  body: Block,
  callee: Expression,
  depth = 0,
): { readonly base: string; readonly ownClass: ClassStatement | undefined } | undefined {
  const scope = new Scope(file, undefined, "");
  const own = verifiersName(pathOf(scope, callee));
  if (own !== undefined) return { base: own, ownClass: undefined };
  if (callee.kind !== "name" || depth > 8) return undefined;
  const local = body.find(
    (statement): statement is Statement & ClassStatement =>
      statement.kind === "class" && statement.name === callee.name,
  );
  const defined = meaningOf(file, callee.name);
  const target = defined?.meaning;
  const statement = local ?? (target?.kind === "class" ? target.statement : undefined);
  const home = local === undefined ? (defined?.file ?? file) : file;
  for (const { value } of statement?.bases ?? []) {
    const found = classOf(home, body, value, depth + 1);
    if (found !== undefined) return { base: found.base, ownClass: statement };
  }
  return undefined;
}

/** The arguments of `super().__init__` in a function. */
export function superArguments(init: FunctionStatement): readonly Argument[] {
  let args: readonly Argument[] = [];
  walk(init.body, (node) => {
    if (node.kind !== "call" || node.callee.kind !== "attribute" || node.callee.name !== "__init__")
      return;
    args = node.args;
  });
  return args;
}
