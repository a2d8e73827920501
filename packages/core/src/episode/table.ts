import { RolloutError } from "../errors.ts";
import type { AssistantMessage } from "../message/message.ts";
import type { ModelResponse } from "../model/model.ts";
import type { Conversation } from "./conversation.ts";

/** A limit of the driver that keeps a seat from replying. It ends the episode. */
export type PlayerLimit = "tokens" | "context";

/** Replies for one seat of an episode. */
export type Player = (conversation: Conversation) => Promise<PlayerAnswer>;

/** What a player returns. */
export type PlayerAnswer = Pick<ModelResponse, "message" | "finish"> | PlayerLimit;

/** The reply of one seat. */
export interface SeatReply {
  readonly conversation: Conversation;
  readonly message: AssistantMessage;
  readonly isTruncated: boolean;
}

/** What the table needs of its episode. */
export interface TableEpisode {
  isOver(): boolean;
  /** Lets the environment answer a reply that its conversation has received. Resolves to whether it was invalid. */
  react(reply: SeatReply): Promise<boolean>;
  /** Stops the episode if a seat that replies next has no turns left. */
  checkTurns(conversation: Conversation): void;
  stop(limit: PlayerLimit, conversation: Conversation): void;
}

interface TableOptions {
  readonly conversations: readonly Conversation[];
  /** By seat. */
  readonly players: ReadonlyMap<string, Player>;
  /** The conversations that `observe` writes to. It skips seats of policies, which see the state. */
  readonly readers: readonly Conversation[];
  /** Returns the seats that reply next, as the definition names them. */
  readonly nextSeats: () => Promise<string | readonly string[]>;
}

/** The seats of one episode: whose turn it is, and the players of the other seats. */
export class Table {
  readonly #conversations: ReadonlyMap<string, Conversation>;
  readonly #players: ReadonlyMap<string, Player>;
  readonly #readers: readonly Conversation[];
  readonly #nextSeats: TableOptions["nextSeats"];
  readonly #episode: TableEpisode;
  #turn: readonly Conversation[] = [];
  /** The replies of the seats whose turn it is; `undefined` for the driver's seat. */
  #asked: readonly (Promise<PlayerAnswer> | undefined)[] = [];

  constructor(current: TableEpisode, options: TableOptions) {
    this.#episode = current;
    this.#conversations = new Map(options.conversations.map((each) => [each.seat!, each]));
    this.#players = options.players;
    this.#readers = options.readers;
    this.#nextSeats = options.nextSeats;
  }

  /** Lets the other seats play until the turn of `own` comes, or the episode ends. */
  async advance(own: Conversation): Promise<void> {
    while (!this.#episode.isOver()) {
      const turn = this.#read(await this.#nextSeats());
      for (const conversation of turn)
        if (this.#readers.includes(conversation)) await conversation.observe();
      for (const conversation of turn) this.#episode.checkTurns(conversation);
      if (this.#episode.isOver()) return;
      // The seats that reply together with `own` are asked while the driver's model replies.
      this.#asked = turn.map((each) => (each === own ? undefined : this.#ask(each)));
      this.#turn = turn;
      if (turn.includes(own)) return;
      await this.#play();
    }
  }

  /** Plays the round of a reply, then lets the other seats play. Resolves to whether the reply was invalid. */
  async step(reply: SeatReply): Promise<boolean> {
    const isInvalid = await this.#play(reply);
    await this.advance(reply.conversation);
    // The other seats have not seen the last move yet.
    if (this.#episode.isOver()) for (const each of this.#readers) await each.observe();
    return isInvalid;
  }

  /** Collects the replies of a round, and only then lets the environment answer them, in the order of the turn. */
  async #play(own?: SeatReply): Promise<boolean> {
    const answers = await Promise.all(this.#asked.map(async (asked) => asked));
    const replies: SeatReply[] = [];
    for (const [index, conversation] of this.#turn.entries()) {
      const answer = answers[index];
      if (typeof answer === "string") this.#episode.stop(answer, conversation);
      else replies.push(answer === undefined ? own! : replyOf(conversation, answer));
    }
    for (const { conversation, message, isTruncated } of replies)
      conversation.receive(message, isTruncated);
    for (const { conversation } of replies)
      for (const other of this.#conversations.values())
        if (other !== conversation) other.isStale = true;
    let isOwnInvalid = false;
    for (const reply of replies) {
      if (this.#episode.isOver()) break;
      const isInvalid = await this.#episode.react(reply);
      if (reply === own) isOwnInvalid = isInvalid;
    }
    return isOwnInvalid;
  }

  #ask(conversation: Conversation): Promise<PlayerAnswer> {
    const answer = this.#players.get(conversation.seat!)!(conversation);
    // The step that awaits it reports its error; if the driver fails first, its own error is the one that counts.
    answer.catch(() => {});
    return answer;
  }

  #read(seats: string | readonly string[]): readonly Conversation[] {
    const names: unknown[] = Array.isArray(seats) ? seats : [seats];
    const turn = names.map((name) => this.#conversations.get(name as string));
    const isComplete = turn.every((each) => each !== undefined);
    if (isComplete && turn.length > 0 && new Set(turn).size === turn.length) return turn;
    throw new RolloutError(
      "environment",
      `turn returned ${JSON.stringify(seats)}. It must return one of the seats, or a list of different ones: ${[...this.#conversations.keys()].join(", ")}. End the episode by end() in respond.`,
    );
  }
}

function replyOf(
  conversation: Conversation,
  { message, finish }: Exclude<PlayerAnswer, PlayerLimit>,
): SeatReply {
  return { conversation, message, isTruncated: finish === "length" };
}
