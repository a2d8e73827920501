import { ServeError } from "../errors.ts";
import type { EnvironmentCard } from "../host/episode-host.ts";
import type { ServerStatus } from "../http/status-routes.ts";
import { EpisodeWorker, type WorkerEpisode } from "./episode-worker.ts";
import type { WorkerSetup } from "./messages.ts";

/** Options of a {@link WorkerPool}. */
export interface WorkerPoolOptions {
  readonly setup: Omit<WorkerSetup, "cards">;
  readonly count: number;
  /** The time without an answer after which a worker is killed. */
  readonly hangTimeoutMs: number;
  /** Receives errors that belong to no session, and the ends of workers. */
  readonly log: (error: Error, message: string) => void;
}

/** An episode that begins in a worker. */
export interface PlaceableEpisode extends WorkerEpisode {
  worker: EpisodeWorker | undefined;
  /** The worker in which the episode must run, if others are scored together with it. */
  readonly workerOfPeers: () => EpisodeWorker | undefined;
}

/** The delays before the replacement of a worker that ended within `earlyMs`. Other workers are replaced at once. */
const backoff = { minMs: 100, maxMs: 10_000, earlyMs: 5000 };

const maxTickMs = 100;

/** How long workers may take to end after their last episode. */
const closeTimeoutMs = 10_000;

/** Workers that serve the same environments. One that ends or hangs is replaced. */
export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #tickMs: number;
  readonly #ready = new Set<EpisodeWorker>();
  readonly #all = new Set<EpisodeWorker>();
  readonly #ticks: NodeJS.Timeout;
  #restart: NodeJS.Timeout | undefined;
  /** Resolves when a worker may have become free. */
  #change = Promise.withResolvers<void>();
  #earlyEnds = 0;
  #closing: Promise<void> | undefined;
  #killed = 0;
  #crashed = 0;
  cards: readonly EnvironmentCard[] = [];

  private constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#tickMs = Math.min(options.hangTimeoutMs / 10, maxTickMs);
    this.#ticks = setInterval(() => this.#tick(), this.#tickMs);
  }

  /**
   * Starts all workers. The first one counts the datasets for the others, because reading a dataset may take seconds. Throws the first
   * error of a worker that cannot load the environments.
   */
  static async start(options: WorkerPoolOptions): Promise<WorkerPool> {
    const pool = new WorkerPool(options);
    try {
      pool.cards = await pool.#add();
      await Promise.all(Array.from({ length: options.count - 1 }, () => pool.#add()));
      return pool;
    } catch (error) {
      for (const worker of pool.#all) worker.kill();
      await pool.close();
      throw error;
    }
  }

  get status(): ServerStatus["processes"] {
    const blocked = [...this.#ready].filter(({ isBlocked }) => isBlocked).length;
    return { ready: this.#ready.size, blocked, killed: this.#killed, crashed: this.#crashed };
  }

  /**
   * Adds an episode to the worker with the fewest of those that answer, or to that of its peers, once it answers. Starts
   * another worker if none answers.
   */
  async place(episode?: PlaceableEpisode): Promise<EpisodeWorker> {
    for (;;) {
      if (this.#closing !== undefined) throw new ServeError("closed", "The server is closing.");
      const only = episode?.workerOfPeers();
      const candidates = only !== undefined && this.#ready.has(only) ? [only] : [...this.#ready];
      const answering = candidates.filter(({ isBlocked }) => !isBlocked);
      if (answering.length > 0) {
        const worker = answering.reduce((a, b) => (b.episodeCount < a.episodeCount ? b : a));
        if (episode !== undefined) {
          // At once, so that the next episode sees it.
          episode.worker = worker;
          worker.add(episode);
        }
        return worker;
      }
      if (only === undefined) this.#addSpare();
      await this.#change.promise;
    }
  }

  /** Ends all workers. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    clearTimeout(this.#restart);
    this.#announceChange();
    for (const worker of this.#all) worker.close();
    const timer = setTimeout(() => {
      for (const worker of this.#all) worker.kill();
    }, closeTimeoutMs);
    await Promise.all([...this.#all].map(({ exited }) => exited));
    clearTimeout(timer);
    clearInterval(this.#ticks);
  }

  async #add(): Promise<readonly EnvironmentCard[]> {
    const { log } = this.#options;
    const setup = { ...this.#options.setup, cards: this.cards };
    const worker: EpisodeWorker = new EpisodeWorker(setup, {
      onReport: (error) => log(error, "No code handles this error. It belongs to no session."),
      onEnd: (cause) => {
        this.#all.delete(worker);
        const wasReady = this.#ready.delete(worker);
        // Until it is ready, the caller receives the error.
        if (this.#closing !== undefined || !wasReady) return;
        log(cause, "A process ended.");
        if (!worker.isKilled) this.#crashed += 1;
        // Replaces a blocked worker without a delay, because it has run for at least the time limit of a step.
        this.#replaceSoon(!worker.isKilled && worker.ageMs < backoff.earlyMs);
      },
    });
    this.#all.add(worker);
    const cards = await worker.ready;
    this.#ready.add(worker);
    this.#announceChange();
    return cards;
  }

  /** Starts a worker besides blocked ones, at most as many as the configured number. */
  #addSpare(): void {
    const isStarting = this.#all.size > this.#ready.size;
    if (isStarting || this.#all.size >= 2 * this.#options.count) return;
    this.#add().catch((error: Error) => this.#options.log(error, "A process could not start."));
  }

  #replaceSoon(endedEarly: boolean): void {
    const { minMs, maxMs } = backoff;
    this.#earlyEnds = endedEarly ? this.#earlyEnds + 1 : 0;
    const delay = this.#earlyEnds < 2 ? 0 : Math.min(minMs * 2 ** this.#earlyEnds, maxMs);
    clearTimeout(this.#restart);
    this.#restart = setTimeout(() => void this.#refill(), delay);
  }

  async #refill(): Promise<void> {
    const missing = this.#options.count - this.#all.size;
    if (this.#closing !== undefined || missing <= 0) return;
    const starts = Array.from({ length: missing }, () => this.#add());
    const results = await Promise.allSettled(starts);
    if (this.#closing === undefined && results.some(({ status }) => status === "rejected"))
      this.#replaceSoon(true);
  }

  #tick(): void {
    for (const worker of this.#ready) {
      const missedMs = worker.tick() * this.#tickMs;
      if (worker.isKilled || missedMs <= this.#options.hangTimeoutMs) continue;
      this.#killed += 1;
      worker.kill();
    }
    // Ends a spare worker once it is not needed.
    const spare = [...this.#ready].find(({ isIdle }) => isIdle);
    if (spare !== undefined && this.#ready.size > this.#options.count) {
      this.#ready.delete(spare);
      spare.close();
    }
    this.#announceChange();
  }

  #announceChange(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers();
  }
}
