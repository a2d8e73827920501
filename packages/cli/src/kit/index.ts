export type { ArgsDef } from "citty";
export { defineCommand } from "citty";
export {
  choiceOption,
  didYouMean,
  integerOption,
  kebab,
  listOption,
  mostSimilar,
  numberOption,
  parseAction,
  positionals,
  splitAtDoubleDash,
  unexpectedArgument,
  onInterrupt,
  FailureError,
  UsageError,
  ownScope,
  formatTable,
  printResult,
  success,
  askChoice,
  askPassword,
  askText,
  shellArgument,
  shellCommand,
  clean,
  cleanJson,
  paint,
} from "@envs/terminal";
export type { EnvsCommand, LazyCommand } from "@envs/terminal";
export { importIfInstalled, importPackage } from "../packages/import-package.ts";
export type { CommandPackage } from "../packages/command-package.ts";
export { loadConfigFile } from "../config-file.ts";
export type { Endpoint } from "../config-file.ts";
export { textOptions } from "../text-option.ts";
