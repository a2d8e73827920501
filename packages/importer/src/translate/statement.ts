import { constantText } from "../python/strings.ts";
import type { Block, Expression, Statement } from "../python/syntax.ts";
import { declare, declareMissing, translateAssignment, translateAugmented } from "./assignment.ts";
import { firstBinding, isBoundInOneBlock } from "./bindings.ts";
import { translateClass } from "./class.ts";
import { targetPattern } from "./comprehension.ts";
import { asList, condition, translate } from "./expression.ts";
import { translateFunction } from "./function.ts";
import { identifier } from "./identifier.ts";
import { isBuiltin } from "./names.ts";
import { pathOf } from "./path.ts";
import { type Scope, type Type, Untranslatable } from "./scope.ts";
import { translateTry } from "./try.ts";
import { boundNames, targetNames } from "./walk.ts";

/** Translates the body of a function. */
export function translateBody(
  scope: Scope,
  body: Block,
  /** Names that code after the body uses. */
  kept: ReadonlySet<string> = new Set(),
): string {
  for (const statement of body) {
    if (statement.kind === "function") scope.functions.set(statement.name, statement);
    if (statement.kind === "class") scope.classes.set(statement.name, statement);
  }
  const names = [...boundNames(body)].filter(
    (name) => !scope.declared.has(name) && !scope.functions.has(name) && !scope.classes.has(name),
  );
  const hoisted = names.filter(
    (name) =>
      !isBoundInOneBlock(body, name) || (kept.has(name) && firstBinding(body, name)?.[0] !== body),
  );
  const bound = new Map<string, Type>(names.map((name) => [name, "any"]));
  for (const [name, type] of bound) scope.types.set(name, type);
  for (const name of hoisted) scope.declared.add(name);
  const code = translateBlock(scope, body);
  const declarations = hoisted.map((name) => `let ${identifier(name)}: any;`);
  return [...declarations, code].join("\n");
}

/** Translates statements. One that cannot be translated becomes a TODO with its original lines. */
export function translateBlock(scope: Scope, block: Block): string {
  return block
    .map((statement, at) => {
      if (at === 0 && isDocstring(statement)) return "";
      return translateOrTodo(scope, statement);
    })
    .filter((code) => code !== "")
    .join("\n");
}

export function isDocstring(statement: Statement): boolean {
  return statement.kind === "expression" && statement.value.kind === "string";
}

function translateOrTodo(scope: Scope, statement: Statement): string {
  const before = scope.usesAwait;
  const todos = scope.file.todos.length;
  try {
    return translateStatement(scope, statement);
  } catch (error) {
    if (!(error instanceof Untranslatable)) throw error;
    scope.usesAwait = before;
    scope.file.todos.splice(todos);
    return todoStatement(scope, statement, error.message);
  }
}

function todoStatement(scope: Scope, statement: Statement, reason: string): string {
  const comment = scope.comment(statement);
  const call = scope.todo(statement, reason);
  if (statement.kind === "return") return `${comment}\nreturn ${call};`;
  const [target] = statement.kind === "assign" ? statement.targets : [];
  if (target !== undefined && targetNames(target).length > 0)
    return `${comment}\n${declare(scope, target, { code: call, type: "any" })}`;
  // A name that a block binds is declared even if the block is a TODO.
  const missing = [...boundNames(statement)].filter((name) => !scope.declared.has(name));
  for (const name of missing) scope.declared.add(name);
  const declarations = missing.map((name) => `let ${identifier(name)}: any;`);
  return [...declarations, `${comment}\n${call};`].join("\n");
}

/** Python's logging does not change a result. */
function isLogging(scope: Scope, value: Expression): boolean {
  if (value.kind !== "call") return false;
  const { callee } = value;
  if (callee.kind === "name")
    return callee.name === "print" && scope.file.names.get("print") === undefined;
  if (callee.kind !== "attribute") return false;
  const path = pathOf(scope, callee);
  if (path !== undefined)
    return /^(?:logging|loguru|warnings|tqdm|gc|dotenv|load_dotenv)\b/.test(path);
  return (
    /^(?:debug|info|warning|error|exception|critical)$/.test(callee.name) &&
    /log/i.test(nameOf(callee.object))
  );
}

function nameOf(expression: Expression): string {
  if (expression.kind === "attribute") return expression.name;
  return expression.kind === "name" ? expression.name : "";
}

