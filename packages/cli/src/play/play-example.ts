import { type AssistantMessage, type Message, random, RolloutError } from "@envs/core";
import {
  episode,
  type Episode,
  isRolloutError,
  type KeyedExample,
  type Observation,
  type OpponentQuestion,
  requestOf,
} from "@envs/core/engine";
import { paint } from "@envs/terminal";

import { endBlock, messageBlock, replyBlock, toldBlock } from "../render/play.ts";
import { spoken } from "../render/time.ts";
import { askPerson, note, wayOf, type Way } from "./ask-player.ts";
import type { Table } from "./play-context.ts";
import type { Said } from "./play-history.ts";
import { personAsModel } from "./player-reply.ts";

/** One example that is played, from where `said` leaves it. */
export interface Game {
  readonly keyed: KeyedExample;
  /** How often it was begun before: a model that draws its words may play otherwise each time. */
  readonly attempt: number;
  readonly said: readonly Said[];
  /** The instructions, which are the same in every game, are shown. */
  readonly isFirst: boolean;
}

/** How a game was left: it is over, the person goes elsewhere, or it broke. */
export interface Ending {
  readonly way: Way | "over" | "broken";
  readonly said: readonly Said[];
  readonly reward?: number;
}

/** Plays one example: silently what was said before, then live. */
export async function playGame(table: Table, game: Game): Promise<Ending> {
  return new Play(table, game).run();
}

class Play {
  readonly #table: Table;
  readonly #game: Game;
  readonly #memory: Said[];
  readonly #said: Said[] = [];
  readonly #episode: Episode;
  /** Shows again what was last to be seen, once a silent part ends. */
  #recall: (() => void) | undefined;
  /** What the board was like when it was last shown to anyone. */
  #before = "";
  #wasAsked = false;

