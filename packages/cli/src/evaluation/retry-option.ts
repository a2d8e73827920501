import type { RetryOptions, RolloutErrorCode } from "@envs/core";
import { retryableCodes } from "@envs/core/engine";

import { integerOption } from "../terminal/arguments.ts";
import { UsageError } from "../terminal/errors.ts";

/** Parses the codes of `--retry`, and the number of further attempts: `model,timeout:3`. */
export function retryOption(text: string | undefined): RetryOptions | undefined {
  if (text === undefined) return undefined;
  const [list = "", count, ...rest] = text.split(":");
  const names = list.split(",").map((name) => name.trim());
  const codes = names.filter(isCode);
  const unknown = names.find((name) => !isCode(name));
  if (unknown !== undefined || rest.length > 0)
    throw new UsageError(
      `--retry is ${JSON.stringify(text)}: ${JSON.stringify(unknown ?? rest.join(":"))} is not an error code that can be retried. Choose from ${retryableCodes.join(", ")}, and add a number of attempts if 2 more are not right: model,timeout:3`,
    );
  return { codes, times: integerOption("retry", count) };
}

function isCode(name: string): name is RolloutErrorCode {
  return retryableCodes.some((code) => code === name);
}
