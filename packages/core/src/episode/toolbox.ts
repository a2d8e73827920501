import type { EpisodeContext } from "../definition/context.ts";
import type { AnyDefinition } from "../definition/environment.ts";
import { specsOf, toolSpecsOf } from "../definition/inspect.ts";
import { checkToolset, type Toolset } from "../definition/tool.ts";
import { withWorkspace } from "../definition/workspace-tool.ts";
import type { HookScope } from "../hook-scope.ts";
import { mediaLimitsOf } from "../message/check-content.ts";
import type { Message, ToolCall } from "../message/message.ts";
import type { ToolSpec } from "../model/model.ts";
import { runToolCalls } from "./call-batches.ts";
import { ToolUseCounter } from "./call-counts.ts";

type Context = EpisodeContext<never, never, unknown, never>;

/** The tools of one episode, and what their calls returned. */
export class Toolbox {
  /** Empty before `open`, if the definition computes the tools. */
  specs: readonly ToolSpec[];
  /** The errors that tools threw, as the model received them. */
  readonly errors: string[] = [];
  readonly uses: ToolUseCounter = new ToolUseCounter();
  readonly #definition: AnyDefinition;
  readonly #scope: HookScope;
  #toolset: Toolset = {};

  constructor(definition: AnyDefinition, scope: HookScope) {
    this.#definition = definition;
    this.#scope = scope;
    this.specs = toolSpecsOf({ definition }) ?? [];
  }

  /** Whether the tools belong to this episode, so that other examples may have different ones. */
  get isOwn(): boolean {
    return typeof this.#definition.tools === "function";
  }

  /** Whether calls have a tool to run. */
  get canRun(): boolean {
    return this.specs.length > 0 || this.#definition.workspace !== undefined;
  }

  /** Computes the tools of this episode, after `setup`. */
  async open(context: Context): Promise<void> {
    const { name, tools = {} } = this.#definition;
    if (typeof tools !== "function") {
      this.#toolset = withWorkspace(this.#definition, tools);
      return;
    }
    await this.#scope.run("environment", "tools", async () => {
      const toolset = await tools(context);
      checkToolset(name, toolset);
      this.specs = specsOf(toolset);
      this.#toolset = withWorkspace(this.#definition, toolset);
    });
  }

  /** Runs the calls of a message, and appends their results to `messages`. Resolves to whether a tool ended the episode. */
  run(calls: readonly ToolCall[], messages: Message[], context: Context): Promise<boolean> {
    const { errors, uses } = this;
    return runToolCalls(calls, { messages, errors, uses }, context, {
      toolset: this.#toolset,
      isStrict: this.#definition.episode?.toolErrors === "fail",
      scope: this.#scope,
      limits: mediaLimitsOf(this.#definition),
    });
  }
}
