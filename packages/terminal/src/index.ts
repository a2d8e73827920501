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
} from "./arguments.ts";
export { exitOnClosedPipe, ignoreClosedPipe, onInterrupt } from "./process-events.ts";
export { checkCommand, lazyCommand, runCommand } from "./command.ts";
export type { EnvsCommand, LazyCommand } from "./command.ts";
export { FailureError, reportError, UsageError } from "./errors.ts";
export { ownScope } from "./own-scope.ts";
export { formatTable, printResult, success } from "./output.ts";
export { askChoice, askPassword, askText } from "./prompts.ts";
export { shellArgument, shellCommand } from "./shell.ts";
export { clean, cleanJson, paint } from "./text.ts";
