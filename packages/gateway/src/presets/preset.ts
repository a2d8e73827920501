import type { AgentOptions } from "../agent/agent.ts";
import type { AgentProgram } from "../agent/program.ts";
import type { DialectName } from "../dialects/dialect.ts";

/** How to run a third-party program as an agent. */
export interface Preset {
  /** The program's name in messages. */
  readonly name: string;
  /** The dialects that it can speak, its default first. */
  readonly dialects: readonly [DialectName, ...DialectName[]];
  /** The arguments with which the program speaks the Agent Client Protocol; absent if it cannot. */
  readonly acp?: readonly string[] | undefined;
  readonly program: (dialect: DialectName) => Omit<AgentProgram, keyof AgentOptions>;
}
