import type { Block, Expression, Statement } from "../python/syntax.ts";
import { targetNames, walk } from "../translate/walk.ts";

/** The statements that bind or change names, and all that those need. */
export function slice(body: Block, wanted: Iterable<string>): Block {
  const needed = new Set(wanted);
  const chosen = new Set<Statement>();
  for (let grew = true; grew;) {
    grew = false;
    for (const statement of body) {
      if (chosen.has(statement) || !concerns(statement, needed)) continue;
      chosen.add(statement);
      walk(statement, (node) => {
        if (node.kind === "name") needed.add(node.name);
      });
      grew = true;
    }
  }
  return body.filter((statement) => chosen.has(statement));
}

/** Whether a statement binds a name or changes its value. Checks that only raise are left out. */
function concerns(statement: Statement, names: ReadonlySet<string>): boolean {
  if (["return", "raise", "assert", "import", "pass", "global"].includes(statement.kind))
    return false;
  if (statement.kind === "function" || statement.kind === "class") return names.has(statement.name);
  let isConcerned = false;
  walk(statement, (node) => {
    if (node.kind === "function" || node.kind === "class")
      return !names.has(node.name) || ((isConcerned = true), false);
    const targets =
      node.kind === "assign"
        ? node.targets
        : node.kind === "augmented" || node.kind === "for"
          ? [node.target]
          : [];
    for (const target of targets) {
      const roots = [...targetNames(target), rootName(target)];
      if (roots.some((name) => name !== undefined && names.has(name))) isConcerned = true;
    }
    if (node.kind === "with" && node.names.some((name) => names.has(name))) isConcerned = true;
    if (
      node.kind === "expression" &&
      node.value.kind === "call" &&
      node.value.callee.kind === "attribute"
    ) {
      const root = rootName(node.value.callee.object);
      if (
        root !== undefined &&
        names.has(root) &&
        /^(?:append|extend|insert|update|add|remove|pop|sort|setdefault|shuffle|reverse)$/.test(
          node.value.callee.name,
        )
      )
        isConcerned = true;
      if (
        node.value.callee.name === "shuffle" &&
        node.value.args.some(({ value }) => value.kind === "name" && names.has(value.name))
      )
        isConcerned = true;
    }
    return true;
  });
  return isConcerned;
}

function rootName(expression: Expression): string | undefined {
  if (expression.kind === "name") return expression.name;
  return expression.kind === "attribute" || expression.kind === "subscript"
    ? rootName(expression.object)
    : undefined;
}
