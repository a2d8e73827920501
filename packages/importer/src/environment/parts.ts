import type { Block, Parameter, Statement } from "../python/syntax.ts";
import { identifier } from "../translate/identifier.ts";
import { parameterType } from "../translate/parameter-type.ts";
import { type File, Scope } from "../translate/scope.ts";
import { translateBody } from "../translate/statement.ts";
import { boundNames, namesIn } from "../translate/walk.ts";
import { slice } from "./slice.ts";

/** What definitions, which the engine calls one by one, share of `load_environment`. */
export interface Parts {
  /** Names that depend on the config, which `parts(config)` has. */
  readonly configured: ReadonlySet<string>;
  readonly scope: Scope;
  /** Whether `parts(config)` is a promise, because it reads a dataset. */
  readonly isAsync: boolean;
  /** The code that precedes the definition. */
  readonly code: string;
}

/** The body of `load_environment` with its parameters. */
export interface LoadedBody {
  readonly file: File;
  readonly body: Block;
  readonly parameters: ReadonlyMap<string, Parameter>;
  /** The name of `**kwargs`, which a definition does not have. */
  readonly rest: string | undefined;
}

/** Translates the statements that `wanted` names need: those without the config once, the others once for each config. */
export function translateParts(
  { file, body, parameters, rest }: LoadedBody,
  wanted: ReadonlySet<string>,
): Parts {
  const statements = slice(
    body,
    [...wanted].filter((name) => !parameters.has(name) || isRebound(body, name)),
  );
  const tainted = new Set(parameters.keys());
  if (rest !== undefined) tainted.add(rest);
  const configured: Statement[] = [];
  for (let grew = true; grew;) {
    grew = false;
    for (const statement of statements) {
      if (configured.includes(statement)) continue;
      if (![...namesIn(statement), ...boundNames([statement])].some((name) => tainted.has(name)))
        continue;
      configured.push(statement);
      for (const name of boundNames([statement])) tainted.add(name);
      grew = true;
    }
  }
  let free = statements.filter((statement) => !configured.includes(statement));
  let scope = new Scope(file, undefined, "load_environment");
  let shared = free.length === 0 ? "" : translateBody(scope, free, wanted);
  // A module cannot wait for a dataset while it is loaded.
  if (scope.usesAwait) {
    [free, shared] = [[], ""];
    scope = new Scope(file, undefined, "load_environment");
  }
  const own = statements.filter((statement) => !free.includes(statement));
  const names = new Set([...boundNames(own)].filter((name) => wanted.has(name)));
  if (own.length === 0) return { configured: names, scope, code: shared, isAsync: false };
  const used = [...parameters.keys()].filter((name) =>
    own.some((statement) => namesIn(statement).has(name)),
  );
  const inner = new Scope(file, scope, "load_environment");
  for (const name of used)
    inner.types.set(name, isRebound(body, name) ? "any" : parameterType(parameters.get(name)!));
  for (const name of used) inner.declared.add(name);
  if (rest !== undefined) inner.types.set(rest, "dict");
  const code = translateBody(inner, own, names);
  for (const name of names) scope.types.set(name, inner.typeOf(name) ?? "any");
  for (const [name, statement] of inner.functions) scope.functions.set(name, statement);
  for (const [name, statement] of inner.classes) scope.classes.set(name, statement);
  const lines = [
    shared,
    "",
    "/** What depends on the config. */",
    `const parts = ${scope.use("once")}(${inner.usesAwait ? "async " : ""}(config: any) => {`,
    ...(used.length === 0
      ? []
      : [
          `${used.some((name) => isRebound(own, name)) ? "let" : "const"} { ${used.map(identifier).join(", ")} } = config;`,
        ]),
    ...(rest !== undefined && namesIn(own).has(rest)
      ? [`const ${identifier(rest)}: any = {};`]
      : []),
    code,
    `return { ${[...names].map(identifier).join(", ")} };`,
    "});",
  ];
  return { configured: names, scope, code: lines.join("\n"), isAsync: inner.usesAwait };
}

function isRebound(body: Block, name: string): boolean {
  return boundNames(body).has(name);
}
