import { type AssistantMessage, type Message, random, RolloutError } from "@envs/core";
import {
  type Conversation,
  describeContent,
  type Episode,
  episode,
  isRolloutError,
  type KeyedExample,
  type Observation,
  type Player,
  type PlayerAnswer,
  requestOf,
  toolSpecsOf,
} from "@envs/core/engine";

import { paint } from "../terminal/text.ts";
import { shortDuration } from "../text/time.ts";
import { type Navigation, navigationIn } from "./ask-player.ts";
import type { HistoryEntry, PlayContext } from "./play-context.ts";
import { endBlock, messageBlock, replied, toolList } from "./play-text.ts";
import { askForReply } from "./player-reply.ts";

/** An example to play, and the moves to replay first. */
export interface ExamplePlay {
  readonly keyed: KeyedExample;
  /** The number of restarts. It is part of the model's seed, so that a restarted game can differ. */
  readonly attempt: number;
  readonly history: readonly HistoryEntry[];
  /** Show the system prompt, which is the same for every example. */
  readonly showsInstructions: boolean;
}

export interface PlayOutcome {
  readonly end: Navigation | "finished" | "failed";
  readonly history: readonly HistoryEntry[];
  /** Set if the episode finished. */
  readonly reward?: number;
}

/** Plays one example: replays the history without output, then continues interactively. */
export async function playExample(context: PlayContext, play: ExamplePlay): Promise<PlayOutcome> {
  return new ExamplePlayer(context, play).run();
}

type PersonMove = Extract<HistoryEntry, { by: "person" }>;
type RivalMove = Extract<HistoryEntry, { by: "rival" }>;

/** A reply of a rival, shown to the person once the environment has received it. */
interface News {
  readonly conversation: Conversation;
  readonly turn: number;
  readonly line: string;
}

class ExamplePlayer {
  readonly #context: PlayContext;
  readonly #play: ExamplePlay;
  /** Moves of the person still to replay. */
  readonly #ownReplay: PersonMove[];
  /** Moves of the rival still to replay. */
  readonly #rivalReplay: RivalMove[];
  readonly #history: HistoryEntry[] = [];
  readonly #episode: Episode;
  #news: News[] = [];
  /** The text that the player saw last, to mark changes. */
  #previousText = "";

