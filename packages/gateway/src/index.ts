// Agents as models
export { agent } from "./agent/agent.ts";
export type { Agent, AgentOptions } from "./agent/agent.ts";
export type { AgentContext, AgentFiles, AgentFunction } from "./agent/agent-run.ts";
export type { AgentTool, AgentTools } from "./agent/agent-tools.ts";
export { agentProgram } from "./agent/program.ts";
export type { AgentProgram, ProgramContext } from "./agent/program.ts";
export type { ProgramFolders } from "./agent/program-folders.ts";
export { shellAgent } from "./shell/shell-agent.ts";
export { agentPreset } from "./presets/agent-preset.ts";
export type { AgentPresetOptions } from "./presets/agent-preset.ts";

// The endpoint alone
export type { DialectName } from "./dialects/dialect.ts";
export { startGateway } from "./gateway.ts";
export type { Gateway, GatewayOptions, GatewaySession } from "./gateway.ts";
export type { SessionLimits } from "./limits.ts";
export type { SessionOptions } from "./session-options.ts";

// Models of providers
export type { ServerOptions } from "@envs/models";
export { gemini, messages, responses } from "./models.ts";
