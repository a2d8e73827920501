import { homedir, hostname } from "node:os";
import { resolve } from "node:path";

import { expect } from "vitest";

const root = resolve(import.meta.dirname, "../../../..");
const forbidden = [
  "s3cret",
  "/etc/",
  "node_modules",
  "file://",
  ".ts:",
  "    at ",
  root,
  process.execPath,
];
const machineNames = [homedir(), hostname(), process.env["PATH"] ?? ""].filter(
  ({ length }) => length > 4,
);

/** Expects a response without paths and names of this machine, and without messages of an environment's errors. */
export function expectNoLeak(response: string): void {
  for (const word of [...forbidden, ...machineNames]) expect(response).not.toContain(word);
}
