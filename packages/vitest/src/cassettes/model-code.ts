import { readFileSync } from "node:fs";
import { type Debugger, type Runtime, Session } from "node:inspector";
import { sep } from "node:path";
import { fileURLToPath } from "node:url";

import type { Model } from "@envs/core";
import { contentHash } from "@envs/core/engine";

/**
 * A hash of the code of a model that is a function of the test's author: of its module, because the function may call others there.
 * For a function of the test file, hashes only the function's text, so that other changes of the file keep its recordings. `undefined` for
 * models of installed packages, and for those that name their settings.
 */
export function codeOf(model: Model, testFile?: string): string | undefined {
  if (model.settings !== undefined) return undefined;
  const file = moduleOf(model);
  if (file?.includes(`${sep}node_modules${sep}`) === true) return undefined;
  const own = Function.prototype.toString.call(model);
  if (file === undefined || file === testFile) return contentHash(stableText(own));
  try {
    return contentHash(readFileSync(file, "utf8").replaceAll("\r\n", "\n"));
  } catch {
    return contentHash(stableText(own));
  }
}

/** The text of a function without what Vite changes: the layout, and the numbers of imports. */
function stableText(text: string): string {
  return text.replaceAll(/__vi_import_\d+__/gu, "import").replaceAll(/\s+/gu, " ");
}

/** The file of a function's module, as the engine knows it. */
function moduleOf(model: Model): string | undefined {
  const session = new Session();
  session.connect();
  const key = Symbol.for("envs.model");
  const holder = globalThis as { [key]?: Model };
  try {
    holder[key] = model;
    const urls = new Map<string, string>();
    session.on("Debugger.scriptParsed", ({ params: { scriptId, url } }) => urls.set(scriptId, url));
    session.post("Debugger.enable");
    let found: Runtime.EvaluateReturnType | undefined;
    const expression = 'globalThis[Symbol.for("envs.model")]';
    session.post("Runtime.evaluate", { expression }, (_error, result) => (found = result));
    let properties: Runtime.GetPropertiesReturnType | undefined;
    const objectId = found!.result.objectId!;
    session.post("Runtime.getProperties", { objectId }, (_error, result) => (properties = result));
    const location = properties?.internalProperties?.find(
      ({ name }) => name === "[[FunctionLocation]]",
    )?.value?.value as Debugger.Location | undefined;
    const url = urls.get(location?.scriptId ?? "")?.replace(/\?.*$/u, "") ?? "";
    if (url === "") return undefined;
    return url.startsWith("file:") ? fileURLToPath(url) : url;
  } finally {
    delete holder[key];
    session.disconnect();
  }
}