function translateStatement(scope: Scope, statement: Statement): string {
  switch (statement.kind) {
    case "expression": {
      if (
        isLogging(scope, statement.value) ||
        statement.value.kind === "constant" ||
        isDocstring(statement)
      )
        return "";
      if (statement.value.kind === "unsupported" && /Ellipsis/.test(statement.value.reason))
        return "";
      const { code } = translate(scope, statement.value);
      return `${code.startsWith("{") ? `(${code})` : code};`;
    }
    case "assign":
      return translateAssignment(scope, statement);
    case "augmented":
      return translateAugmented(scope, statement);
    case "return": {
      const value = statement.value === undefined ? undefined : translate(scope, statement.value);
      noteReturn(scope, value?.type ?? "none");
      return value === undefined ? "return null as any;" : `return ${value.code};`;
    }
    case "if": {
      const branches = statement.branches.map(
        ({ test, body }) => `if (${condition(scope, test)}) {\n${translateBlock(scope, body)}\n}`,
      );
      const otherwise =
        statement.otherwise === undefined
          ? ""
          : ` else {\n${translateBlock(scope, statement.otherwise)}\n}`;
      return `${branches.join(" else ")}${otherwise}`;
    }
    case "for":
      return translateFor(scope, statement);
    case "while":
      if (statement.otherwise !== undefined) throw new Untranslatable("else of a loop", statement);
      return `while (${condition(scope, statement.test)}) {\n${translateBlock(scope, statement.body)}\n}`;
    case "try":
      return translateTry(scope, statement);
    case "raise":
      return translateRaise(scope, statement.value);
    case "assert": {
      const message =
        statement.message === undefined
          ? '"assertion failed"'
          : `py.str(${translate(scope, statement.message).code})`;
      return `if (!${condition(scope, statement.test)}) throw new Error(${message});`;
    }
    case "delete":
      if (statement.target.kind !== "subscript") throw new Untranslatable("del", statement);
      return `delete ${translate(scope, statement.target.object).code}[${translate(scope, statement.target.index).code}];`;
    case "function":
      return translateFunction(scope, statement, "local");
    case "class":
      return translateClass(scope, statement, false);
    case "break":
    case "continue":
      return `${statement.kind};`;
    case "pass":
    case "import":
      return "";
    case "global":
      throw new Untranslatable("global or nonlocal", statement);
    case "with":
      return translateOpen(scope, statement);
    default:
      throw new Untranslatable(statement.reason, statement);
  }
}

/** Translates `with open(path) as file` for reading. A file is read at once, so nothing is closed. */
function translateOpen(scope: Scope, statement: Statement & { kind: "with" }): string {
  const { value, names, body } = statement;
  const [name] = names;
  if (
    value?.kind !== "call" ||
    name === undefined ||
    value.callee.kind !== "name" ||
    value.callee.name !== "open" ||
    !isBuiltin(scope, "open")
  )
    throw new Untranslatable("with", statement);
  const [path, second] = value.args.filter((argument) => argument.name === undefined);
  const mode = second ?? value.args.find((argument) => argument.name === "mode");
  if (
    path === undefined ||
    !/^rt?$/.test(mode === undefined ? "r" : (constantText(mode.value) ?? ""))
  )
    throw new Untranslatable("open for writing, or of bytes", statement);
  const file = `new ${scope.use("TextFile")}(${translate(scope, path.value).code})`;
  const target: Expression = { kind: "name", name, from: statement.from, to: statement.from };
  const opened = declare(scope, target, { code: file, type: "any" });
  return `${opened}\n${translateBlock(scope, body)}`;
}

function noteReturn(scope: Scope, type: Type | "none"): void {
  scope.returns = scope.returns === undefined || scope.returns === type ? type : "any";
}

function translateRaise(scope: Scope, value: Expression | undefined): string {
  if (value === undefined) return "throw error;";
  if (value.kind === "name") {
    if (scope.typeOf(value.name) !== undefined) return `throw ${identifier(value.name)};`;
    return `throw new Error(${JSON.stringify(value.name)});`;
  }
  const first = value.kind === "call" ? value.args[0]?.value : undefined;
  if (value.kind !== "call") throw new Untranslatable("raise", value);
  if (first === undefined) return `throw new Error(${JSON.stringify(nameOf(value.callee))});`;
  const message = translate(scope, first);
  return `throw new Error(${message.type === "string" ? message.code : `py.str(${message.code})`});`;
}

function translateFor(scope: Scope, statement: Statement & { kind: "for" }): string {
  const { target, iterable, body, otherwise, isAsync } = statement;
  if (otherwise !== undefined) throw new Untranslatable("else of a loop", statement);
  const value = translate(scope, iterable);
  const names = targetNames(target);
  const isNew = names.every((name) => !scope.declared.has(name));
  const waits = value.type === "dataset" || isAsync;
  if (waits) scope.usesAwait = true;
  const values =
    waits || value.type === "array" || value.type === "set" ? value.code : asList(scope, iterable);
  for (const name of names) scope.types.set(name, "any");
  if (isNew) for (const name of names) scope.declared.add(name);
  const pattern = targetPattern(target);
  const inner = translateBlock(scope, body);
  // Loops that follow may use the same names.
  if (isNew) for (const name of names) scope.declared.delete(name);
  const missing = isNew ? "" : `${declareMissing(scope, names)}\n`;
  const binding = isNew ? `${names.length > 0 ? "let" : "const"} ${pattern}` : pattern;
  return `${missing}for ${waits ? "await " : ""}(${binding} of ${values}) {\n${inner}\n}`;
}
