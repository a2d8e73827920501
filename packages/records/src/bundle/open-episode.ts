import { assistantMessage, type AssistantMessage, type Message } from "@envs/core";
import type {
  Conversation,
  Episode,
  Observation,
  Player,
  PlayerAnswer,
  ScoreResult,
} from "@envs/core/engine";

import type { EpisodeView } from "./methods.ts";

/** A seat that waits for its reply. */
interface Waiting {
  readonly conversation: Conversation;
  reply(answer: PlayerAnswer): void;
}

/** An episode that answers one request at a time, also if its caller plays several seats. */
export class OpenEpisode {
  readonly episode: Episode;
  /** The other seats of the caller that reply now. */
  readonly #waiting: Waiting[] = [];
  #asked = Promise.withResolvers<void>();
  /** The end of the step that runs. */
  #step: Promise<Observation> | undefined;
  readonly #seen = new Map<Conversation, number>();

  /** `create` receives a player for the other seats that the caller takes. */
  constructor(create: (player: Player) => Episode) {
    this.episode = create(
      (conversation) =>
        new Promise((reply) => {
          this.#waiting.push({ conversation, reply });
          this.#asked.resolve();
        }),
    );
  }

  /** The conversation whose reply comes next. */
  get conversation(): Conversation {
    return this.#waiting[0]?.conversation ?? this.episode.conversation;
  }

  start(): Promise<EpisodeView> {
    this.#step = this.episode.start();
    return this.#next();
  }

  respond(reply: string | AssistantMessage, isTruncated = false): Promise<EpisodeView> {
    const message = typeof reply === "string" ? assistantMessage(reply) : reply;
    const asked = this.#waiting.shift();
    if (asked === undefined) this.#step = this.episode.step(message, { isTruncated });
    else asked.reply({ message, finish: isTruncated ? "length" : "stop" });
    return this.#next();
  }

  /** Waits for the seat that replies next. */
  async #next(): Promise<EpisodeView> {
    this.#asked = Promise.withResolvers();
    if (this.#waiting.length > 0) this.#asked.resolve();
    const observation = await Promise.race([this.#step, this.#asked.promise]);
    const [asked] = this.#waiting;
    if (asked !== undefined && this.episode.stopReason === undefined) {
      const { conversation } = asked;
      const messages = this.#newMessages(conversation);
      return {
        seat: conversation.seat,
        messages,
        isDone: false,
        board: await this.episode.board(),
      };
    }
    const { stopReason, seat, conversation } = this.episode;
    return {
      ...(seat === undefined ? {} : { seat }),
      messages: this.#newMessages(conversation),
      isDone: stopReason !== undefined,
      stopReason,
      scores: await scoresSoFar(this.episode),
      choices: await this.episode.choices(),
      board: await this.episode.board(),
      ...(observation?.isInvalid === true ? { isInvalid: true } : {}),
    };
  }

  /** The messages that the caller has neither read nor sent. */
  #newMessages(conversation: Conversation): readonly Message[] {
    const { messages } = conversation;
    const seen = this.#seen.get(conversation) ?? 0;
    this.#seen.set(conversation, messages.length);
    const isReplyFirst = seen > 0 && messages[seen]?.role === "assistant";
    return messages.slice(isReplyFirst ? seen + 1 : seen);
  }
}

/**
 * Scores read the state and do not change it, so an episode can be scored before its end. A bundle does not
 * have a judge, so judged scores are left out.
 */
async function scoresSoFar(current: Episode): Promise<ScoreResult | undefined> {
  try {
    return await current.score({ skipJudged: true });
  } catch {
    return undefined;
  }
}
