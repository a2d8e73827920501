import { basename } from "node:path";

import { docker } from "@envs/machine";

import { harbor } from "./harbor.ts";

// `envs eval harbor:<folder>` imports this module with the folder in its URL, and so do its workers: tasks.ts?folder=/tasks
const folder = new URL(import.meta.url).searchParams.get("folder") ?? ".";
const name = basename(folder)
  .toLowerCase()
  .replaceAll(/[^a-z0-9]+/gu, "-")
  .replaceAll(/^-+|-+$/gu, "");

export default harbor(folder, { name: name === "" ? "harbor" : name, provider: docker() });
