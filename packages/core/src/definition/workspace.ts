import type { WorkspaceChanges, WorkspaceFiles } from "../model/workspace-files.ts";
import type { EpisodeContext } from "./context.ts";

/** What `workspace.save` receives. */
export interface WorkspaceContext<
  Config,
  E,
  State,
  Seat = string | undefined,
> extends EpisodeContext<Config, E, State, Seat> {
  /** What the program has changed since it received the files. */
  readonly files: WorkspaceChanges;
}

/** The folder of an agent program: what it finds there, and what it leaves. */
export interface WorkspaceDefinition<Config, E, State, Seat = string | undefined> {
  /** Returns the files that the program finds. Called for each observation; a program keeps its folder between them. */
  files(context: EpisodeContext<Config, E, State, Seat>): WorkspaceFiles | Promise<WorkspaceFiles>;
  /**
   * Accepts the changes of the program, before its reply: put them into the state, for the scores. It is a call of the tool
   * `workspace`, so it takes one of `maxTurns`, and is in the conversation. Throw for changes that are not allowed.
   */
  save(context: WorkspaceContext<Config, E, State, Seat>): void | Promise<void>;
}
