import { connect } from "node:net";

import { random } from "@envs/core";

import { isPublished, packRelease, publish, type Release } from "../support/hub/publishing.ts";
import type { Soak } from "./soak.ts";

const maxWaitMs = 60_000;
/** The number of packages to which each publisher adds versions in turn. */
const packagesPerPublisher = 50;

/** Clients of a hub that is faulty at times. They remember what the hub acknowledged. */
export class HubClients {
  readonly acknowledged: Release[] = [];
  /** Statuses of publishes, with their counts; `none` without a response. */
  readonly statuses: Record<string, number> = {};
  /** Requests without a response within the limit. */
  readonly hangs: string[] = [];
  reads = 0;
  readonly #soak: Soak;
  readonly #url: () => string;
  readonly #token: string;

  /** `url` returns another address after a restart of the hub. */
  constructor(soak: Soak, url: () => string, token: string) {
    this.#soak = soak;
    this.#url = url;
    this.#token = token;
  }

  /** Publishes versions, one after another. */
  async publish(number: number): Promise<void> {
    const draw = random("hub soak publisher", number);
    for (let version = 0, goesOn = true; goesOn; version += 1) {
      const name = `@ada/package-${number}-${version % packagesPerPublisher}`;
      const content = `/* ${draw.next()} ${"x".repeat(draw.int(20_000))} */`;
      const release = packRelease(name, `1.${version}.0`, content);
      const user = { hub: this.#url(), token: this.#token };
      const status = await this.#attempt("publish", () => publish(user, release));
      const key = String(status ?? "none");
      this.statuses[key] = (this.statuses[key] ?? 0) + 1;
      if (status === 201) this.acknowledged.push(release);
      goesOn = await this.#soak.wait(status === 201 ? 0.2 : 1);
    }
  }

  /** Reads and searches acknowledged versions. */
  async read(number: number): Promise<void> {
    const draw = random("hub soak reader", number);
    while (await this.#soak.wait(0.05)) {
      const release = this.acknowledged[draw.int(Math.max(this.acknowledged.length, 1))];
      if (release === undefined) continue;
      await this.check(release);
      const url = `${this.#url()}/-/v1/search?text=${release.name.slice("@ada/".length)}`;
      await this.#attempt("search", async () => (await fetch(url)).text());
    }
  }

  /** Whether the hub has the version. `undefined` if the hub cannot answer now. Does not throw. */
  async check(release: Release): Promise<boolean | undefined> {
    this.reads += 1;
    return await this.#attempt("read", () => isPublished(this.#url(), release));
  }

  /** Sends one byte of a publish per second, and reads nothing. */
  async sendSlowly(): Promise<void> {
    while (await this.#soak.wait(1)) {
      const { hostname, port } = new URL(this.#url());
      const socket = connect(Number(port), hostname);
      socket.on("error", () => socket.destroy());
      socket.pause();
      socket.write(
        `PUT /@ada%2fslow HTTP/1.1\r\nHost: ${hostname}\r\nContent-Length: 1000000\r\n\r\n`,
      );
      for (let count = 0; count < 60 && !socket.destroyed; count += 1) {
        if (!(await this.#soak.wait(1))) break;
        socket.write("x");
      }
      socket.destroy();
    }
  }

  /** A request may fail during a fault, but the hub has to react. */
  async #attempt<Result>(
    name: string,
    request: () => Promise<Result>,
  ): Promise<Result | undefined> {
    const started = this.#soak.seconds().toFixed(0);
    const timer = setTimeout(() => this.hangs.push(`${name} after ${started} s`), maxWaitMs);
    try {
      return await request();
    } catch {
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }
}
