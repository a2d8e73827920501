// Writes dist/create-envs.js and dist/templates: one file without dependencies, which any registry that has this package can serve.
import { cp } from "node:fs/promises";
import { join } from "node:path";

import { build } from "rolldown";

const root = import.meta.dirname;

await build({
  input: join(root, "src/bin.ts"),
  platform: "node",
  output: { file: join(root, "dist/create-envs.js"), minify: true, codeSplitting: false },
});
await cp(join(root, "../cli/templates"), join(root, "dist/templates"), { recursive: true });
