export { loadConfigFile } from "../config-file.ts";
export type { ConfigFile, Endpoint } from "../config-file.ts";
export { prepareFile, writeFileAtomically } from "../files/write-file.ts";
export type { FileContent } from "../files/write-file.ts";
export { checkScope } from "../init/names.ts";
export { importDefault } from "../import-module.ts";
export type { CommandPackage } from "../packages/command-package.ts";
export { importIfInstalled, importPackage } from "../packages/import-package.ts";
export { runEnvs } from "../run-envs.ts";
export {
  choiceOption,
  didYouMean,
  integerOption,
  kebab,
  listOption,
  mostSimilar,
  numberOption,
  parseAction,
  positive,
  positionals,
  splitAtDoubleDash,
  unexpectedArgument,
} from "../terminal/arguments.ts";
export { checkCommand, defineCommand, lazyCommand, runCommand } from "../terminal/command.ts";
export type { EnvsCommand, LazyCommand } from "../terminal/command.ts";
export { FailureError, UsageError, reportError } from "../terminal/errors.ts";
export { formatTable, printResult, success } from "../terminal/output.ts";
export { growYoungGeneration } from "../terminal/heap-growth.ts";
export { ownScope } from "../terminal/own-scope.ts";
export { exitOnClosedPipe, ignoreClosedPipe, onInterrupt } from "../terminal/process-events.ts";
export { askChoice, askPassword, askText } from "../terminal/prompts.ts";
export { configFileOption, saveOption } from "../terminal/shared-options.ts";
export { argument, flag, valueOption } from "../terminal/options.ts";
export { shellArgument, shellCommand } from "../terminal/shell.ts";
export { clean, cleanJson, paint } from "../terminal/text.ts";
export { textOptions } from "../text/text-option.ts";
export { coreVersion, version } from "../version.ts";
export type { ArgsDef } from "citty";
