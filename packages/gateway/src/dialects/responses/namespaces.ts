import type { FunctionTool, ResponsesRequest } from "./schema.ts";

/** A function of a request. */
export interface OfferedTool {
  /** The name under which the model is offered the function. */
  readonly offeredName: string;
  readonly tool: FunctionTool;
  /** The group of the function: Codex makes one of each MCP server. */
  readonly namespace: string | undefined;
}

/**
 * The functions among the tools, also those in namespaces. Our models have no namespaces, so equal names of functions get their
 * namespace as a prefix. Tools that OpenAI executes are not offered.
 */
export function offeredTools({ tools }: Pick<ResponsesRequest, "tools">): readonly OfferedTool[] {
  const functions = (tools ?? []).flatMap((tool): readonly Omit<OfferedTool, "offeredName">[] => {
    if ("tools" in tool)
      return tool.tools.flatMap((inner) =>
        "name" in inner ? [{ tool: inner, namespace: tool.name }] : [],
      );
    return "name" in tool ? [{ tool, namespace: undefined }] : [];
  });
  return functions.map(({ tool, namespace }) => {
    const isUnique = functions.filter((other) => other.tool.name === tool.name).length === 1;
    const offeredName =
      isUnique || namespace === undefined ? tool.name : `${namespace}__${tool.name}`;
    return { offeredName, tool, namespace };
  });
}
