import type {
  Block,
  ClassStatement,
  Expression,
  FunctionStatement,
  Parameter,
  Statement,
} from "../python/syntax.ts";
import { translate } from "../translate/expression.ts";
import { type File, type Scope, Untranslatable } from "../translate/scope.ts";
import { walk } from "../translate/walk.ts";
import { resolve } from "./resolve.ts";
import { docstring, parameterSchema, parameterText, summaryOf } from "./schema.ts";
import { functionOf } from "./scoring-body.ts";

/** A tool of the original. */
export interface PythonTool {
  readonly name: string;
  readonly statement: FunctionStatement;
  /** The code of the function, such as `search` or `environment.search`. */
  readonly isMethod: boolean;
  /** Parameters that `update_tool_args` sets. */
  readonly hidden: ReadonlySet<string>;
}

/** The tools of `tools=[…]` and of `self.add_tool(…)`. */
export function findTools(
  file: File,
  body: Block,
  tools: Expression | undefined,
  ownClass: ClassStatement | undefined,
): readonly PythonTool[] | string {
  const found: PythonTool[] = [];
  const list = tools === undefined ? undefined : resolve(body, tools);
  if (list?.kind === "list")
    for (const item of list.items) {
      const statement =
        item.kind === "name" ? functionOf({ file, body }, item.name) : methodOf(ownClass, item);
      if (statement === undefined) return "a tool of the list is not a function of the package";
      found.push({
        name: statement.name,
        statement,
        isMethod: item.kind !== "name",
        hidden: new Set(),
      });
    }
  else if (list !== undefined && !(list.kind === "constant" && list.value === null))
    return "the tools are not a list";
  walk(ownClass?.body, (node) => {
    if (node.kind !== "call" || node.callee.kind !== "attribute" || node.callee.name !== "add_tool")
      return;
    const value = node.args[0]?.value;
    const skipped = node.args.find(({ name }) => name === "args_to_skip")?.value;
    const hidden = new Set(
      skipped?.kind === "list"
        ? skipped.items.flatMap((item) =>
            item.kind === "string" ? item.parts.filter((part) => typeof part === "string") : [],
          )
        : [],
    );
    const method = value === undefined ? undefined : methodOf(ownClass, value);
    const statement =
      method ?? (value?.kind === "name" ? functionOf({ file, body }, value.name) : undefined);
    if (statement !== undefined)
      found.push({ name: statement.name, statement, isMethod: method !== undefined, hidden });
  });
  return found;
}

function methodOf(
  ownClass: ClassStatement | undefined,
  value: Expression,
): FunctionStatement | undefined {
  if (value.kind !== "attribute") return undefined;
  const member = ownClass?.body.find(
    (own): own is Statement & FunctionStatement =>
      own.kind === "function" && own.name === value.name,
  );
  return member === undefined ? undefined : { ...member, parameters: member.parameters.slice(1) };
}

/** The code of a tool. `call` makes the call of its function from the code of its arguments. */
export function toolCode(
  scope: Scope,
  { name, statement, hidden }: PythonTool,
  call: (args: string) => string,
): string {
  const text = docstring(statement);
  const parameters = statement.parameters.filter(({ star }) => star === "");
  const visible = parameters.filter(({ name: own }) => !hidden.has(own));
  const fields = visible.map(
    (parameter) => `${JSON.stringify(parameter.name)}: ${fieldSchema(scope, parameter, text)}`,
  );
  const args = parameters.map(({ name: own }) => `input[${JSON.stringify(own)}]`).join(", ");
  const source = hidden.size > 0 ? "hidden" : "input";
  return [
    `${JSON.stringify(name)}: {`,
    `description: ${JSON.stringify(summaryOf(text) || name)},`,
    `input: z.object({ ${fields.join(", ")} }),`,
    `execute: ${call(args.replaceAll("input[", `${source}[`))},`,
    "},",
  ].join("\n");
}

/** The schema of a parameter with its default and its description. */
export function fieldSchema(scope: Scope, parameter: Parameter, text: string): string {
  const description = parameterText(text, parameter.name);
  const described = description === "" ? "" : `.describe(${JSON.stringify(description)})`;
  return `${parameterSchema(parameter)}${defaultOf(scope, parameter)}${described}`;
}

function defaultOf(scope: Scope, { value }: Parameter): string {
  if (value === undefined) return "";
  try {
    return `.default(${translate(scope, value).code} as any)`.replace(
      /\((-?[\d.]+|"[^"]*"|true|false|null) as any\)$/,
      "($1)",
    );
  } catch (error) {
    if (!(error instanceof Untranslatable)) throw error;
    return ".optional()";
  }
}
