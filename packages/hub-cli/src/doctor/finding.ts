import { isHubRequestError } from "@envs/hub-client";

/** A result of a check. A `bad` finding makes commands fail; a `note` does not. */
export interface Finding {
  readonly state: "good" | "note" | "bad";
  readonly text: string;
}

export function good(text: string): Finding {
  return { state: "good", text };
}

export function note(text: string): Finding {
  return { state: "note", text };
}

export function bad(text: string): Finding {
  return { state: "bad", text };
}

/** Runs a check against a hub: its text is good, a failed request is bad. */
export async function findingOf(check: () => Promise<string>): Promise<Finding> {
  try {
    return good(await check());
  } catch (error) {
    if (isHubRequestError(error)) return bad(error.message);
    throw error;
  }
}
