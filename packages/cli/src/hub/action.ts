import { didYouMean } from "../arguments.ts";
import { UsageError } from "../exit.ts";

/** The action that a command was given as its first word, of those that it has; the first one if there is no word. */
export function actionIn<Action extends string>(
  command: string,
  word: string | undefined,
  actions: readonly [Action, ...Action[]],
): Action {
  if (word === undefined) return actions[0];
  const action = actions.find((each) => each === word);
  if (action !== undefined) return action;
  throw new UsageError(
    `envs ${command} does not know ${JSON.stringify(word)}.${didYouMean(word, actions)} It can: ${actions.join(", ")}.`,
  );
}
