import { assistantMessage, type AssistantMessage, textOf } from "@envs/core";
import type { Episode, LabelledChoice } from "@envs/core/engine";

import { bestPolicyOf } from "../environments/describe.ts";
import { paint } from "../terminal/text.ts";
import { askPlayer, note } from "./ask-player.ts";
import type { PlayContext } from "./play-context.ts";
import { messageBlock, replyBlock, sentLine } from "./play-text.ts";
import { parseToolCall, wrapInTags } from "./player-input.ts";
import { boardLines, choiceKeys, choiceList, drawsBoard } from "./position.ts";

interface ReplyOptions {
  readonly canGoBack: boolean;
  readonly seed: number;
}

/**
 * Asks the player for the model's reply: one of the listed choices, text, which is wrapped in the tags of the environment's
 * replies, or a tool call.
 */
export async function askForReply(
  { environment, lines, write, columns }: PlayContext,
  episode: Episode,
  { canGoBack, seed }: ReplyOptions,
): Promise<AssistantMessage> {
  const policy = bestPolicyOf(environment);
  const askPolicy = async (): Promise<AssistantMessage | undefined> =>
    policy === undefined ? undefined : episode.askPolicy(policy, seed);

  const choices = (await episode.choices()) ?? [];
  const board = await episode.board();
  const isDrawn =
    board !== undefined &&
    drawsBoard(textOf(episode.messages.at(-1)?.content ?? ""), board, choices);
  if (board !== undefined && !isDrawn)
    write(["", ...boardLines(board, choices).map((line) => `  ${line}`)].join("\n"));
  if (choices.length > 0 && !isDrawn) write(choiceList(choices, columns()));

  const answer = await askPlayer<AssistantMessage>(lines, {
    prompt: paint("cyan", "› "),
    canGoBack,
    write,
    async onCommand(name, argument) {
      if (name === "show")
        for (const message of episode.messages)
          write(messageBlock(message, { columns: columns() }));
      if (name === "hint") {
        const hint = await askPolicy().catch(String);
        if (hint === undefined) write(note(`${environment.name} has no policy to ask for a hint.`));
        else if (typeof hint === "string") write(note(`${policy} cannot answer: ${hint}`));
        else write(replyBlock(paint("dim", `${policy} would answer`), hint, columns()));
      }
      if (name !== "call") return undefined;
      const call = parseToolCall(argument, episode.tools);
      if ("problem" in call) {
        write(note(call.problem));
        return undefined;
      }
      write(sentLine(call, columns()));
      return call;
    },
  });
  if (typeof answer !== "string") return answer;
  const chosen = choiceOf(answer, choices);
  if (chosen !== undefined) {
    if (chosen.reply !== answer) write(sentLine(assistantMessage(chosen.reply), columns()));
    return assistantMessage(chosen.reply);
  }
  const sample = await askPolicy().catch(() => undefined);
  const reply = sample === undefined ? answer : wrapInTags(answer, sample.content);
  if (reply !== answer) write(sentLine(assistantMessage(reply), columns()));
  return assistantMessage(reply);
}

/** The choice whose key, label or reply was typed. */
function choiceOf(typed: string, choices: readonly LabelledChoice[]): LabelledChoice | undefined {
  const text = typed.trim();
  const index = choiceKeys(choices).indexOf(text);
  return choices[index] ?? choices.find(({ label, reply }) => label === text || reply === typed);
}
