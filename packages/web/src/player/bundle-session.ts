import { type BundleClient, bundleClient } from "@envs/records/bundle";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";

import { SandboxClient } from "./sandbox-client.ts";
import { type BundleSource, type EpisodeChoice, PlayError, type PlaySession } from "./session.ts";
import { readReply, readStarted, readView } from "./view-schema.ts";

/** Plays published code in the page. If the code has ended, the next episode starts it again. */
export class BundleSession implements PlaySession {
  readonly #source: BundleSource;
  #code: Promise<string> | undefined;
  #sandbox: SandboxClient | undefined;
  #client: BundleClient | undefined;
  #episode: number | undefined;

  constructor(source: BundleSource) {
    this.#source = source;
  }

  async start({ example, config, ...choice }: EpisodeChoice) {
    const client = await this.#open();
    if (this.#episode !== undefined) void client.close({ episode: this.#episode }).catch(() => {});
    const started = readStarted(
      await client.start({ ...choice, config, example: { index: example } }),
    );
    this.#episode = started.episode;
    return started;
  }

  async respond(reply: Parameters<PlaySession["respond"]>[0]) {
    const { client, episode } = this.#current();
    return readView(await client.respond({ episode, reply }));
  }

  async advise(policy: string) {
    const { client, episode } = this.#current();
    return readReply(await client.advise({ episode, policy }));
  }

  close(): void {
    this.#sandbox?.close();
  }

  async #open(): Promise<BundleClient> {
    if (this.#client !== undefined && this.#sandbox?.problem === undefined) return this.#client;
    this.#episode = undefined;
    this.#code ??= loadCode(this.#source);
    let code: string;
    try {
      code = await this.#code;
    } catch (error) {
      this.#code = undefined;
      throw error;
    }
    const sandbox = await SandboxClient.open({ frameUrl: this.#source.frameUrl, code });
    this.#sandbox = sandbox;
    this.#client = bundleClient((text) => sandbox.send(text));
    return this.#client;
  }

  #current(): { readonly client: BundleClient; readonly episode: number } {
    if (this.#client === undefined || this.#episode === undefined)
      throw new PlayError("No episode has started.", { isLost: true });
    return { client: this.#client, episode: this.#episode };
  }
}

/** Downloads the code, and rejects code with another hash. */
async function loadCode({ codeUrl, sha256: expected }: BundleSource): Promise<string> {
  const response = await fetch(codeUrl);
  if (!response.ok)
    throw new PlayError(`The environment cannot be downloaded: status ${response.status}.`);
  const bytes = new Uint8Array(await response.arrayBuffer());
  // Browsers offer their own hash functions only to pages over HTTPS.
  const actual = bytesToHex(sha256(bytes));
  if (actual !== expected)
    throw new PlayError(
      `The environment's code has the hash ${actual}, and the manifest says ${expected}. It was not run.`,
    );
  return new TextDecoder().decode(bytes);
}
