import type { Summary } from "@envs/core";

import { clean, paint } from "../terminal/text.ts";
import { pathArgument } from "../text/run-path.ts";

const maxLength = 300;

/** Formats the most frequent reasons of failed rollouts, and the commands that show such rollouts. Empty without failures. */
export function failureText({ failureReasons }: Summary, path: string): string {
  const [first] = failureReasons;
  if (first === undefined) return "";
  const reasons = failureReasons.map(
    ({ code, message, count, exampleIndex, rolloutIndex }) =>
      `  ${paint("red", `${count} × ${code}`)}  ${oneLine(message)} ${paint("dim", `(example ${exampleIndex}, rollout ${rolloutIndex})`)}`,
  );
  const view = `envs view ${pathArgument(path)}`;
  const where = `--where 'example == ${first.exampleIndex} && rollout == ${first.rolloutIndex}'`;
  return [
    paint("bold", "failures"),
    ...reasons,
    `${paint("dim", "one".padEnd(9))} ${view} ${where}`,
    `${paint("dim", "all".padEnd(9))} ${view} --failed`,
  ].join("\n");
}

function oneLine(message: string): string {
  const text = clean(message).replaceAll(/\s+/g, " ").trim();
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}
