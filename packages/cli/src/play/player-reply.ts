import { assistant, type AssistantMessage } from "@envs/core";
import type { Episode } from "@envs/core/engine";
import { paint } from "@envs/terminal";

import { messageBlock, replyBlock, sentLine } from "../render/play.ts";
import { askPerson, note } from "./ask-player.ts";
import type { Table } from "./play-context.ts";
import { inForm } from "./reply-form.ts";
import { readToolCall } from "./tool-call.ts";

interface TurnOptions {
  readonly canGoBack: boolean;
  readonly seed: number;
}

/** Asks a person what the model would be asked. */
export async function personAsModel(
  { environment, lines, write, columns }: Table,
  running: Episode,
  { canGoBack, seed }: TurnOptions,
): Promise<AssistantMessage> {
  const [best] = Object.keys(environment.definition.policies ?? {});
  const hint = async (): Promise<AssistantMessage | undefined> =>
    best === undefined ? undefined : running.askPolicy(best, seed);

  const answer = await askPerson<AssistantMessage>(lines, {
    prompt: paint("cyan", "› "),
    canGoBack,
    write,
    async serve(name, rest) {
      if (name === "show")
        for (const message of running.messages)
          write(messageBlock(message, { columns: columns() }));
      if (name === "hint") {
        const said = await hint().catch(String);
        if (said === undefined) write(note(`${environment.name} has no policy to ask.`));
        else if (typeof said === "string") write(note(`${best} does not know. ${said}`));
        else write(replyBlock(paint("dim", `${best} would say`), said, columns()));
      }
      if (name !== "call") return undefined;
      const call = readToolCall(rest, running.tools);
      if ("problem" in call) {
        write(note(call.problem));
        return undefined;
      }
      write(sentLine(call, columns()));
      return call;
    },
  });
  if (typeof answer !== "string") return answer;
  const sample = await hint().catch(() => undefined);
  const sent = sample === undefined ? answer : inForm(answer, sample.content);
  if (sent !== answer) write(sentLine(assistant(sent), columns()));
  return assistant(sent);
}
