import { readdirSync, readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";

/** A file that the page loads. */
export interface Asset {
  readonly type: string;
  readonly text: string;
}

/** Beside the sources, where the compiled files find it, too. */
const style = join(import.meta.dirname, "../../src/web/style.css");
const scripts = join(import.meta.dirname, "browser");
const isSource = import.meta.url.endsWith(".ts");

/** The script that starts the page. */
export const entry = `play.${isSource ? "ts" : "js"}`;

/** What the page loads, by name. From source, scripts lose their types here. */
export function readAssets(): ReadonlyMap<string, Asset> {
  const names = readdirSync(scripts).filter((name) => /(?<!\.d)\.[jt]s$/u.test(name));
  const all = names.map((name): [string, Asset] => {
    const text = readFileSync(join(scripts, name), "utf8");
    return [
      name,
      {
        type: "text/javascript; charset=utf-8",
        text: isSource ? stripTypeScriptTypes(text) : text,
      },
    ];
  });
  const css = { type: "text/css; charset=utf-8", text: readFileSync(style, "utf8") };
  return new Map([...all, ["style.css", css]]);
}
