export { loadConfigFile } from "../config-file.ts";
export type { ConfigFile, Endpoint } from "../config-file.ts";
export { prepareFile, writeFileAtomically } from "../files/write-file.ts";
export type { FileContent } from "../files/write-file.ts";
export { importDefault } from "../import-module.ts";
export type { CommandPackage } from "../packages/command-package.ts";
export { importIfInstalled, importPackage } from "../packages/import-package.ts";
export { textOptions } from "../text/text-option.ts";
export { coreVersion, version } from "../version.ts";
export {
  FailureError,
  UsageError,
  askChoice,
  askPassword,
  askText,
  choiceOption,
  clean,
  cleanJson,
  didYouMean,
  formatTable,
  integerOption,
  kebab,
  listOption,
  mostSimilar,
  numberOption,
  onInterrupt,
  ownScope,
  paint,
  parseAction,
  positionals,
  printResult,
  shellArgument,
  shellCommand,
  splitAtDoubleDash,
  success,
  unexpectedArgument,
} from "@envs/terminal";
export type { EnvsCommand, LazyCommand } from "@envs/terminal";
export { defineCommand } from "citty";
export type { ArgsDef } from "citty";
