/** The models that this package loads for the command line, by the prefixes of their names. */
export const models = {
  agent: async () => (await import("./commands/load-agent.ts")).loadAgent,
  acp: async () => (await import("./commands/load-acp.ts")).loadAcp,
  program: async () => (await import("./commands/load-program.ts")).loadProgram,
  shell: async () => (await import("./commands/load-shell.ts")).loadShell,
};

export { importAgent } from "./commands/load-agent.ts";
