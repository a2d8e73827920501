import type { Expression } from "../python/syntax.ts";
import { translate } from "../translate/expression.ts";
import { attributeName } from "../translate/identifier.ts";
import type { Scope } from "../translate/scope.ts";
import { attempt, none } from "./attempt.ts";
import { bind, type Bindings } from "./callback.ts";
import type { PythonEnvironment } from "./find-environment.ts";
import { type findTools, toolCode } from "./tools.ts";

/** The bases whose turns the translation knows. */
const knownBases = /^(?:SingleTurnEnv|MultiTurnEnv|ToolEnv|StatefulToolEnv|Environment)$/;

interface Interaction {
  readonly scope: Scope;
  readonly bindings: Bindings;
  readonly base: string;
  readonly ownClass: PythonEnvironment["ownClass"];
  readonly tools: ReturnType<typeof findTools>;
  readonly load: PythonEnvironment["load"];
  readonly needsState: boolean;
}

export function interaction({
  scope,
  bindings,
  base,
  ownClass,
  tools,
  load,
  needsState,
}: Interaction): readonly string[] {
  const lines: string[] = [];
  const methods = new Map(
    (ownClass?.body ?? []).flatMap((member) =>
      member.kind === "function" ? [[member.name, member] as const] : [],
    ),
  );
  const environment = (config: string) => bind(bindings, ["environment"], config);
  if (needsState) scope.use("newState");
  if (needsState)
    lines.push(
      methods.has("setup_state")
        ? `async setup({ config, example }) {\n${environment("config")}\nconst state: State = newState(example);\nreturn ((await environment.setupState(state)) ?? state) as State;\n},`
        : "setup: ({ example }): State => newState(example),",
    );
  if (typeof tools === "string") lines.push(`tools: () => ${scope.todo(load, tools)},`);
  else if (tools.length > 0) {
    const codes = tools.map((tool) => {
      const used = tool.isMethod ? ["environment"] : [tool.name];
      const callee = tool.isMethod
        ? `environment.${attributeName(tool.name)}`
        : attempt(
            scope,
            none,
            () =>
              translate(scope, {
                kind: "name",
                name: tool.name,
                from: tool.statement.from,
                to: tool.statement.to,
              }).code,
          );
      const isHidden = tool.hidden.size > 0;
      return toolCode(scope, tool, (args) => {
        const setup = bind(bindings, isHidden ? [...used, "environment"] : used, "context.config");
        const update = isHidden
          ? `const hidden: any = await environment.updateToolArgs(${JSON.stringify(tool.name)}, { ...input }, context.messages, context.state);\n`
          : "";
        if (setup === "" && update === "") return `(input: any) => ${callee}(${args})`;
        return `async (input: any, context) => {\n${setup}\n${update}return await ${callee}(${args});\n}`;
      });
    });
    lines.push(`tools: {\n${codes.join("\n")}\n},`);
  }
  const stops = [...methods.values()].filter(
    ({ name, decorators }) =>
      name === "is_completed" ||
      decorators.some((decorator) => decoratorName(decorator).endsWith("stop")),
  );
  const checks = stops.map((method) => {
    const takes = method.parameters.slice(1).filter(({ star }) => star === "");
    const args = takes
      .map(({ name }) => (name === "messages" ? "context.messages" : "stateOf(context)"))
      .join(", ");
    return {
      name: method.name,
      code: `py.truthy(await environment.${attributeName(method.name)}(${args}))`,
    };
  });
  if (checks.length > 0) scope.use("stateOf");
  const respond = methods.get("env_response");
  if (respond !== undefined) {
    for (const helper of ["response", "stateOf", "end"]) scope.use(helper);
    const before = checks.map(
      ({ code }) => `if (${code.replaceAll("stateOf(context)", "state")}) return end();`,
    );
    lines.push(
      `async respond(context): Promise<any> {\n${environment("context.config")}\nconst state = stateOf(context);\n${before.join("\n")}\nreturn response(await environment.envResponse(context.messages, state), state);\n},`,
    );
  } else if (!knownBases.test(base)) {
    lines.push(`respond: () => ${scope.todo(load, `${base} of verifiers has its own turns`)},`);
  }
  if (checks.length > 0)
    lines.push(
      `stop: {\n${checks.map(({ name, code }) => `${JSON.stringify(name)}: async (context) => {\n${environment("context.config")}\nreturn ${code};\n},`).join("\n")}\n},`,
    );
  return lines;
}

function decoratorName(expression: Expression): string {
  if (expression.kind === "call") return decoratorName(expression.callee);
  return expression.kind === "attribute" || expression.kind === "name" ? expression.name : "";
}
