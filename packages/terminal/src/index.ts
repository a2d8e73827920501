export {
  choiceOption,
  didYouMean,
  integerOption,
  kebab,
  listOption,
  numberOption,
  parseAction,
  positionals,
  splitAtDoubleDash,
} from "./arguments.ts";
export { exitOnClosedPipe, ignoreClosedPipe, onInterrupt } from "./process-events.ts";
export { lazyCommand, runCommand } from "./command.ts";
export type { EnvsCommand, LazyCommand } from "./command.ts";
export { FailureError, reportError, UsageError } from "./errors.ts";
export { formatTable, printResult, success } from "./output.ts";
export { askChoice, askPassword, askText } from "./prompts.ts";
export { clean, cleanJson, paint } from "./text.ts";