  constructor(context: PlayContext, play: ExamplePlay) {
    this.#context = context;
    this.#play = play;
    this.#ownReplay = play.history.filter((move) => move.by === "person");
    this.#rivalReplay = play.history.filter((move) => move.by === "rival");
    const player: Player = (conversation) => this.#rivalMove(conversation);
    this.#episode = episode(context.environment, play.keyed.example, {
      key: play.keyed.key,
      seed: context.seed,
      seat: context.seat,
      players: Object.fromEntries(Object.keys(context.rivals).map((seat) => [seat, player])),
      judge: context.judge,
      subModel: context.subModel,
      signal: context.signal,
    });
  }

  async run(): Promise<PlayOutcome> {
    const running = this.#episode;
    try {
      let observation = await running.start();
      this.#showOwnTools();
      this.#showMessages(running.prompt);
      while (!observation.isDone) {
        const { message } = await this.#nextMove();
        observation = await running.step(message);
        this.#showMessages(observation.messages);
      }
      return { end: "finished", history: this.#history, reward: await this.#score(observation) };
    } catch (error) {
      const navigation = this.#context.signal.aborted ? "quit" : navigationIn(error);
      if (navigation !== undefined) return { end: navigation, history: this.#history };
      if (!isRolloutError(error)) throw error;
      this.#context.write(`\n${paint("red", "✗")} ${error.message}`);
      return { end: "failed", history: this.#history };
    } finally {
      await running.close();
    }
  }

  async #nextMove(): Promise<PersonMove> {
    const move = this.#ownReplay.shift() ?? { by: "person", message: await this.#askPerson() };
    this.#history.push(move);
    return move;
  }

  #askPerson(): Promise<AssistantMessage> {
    return askForReply(this.#context, this.#episode, {
      canGoBack: this.#history.some(({ by }) => by === "person"),
      seed: this.#turnSeed(this.#episode.conversation),
    });
  }

  async #rivalMove(conversation: Conversation): Promise<PlayerAnswer> {
    const index = this.#rivalReplay.findIndex(({ seat }) => seat === conversation.seat);
    const [replayed] = index === -1 ? [] : this.#rivalReplay.splice(index, 1);
    const start = performance.now();
    const move = replayed ?? (await this.#askRival(conversation));
    this.#history.push(move);
    const { message, isTruncated } = move;
    const seconds = (performance.now() - start) / 1000;
    const time = replayed === undefined ? [shortDuration(seconds)] : [];
    const turn = conversation.context.turns + 1;
    const details = [`turn ${turn}`, ...time, ...(isTruncated ? ["truncated"] : [])];
    const { name } = this.#context.rivals[conversation.seat!]!;
    const line = replied(name, [conversation.seat!, ...details].join(" · "));
    this.#news.push({ conversation, turn, line });
    return { message, finish: isTruncated ? "length" : "stop" };
  }

  async #askRival(conversation: Conversation): Promise<RivalMove> {
    const { rivals, signal, showStatus } = this.#context;
    const { model, name, sampling } = rivals[conversation.seat!]!;
    const hideStatus = showStatus(`${name} is thinking …`);
    try {
      const seed = this.#turnSeed(conversation);
      const { message, finish } = await model(requestOf(conversation, { sampling, seed, signal }));
      return { by: "rival", seat: conversation.seat!, message, isTruncated: finish === "length" };
    } catch (error) {
      if (isRolloutError(error)) throw error;
      const text = error instanceof Error ? error.message : String(error);
      throw new RolloutError("model", `${name}: ${text}`, { cause: error });
    } finally {
      hideStatus();
    }
  }

  /** Shows the tools of this example; the introduction shows those that all episodes share. */
  #showOwnTools(): void {
    const { environment, columns, write } = this.#context;
    if (toolSpecsOf(environment) === undefined)
      for (const line of toolList(this.#episode.tools, columns())) write(line);
  }

  /** Shows which rivals have replied, and the messages to the person. A reply may contain what the person must not see. */
  #showMessages(messages: readonly Message[]): void {
    const { columns, write } = this.#context;
    const isReceived = ({ conversation, turn }: News): boolean =>
      conversation.context.turns >= turn;
    const replies = this.#news.filter(isReceived);
    this.#news = this.#news.filter((news) => !isReceived(news));
    const previous = this.#previousText;
    const last = messages.at(-1);
    this.#previousText = last === undefined ? previous : describeContent(last.content);
    // Replayed messages have been shown before.
    if (this.#ownReplay.length > 0) return;
    for (const { line } of replies) write(line);
    for (const message of messages)
      if (message.role !== "system" || this.#play.showsInstructions)
        write(messageBlock(message, { columns: columns(), previous }));
  }

  async #score({ stopReason = "end" }: Observation): Promise<number> {
    const { judge, showStatus, write, columns } = this.#context;
    const hideStatus = judge === undefined ? () => {} : showStatus("the judge is reading …");
    const scoring = this.#episode.score({ skipJudged: judge === undefined });
    const result = await scoring.finally(hideStatus);
    const { turns } = this.#episode;
    const remark = `${turns} ${turns === 1 ? "turn" : "turns"}${stopReason === "end" ? "" : `, ended by ${stopReason}`}`;
    write(endBlock(result, { remark, columns: columns() }));
    return result.reward;
  }

  #turnSeed({ context: { turns, seat } }: Conversation): number {
    const { keyed, attempt } = this.#play;
    const seats = seat === this.#context.seat ? [] : [seat];
    return random(this.#context.seed, keyed.key, "play", attempt, turns, ...seats).int(2 ** 31);
  }
}
