import type { ImageSource, PrepareOptions } from "../machine.ts";

interface Build {
  readonly image: Promise<string>;
  readonly stop: AbortController;
  waiting: number;
}

/** Builds each image once at a time: machines that need the same one wait together. A build stops when all of them have given up. */
export class SharedBuilds {
  readonly #prepare: (image: ImageSource, options: PrepareOptions) => Promise<string>;
  readonly #builds = new Map<string, Build>();

  constructor(prepare: (image: ImageSource, options: PrepareOptions) => Promise<string>) {
    this.#prepare = prepare;
  }

  async image(source: ImageSource, options: PrepareOptions): Promise<string> {
    const key = JSON.stringify(source);
    const build = this.#builds.get(key) ?? this.#start(key, source, options);
    build.waiting += 1;
    const aborted = Promise.withResolvers<never>();
    const abort = (): void => aborted.reject(options.signal?.reason);
    options.signal?.addEventListener("abort", abort, { once: true });
    try {
      options.signal?.throwIfAborted();
      return await Promise.race([build.image, aborted.promise]);
    } finally {
      options.signal?.removeEventListener("abort", abort);
      build.waiting -= 1;
      if (build.waiting === 0) this.#stop(key, build);
    }
  }

  #start(key: string, source: ImageSource, options: PrepareOptions): Build {
    const stop = new AbortController();
    const image = this.#prepare(source, { ...options, signal: stop.signal });
    const build = { image, stop, waiting: 0 };
    this.#builds.set(key, build);
    void image.catch(() => {}).finally(() => this.#stop(key, build));
    return build;
  }

  #stop(key: string, build: Build): void {
    build.stop.abort();
    if (this.#builds.get(key) === build) this.#builds.delete(key);
  }
}
