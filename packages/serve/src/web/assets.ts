import { readdirSync, readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";

/** A file that the page loads. */
export interface Asset {
  readonly type: string;
  readonly text: string;
}

/** The package ships `src/`, so the compiled code finds the style sheet there too. */
const stylePath = join(import.meta.dirname, "../../src/web/style.css");
const scriptFolder = join(import.meta.dirname, "browser");
const isSource = import.meta.url.endsWith(".ts");

/** The name of the page's main script. */
export const mainScript = `play.${isSource ? "ts" : "js"}`;

/** The page's files by name. Scripts that run from source lose their types here. */
export function readAssets(): ReadonlyMap<string, Asset> {
  const names = readdirSync(scriptFolder).filter((name) => /(?<!\.d)\.[jt]s$/u.test(name));
  const scripts = names.map((name): [string, Asset] => {
    const code = readFileSync(join(scriptFolder, name), "utf8");
    const text = isSource ? stripTypeScriptTypes(code) : code;
    return [name, { type: "text/javascript; charset=utf-8", text }];
  });
  const style = { type: "text/css; charset=utf-8", text: readFileSync(stylePath, "utf8") };
  return new Map([...scripts, ["style.css", style]]);
}
