import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";

import type { Settings } from "../platform/config/settings.ts";

/** Prepares this process for an embedded database; call it before anything of the hub is loaded. */
export function startQuickly({ HUB_DATA }: Pick<Settings, "HUB_DATA">): void {
  // V8 takes PostgreSQL's parser for hot after a few statements. To optimise it takes 600 MB and two seconds of a core, which
  // a hub that has just been started needs for itself; this is 15 times what V8 waits for.
  setFlagsFromString("--wasm-tiering-budget=200000000");
  // What Node compiles from here on is there at the next start. In a temporary folder, others could put something in its place.
  enableCompileCache(join(HUB_DATA, "compiled"));
}
