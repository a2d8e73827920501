import { paint } from "./text.ts";

/** Prints the result of a command on stdout: one line of JSON with `--json`, else the text. */
export function printResult(isJson: boolean | undefined, json: object, text: string): void {
  process.stdout.write(isJson === true ? `${JSON.stringify(json)}\n` : `${text}\n`);
}

/** A line with a check mark. */
export function success(text: string): string {
  return `${paint("green", "✓")} ${text}`;
}
