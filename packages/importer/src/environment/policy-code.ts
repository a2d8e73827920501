import { constantText } from "../python/strings.ts";
import type { Expression } from "../python/syntax.ts";
import { translate } from "../translate/expression.ts";
import type { Scope } from "../translate/scope.ts";
import { namesIn } from "../translate/walk.ts";
import { attempt } from "./attempt.ts";
import { bind, type Bindings } from "./callback.ts";
import type { PythonEnvironment } from "./find-environment.ts";
import { resolve } from "./resolve.ts";

/** The policy that knows the answer, for a single turn. */
export function policyCode(
  scope: Scope,
  bindings: Bindings,
  parser: Expression | undefined,
  { base, ownClass, load }: PythonEnvironment,
): string | undefined {
  if (base !== "SingleTurnEnv" || ownClass !== undefined) return undefined;
  const answer = "py.str(example.answer)";
  const call = parser === undefined ? undefined : resolve(load.body, parser);
  const name = call?.kind === "call" && call.callee.kind === "attribute" ? call.callee.name : "";
  const isBoxed =
    [...namesIn(call ?? [])].includes("extract_boxed_answer") ||
    (call !== undefined && JSON.stringify(call).includes("extract_boxed_answer"));
  const wantsTags = name === "XMLParser" && parser !== undefined;
  const field = wantsTags
    ? (constantText(
        call?.kind === "call"
          ? call.args.find((argument) => argument.name === "answer_field")?.value
          : undefined,
      ) ?? "answer")
    : "";
  const setup = wantsTags ? bind(bindings, namesIn(parser), "config") : "";
  const reply = wantsTags
    ? `${attempt(scope, parser, () => translate(scope, parser).code)}.format({ ${JSON.stringify(field)}: ${answer} })`
    : isBoxed || (name === "" && /Math/.test(base))
      ? `\`\\\\boxed{\${${answer}}}\``
      : answer;
  const body = setup === "" ? reply : `{\n${setup}\nreturn ${reply};\n}`;
  return `policies: {\n// TODO: check with envs check that this reply earns the full reward.\ngold: ({ example${setup === "" ? "" : ", config"} }) => ${body},\n},`;
}
