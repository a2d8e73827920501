import type * as Prompts from "@clack/prompts";

/** What every prompt needs: its question, and the error to throw when the user presses Ctrl-C or Escape. */
interface PromptOptions {
  readonly message: string;
  readonly onCancel: () => Error;
  readonly output?: NodeJS.WriteStream;
}

export async function askText({
  onCancel,
  ...options
}: PromptOptions & Pick<Prompts.TextOptions, "placeholder" | "validate">): Promise<string> {
  return await answerOf(onCancel, ({ text }) => text(options));
}

/** Asks for a password without showing it. */
export async function askPassword({ onCancel, ...options }: PromptOptions): Promise<string> {
  return await answerOf(onCancel, ({ password }) => password(options));
}

/** Asks the user to select one of the choices; the hint of each is shown beside it. */
export async function askChoice<Choice extends string>({
  onCancel,
  choices,
  ...options
}: PromptOptions & { readonly choices: Readonly<Record<Choice, string>> }): Promise<Choice> {
  const entries = Object.entries(choices) as [Choice, string][];
  return await answerOf<Choice>(
    onCancel,
    ({ select }) =>
      select<string>({
        ...options,
        options: entries.map(([value, hint]) => ({ value, label: value, hint })),
      }) as Promise<Choice | symbol>,
  );
}

/** Loads the prompts on first use: most commands ask nothing. */
async function answerOf<Answer extends string>(
  onCancel: () => Error,
  ask: (prompts: typeof Prompts) => Promise<Answer | symbol>,
): Promise<Answer> {
  const prompts = await import("@clack/prompts");
  const answer = await ask(prompts);
  if (prompts.isCancel(answer)) throw onCancel();
  return answer as Answer;
}
