import type { HubErrorCode } from "@envs/hub-client/error-reference";

import { quoted, refusal } from "../../platform/errors/refusal.ts";
import { isReservedName } from "../../platform/names/reserved-name.ts";
import type { PackageLimits } from "./limits.ts";

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * The path of an entry from the package's root, with slashes; of the root itself it is empty. Every stock client packs
 * into the folder `package`, and strips whatever the first part is called: another name is a tarball of another kind.
 */
export function packagePath(
  raw: Buffer,
  isFolder: boolean,
  limits: Pick<PackageLimits, "path">,
): string {
  const text = decoded(raw);
  const whole = isFolder && text.endsWith("/") ? text.slice(0, -1) : text;
  const refuse = (code: HubErrorCode, why: string): never => {
    throw refusal(code, `The path ${quoted(whole)} ${why}`);
  };
  if (/[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}]/u.test(whole))
    refuse("path-control-character", "has a control or an invisible character. Rename the file.");
  if (whole.includes("\\"))
    refuse("path-backslash", "has a backslash, a separator on Windows only. Rename the file.");
  if (/^\/|^[a-z]:/i.test(whole))
    refuse("path-absolute", "begins at the root of a file system. Pack with npm pack.");
  const [first, ...parts] = whole.split("/");
  if ([first, ...parts].some((part) => part === "" || part === "." || part === ".."))
    refuse("path-not-normal", "has an empty part, or the part . or .. in it. Pack with npm pack.");
  if (first !== "package" || (parts.length === 0 && !isFolder))
    refuse("path-outside-package", "does not begin with package/. Pack with npm pack.");
  const path = parts.join("/");
  if (Buffer.byteLength(path) > limits.path)
    refuse("path-too-long", `is longer than ${limits.path} bytes. Shorten it.`);
  for (const part of parts) checkPart(part, refuse);
  return path;
}

function checkPart(part: string, refuse: (code: HubErrorCode, why: string) => never): void {
  if (/[<>:"|?*]/.test(part))
    refuse("path-unportable", 'has one of < > : " | ? *, which Windows does not take. Rename it.');
  if (/[. ]$/.test(part))
    refuse("path-unportable", "has a part that ends with a dot or a blank. Rename it.");
  if (isReservedName(part))
    refuse("path-unportable", `has the part ${part}, which Windows takes for a device. Rename it.`);
  if (part.toLowerCase() === "node_modules")
    refuse(
      "path-node-modules",
      "is in node_modules. What a package brings along is seen by no audit and no lockfile: list it as a dependency.",
    );
}

function decoded(raw: Buffer): string {
  try {
    return decoder.decode(raw);
  } catch {
    throw refusal(
      "path-encoding",
      `The path ${quoted(raw.toString("latin1"))} is not UTF-8. Rename the file.`,
    );
  }
}
