export { defineConfig } from "./config-file.ts";
export type { ConfigFile } from "./config-file.ts";
