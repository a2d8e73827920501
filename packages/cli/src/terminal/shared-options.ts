import { valueOption } from "./options.ts";
/** The option of commands that find saved runs by default, or save one. */
export const saveOption = {
  type: "string",
  default: "outputs",
  description: "Folder in which runs are saved (default outputs)",
  valueHint: "folder",
} as const;

/** The option of commands that ask models of `envs.config.ts`. */
export const configFileOption = valueOption(
  "File with endpoints (default ./envs.config.ts)",
  "file",
);
