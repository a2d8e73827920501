import type { Message } from "@envs/core";

/** A message of a rollout. The conversation that it ends is the path to it from the first message. */
export interface MessageNode {
  /** The index of the message before it; `undefined` for the first of a conversation. */
  readonly parent: number | undefined;
  readonly message: Message;
}

/** Conversations as a tree: messages that several of them begin with are stored once. */
export class MessageTree {
  readonly nodes: MessageNode[] = [];
  /** The nodes after each node, by the JSON text of their messages. Texts differ if fields are in another order. */
  readonly #next = new Map<number | undefined, Map<string, number>>();

  /** Adds a conversation that follows a node. Returns the index of its last message, or `after` if it is empty. */
  add(messages: readonly Message[], after?: number): number | undefined {
    let last = after;
    for (const message of messages) last = this.#child(last, message);
    return last;
  }

  /** The number of the messages that the tree already has, and the index of the last of these. */
  find(messages: readonly Message[]): {
    readonly length: number;
    readonly node: number | undefined;
  } {
    let node: number | undefined;
    let length = 0;
    for (const message of messages) {
      const next = this.#next.get(node)?.get(JSON.stringify(message));
      if (next === undefined) break;
      node = next;
      length += 1;
    }
    return { length, node };
  }

  /** The nodes that no message follows, in the order of the calls. */
  get leaves(): readonly number[] {
    return this.nodes.flatMap((_, index) => (this.#next.has(index) ? [] : [index]));
  }

  hasNext(node: number): boolean {
    return this.#next.has(node);
  }

  #child(parent: number | undefined, message: Message): number {
    let siblings = this.#next.get(parent);
    if (siblings === undefined) this.#next.set(parent, (siblings = new Map()));
    const text = JSON.stringify(message);
    const known = siblings.get(text);
    if (known !== undefined) return known;
    const index = this.nodes.push({ parent, message }) - 1;
    siblings.set(text, index);
    return index;
  }
}
