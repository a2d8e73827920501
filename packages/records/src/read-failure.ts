import type { Failure, RolloutErrorCode } from "@envs/core";
import { rolloutErrorCodes } from "@envs/core/engine";

import { fieldsOf, listOf, shownText, textOf } from "./json.ts";

/** Reads why a rollout failed: a text, or the object of this project or of verifiers. */
export function failureOf(error: unknown): Failure {
  const fields = typeof error === "string" ? { message: error } : fieldsOf(error);
  const name = textOf(fields["error"]) ?? textOf(fields["type"]);
  const message =
    textOf(fields["message"]) ?? name ?? "The rollout has neither a reward nor an error.";
  // Verifiers' errors of models state what happened only in their chain.
  const isNamed = message === name && fields["code"] === undefined;
  const causes = textOf(fields["error_chain_str"]) ?? textOf(fields["traceback"]);
  const { chain } = fields;
  return {
    code: rolloutErrorCodes.find((code) => code === fields["code"]) ?? codeOf(name ?? ""),
    message: (isNamed ? textOf(fields["error_chain_repr"]) : undefined) ?? message,
    chain: Array.isArray(chain) ? listOf(chain).map(shownText) : [causes ?? message],
    isFatal: fields["is_fatal"] === true,
  };
}

/** The code for the name of an error class of verifiers. */
function codeOf(name: string): RolloutErrorCode {
  if (/Model|Overlong|Response|Provider/u.test(name)) return "model";
  if (/Timeout/u.test(name)) return "timeout";
  if (/Harness/u.test(name)) return "agent";
  return name.startsWith("Tool") ? "tool" : "environment";
}
