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
export { exitOnClosedPipe, ignoreClosedPipe } from "./closed-pipe.ts";
export { lazyCommand, runCommand } from "./command.ts";
export type { EnvsCommand, LazyCommand } from "./command.ts";
export { FailureError, reportError, UsageError } from "./errors.ts";
export { onInterrupt } from "./interrupt.ts";
export { printResult, success } from "./output.ts";
export { askChoice, askPassword, askText } from "./prompts.ts";
export { formatTable } from "./table.ts";
export { clean, cleanJson, paint } from "./text.ts";
