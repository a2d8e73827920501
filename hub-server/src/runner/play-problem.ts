import type { HubPlay } from "@envs/hub-client";

/** Why the hub did not play a run, as the page of the run shows it. */
type PlayCode = Extract<HubPlay, { readonly code: string }>["code"];

/** Ends a play. */
export class PlayProblem extends Error {
  override readonly name = "PlayProblem";
  readonly code: PlayCode;

  constructor(code: PlayCode, message: string) {
    super(message.slice(0, 1000));
    this.code = code;
  }
}
