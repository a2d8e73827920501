import { parseSync, Visitor } from "rolldown/utils";

/** The modules that the code of a bundle imports or requires, which it does not contain. */
export function externalImports(code: string): ReadonlySet<string> {
  const specifiers = new Set<string>();
  const add = (source: { readonly type: string; readonly value?: unknown } | undefined): void => {
    if (source?.type === "Literal" && typeof source.value === "string")
      specifiers.add(source.value);
  };
  const visitor = new Visitor({
    ImportDeclaration: ({ source }) => add(source),
    ImportExpression: ({ source }) => add(source),
    CallExpression({ callee, arguments: [argument] }) {
      if (callee.type === "Identifier" && /^(?:__)?require$/.test(callee.name)) add(argument);
    },
  });
  visitor.visit(parseSync("bundle.js", code).program);
  return specifiers;
}
