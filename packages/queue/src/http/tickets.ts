import { createHmac, timingSafeEqual } from "node:crypto";

import { canonicalJson } from "@envs/core/engine";

import type { Lease, LeaseKey } from "../queue.ts";

/**
 * Signs leases, so that a host can return only its own leases and the server stores nothing. A heartbeat sends a lease without
 * its group: its ticket signs the attempt, and the hash of the group within it.
 */
export class Tickets {
  readonly #secret: string;

  constructor(secret: string) {
    this.#secret = secret;
  }

  sign(host: string, lease: Lease): string {
    const group = this.#group(lease);
    return `${group}.${this.#mac("attempt", host, lease.id, lease.attempt, lease.runId, group)}`;
  }

  /** Whether the ticket was signed for this attempt and host. */
  isOfAttempt(host: string, { id, attempt, runId }: LeaseKey, ticket: string): boolean {
    const [group = "", signature = ""] = ticket.split(".");
    return isEqual(signature, this.#mac("attempt", host, id, attempt, runId, group));
  }

  /** Whether the ticket was signed for this attempt and host, and for this group. */
  isOfLease(host: string, lease: Lease, ticket: string): boolean {
    const [group = ""] = ticket.split(".");
    return this.isOfAttempt(host, lease, ticket) && isEqual(group, this.#group(lease));
  }

  #group({ group, isSuspect }: Lease): string {
    return this.#mac("group", canonicalJson({ group, isSuspect }));
  }

  #mac(...parts: readonly (string | number)[]): string {
    return createHmac("sha256", this.#secret)
      .update(JSON.stringify(parts))
      .digest("base64url")
      .slice(0, 32);
  }
}

function isEqual(value: string, expected: string): boolean {
  const [left, right] = [Buffer.from(value), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}
