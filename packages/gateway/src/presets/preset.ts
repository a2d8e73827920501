import type { AgentOptions } from "../agent/agent.ts";
import type { AgentProgram } from "../agent/program.ts";
import type { DialectName } from "../dialects/dialect.ts";

/** How a program of others is run as an agent. */
export interface Preset {
  /** The program's name in messages. */
  readonly name: string;
  /** The dialects that it can speak, its default first. */
  readonly dialects: readonly [DialectName, ...DialectName[]];
  readonly program: (dialect: DialectName) => Omit<AgentProgram, keyof AgentOptions>;
}
