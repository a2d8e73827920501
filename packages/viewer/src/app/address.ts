import { useCallback, useSyncExternalStore } from "react";

/** The state in the address, so that links can contain it. */
export interface Address {
  readonly run: string;
  readonly view: string;
  readonly rollout: string;
  /** The message that the page scrolls to, from 0. */
  readonly message: string;
  readonly where: string;
  readonly sort: string;
  readonly status: string;
  /** The part of a mix whose rollouts are listed. */
  readonly part: string;
  /** The searched text. */
  readonly text: string;
  /** The run to compare with. */
  readonly other: string;
  readonly score: string;
  /** `markdown` or `json`; by default the exact text. */
  readonly format: string;
}

const names = [
  "run",
  "view",
  "rollout",
  "message",
  "where",
  "sort",
  "status",
  "part",
  "text",
  "other",
  "score",
  "format",
] as const satisfies readonly (keyof Address)[];

/** Reads the part of an address after `#`. */
function parseAddress(hash: string): Address {
  const parameters = new URLSearchParams(hash.replace(/^#/u, ""));
  return Object.fromEntries(
    names.map((name) => [name, parameters.get(name) ?? ""]),
  ) as unknown as Address;
}

/** Writes the part of an address after `#`. Omits empty fields. */
function formatAddress(address: Partial<Address>): string {
  const parameters = new URLSearchParams();
  for (const name of names) {
    const value = address[name];
    if (value !== undefined && value !== "") parameters.set(name, value);
  }
  return `#${parameters}`;
}

export type Navigate = (change: Partial<Address>, mode?: "push" | "replace") => void;

/** The address of the page, and a function that changes parts of it. */
export function useAddress(): readonly [Address, Navigate] {
  const hash = useSyncExternalStore(subscribe, () => location.hash);
  const navigate = useCallback<Navigate>((change, mode = "push") => {
    const next = formatAddress({ ...parseAddress(location.hash), ...change });
    if (next === location.hash) return;
    if (mode === "replace") history.replaceState(null, "", next);
    else history.pushState(null, "", next);
    // Neither pushState nor replaceState notifies anyone.
    dispatchEvent(new HashChangeEvent("hashchange"));
  }, []);
  return [parseAddress(hash), navigate];
}

function subscribe(listener: () => void): () => void {
  addEventListener("hashchange", listener);
  addEventListener("popstate", listener);
  return () => {
    removeEventListener("hashchange", listener);
    removeEventListener("popstate", listener);
  };
}