  constructor(table: Table, game: Game) {
    this.#table = table;
    this.#game = game;
    this.#memory = [...game.said];
    this.#episode = episode(table.environment, game.keyed.example, {
      key: game.keyed.key,
      seed: table.seed,
      signal: table.signal,
      ...(table.seat === "opponent"
        ? { opponent: (question: OpponentQuestion) => this.#askPerson(question) }
        : {}),
    });
  }

  async run(): Promise<Ending> {
    const running = this.#episode;
    try {
      let seen = await running.start();
      this.#tell(running.prompt);
      while (!seen.isDone) {
        this.#wasAsked = false;
        const { message, isTruncated } = await this.#nextMessage();
        seen = await running.step(message, { isTruncated });
        this.#tell(seen.messages, seen.isDone);
      }
      this.#recall?.();
      return { way: "over", said: this.#said, reward: await this.#end(seen) };
    } catch (error) {
      const way = this.#table.signal.aborted ? "quit" : wayOf(error);
      if (way !== undefined) return { way, said: this.#said };
      if (!isRolloutError(error)) throw error;
      this.#table.write(`\n${paint("red", "✗")} ${error.message}`);
      return { way: "broken", said: this.#said };
    } finally {
      await running.close();
    }
  }

  async #nextMessage(): Promise<Extract<Said, { by: "model" }>> {
    const known = this.#memory[0];
    if (known?.by === "model") {
      this.#memory.shift();
      this.#said.push(known);
      if (this.#table.seat === "opponent") this.#recall = this.#replyOf(known.message, []);
      return known;
    }
    this.#recall?.();
    this.#recall = undefined;
    const said =
      this.#table.other === undefined ? await this.#personReplies() : await this.#modelReplies();
    this.#said.push(said);
    return said;
  }

  async #personReplies(): Promise<Extract<Said, { by: "model" }>> {
    const message = await personAsModel(this.#table, this.#episode, {
      canGoBack: this.#said.length > 0,
      seed: this.#turnSeed(),
    });
    return { by: "model", message, isTruncated: false };
  }

  async #modelReplies(): Promise<Extract<Said, { by: "model" }>> {
    const { other, signal, wait } = this.#table;
    const { model, name, sampling } = other!;
    const done = wait(`${name} is thinking …`);
    const started = performance.now();
    try {
      const request = requestOf(this.#episode, { sampling, seed: this.#turnSeed(), signal });
      const { message, finish } = await model(request);
      const seconds = (performance.now() - started) / 1000;
      done();
      const isTruncated = finish === "length";
      this.#replyOf(message, [spoken(seconds), ...(isTruncated ? ["cut off"] : [])])();
      return { by: "model", message, isTruncated };
    } catch (error) {
      done();
      if (isRolloutError(error)) throw error;
      const text = error instanceof Error ? error.message : String(error);
      throw new RolloutError("model", `${name}: ${text}`, { cause: error });
    }
  }

  async #askPerson({ text, problem }: OpponentQuestion): Promise<string> {
    const { lines, write, columns } = this.#table;
    this.#wasAsked = true;
    const known = problem === undefined ? this.#memory[0] : undefined;
    if (known?.by === "opponent") {
      this.#memory.shift();
      this.#said.push(known);
      this.#before = text;
      return known.text;
    }
    // An answer that was refused was never given.
    if (problem !== undefined) this.#said.pop();
    this.#recall?.();
    this.#recall = undefined;
    if (problem === undefined)
      write(
        toldBlock(paint(["bold", "blue"], "you"), text, {
          columns: columns(),
          before: this.#before,
        }),
      );
    else write(note(problem));
    this.#before = text;
    const answer = await askPerson<never>(lines, {
      prompt: paint("cyan", "› "),
      canGoBack: this.#said.some(({ by }) => by === "opponent"),
      write,
      serve: async (name) => {
        if (name === "show") this.#show();
        else write(note("That is for whoever plays in the model's place."));
        return undefined;
      },
    });
    this.#said.push({ by: "opponent", text: answer });
    return answer;
  }

  /** Shows what the model is told. Who plays against it has seen it already, if they were asked. */
  #tell(messages: readonly Message[], isDone = false): void {
    const { seat, columns, write } = this.#table;
    const before = this.#before;
    const isPrompt = this.#episode.turns === 0;
    this.#before = messages.at(-1)?.content ?? before;
    const show = (): void => {
      if (seat === "model") {
        for (const message of messages)
          if (message.role !== "system" || this.#game.isFirst)
            write(messageBlock(message, { columns: columns(), before }));
      } else if (!isPrompt && (isDone || !this.#wasAsked))
        for (const { content } of messages) {
          const heading = paint(["bold", "magenta"], `${this.#table.other!.name} is told`);
          write(toldBlock(heading, content, { columns: columns(), before }));
        }
    };
    if (seat === "model") this.#recall = this.#memory.length === 0 ? undefined : show;
    if (this.#memory.length === 0) show();
  }

  /** Shows what the model says now. */
  #replyOf(message: AssistantMessage, details: readonly string[]): () => void {
    const { other, write, columns } = this.#table;
    const about = [`turn ${this.#episode.turns + 1}`, ...details].join(" · ");
    const heading = `${paint(["bold", "green"], other!.name)} ${paint("dim", about)}`;
    return () => write(replyBlock(heading, message, columns()));
  }

  #show(): void {
    const { write, columns } = this.#table;
    for (const message of this.#episode.messages)
      write(messageBlock(message, { columns: columns() }));
  }

  async #end({ stopReason = "end" }: Observation): Promise<number> {
    const { turns } = this.#episode;
    const { reward, scores } = await this.#episode.score();
    const why = `${turns} ${turns === 1 ? "turn" : "turns"}${stopReason === "end" ? "" : `, ended by ${stopReason}`}`;
    this.#table.write(endBlock({ reward, scores }, { why, columns: this.#table.columns() }));
    return reward;
  }

  #turnSeed(): number {
    const { keyed, attempt } = this.#game;
    return random(this.#table.seed, keyed.key, "play", attempt, this.#episode.turns).int(2 ** 31);
  }
}
