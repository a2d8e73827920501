import { fromJsonSchema, type JsonSchemaType, type Tool } from "@modelcontextprotocol/client";
import * as z from "zod";

/**
 * A Zod schema that checks by a tool's JSON Schema, and that the model sees as this JSON Schema, unchanged: a translation to
 * Zod and back would lose words such as `not` and `patternProperties`.
 */
export function inputSchema({ inputSchema }: Tool): z.ZodObject {
  let validate: ((input: unknown) => Promise<readonly Problem[]>) | undefined;
  const schema = z.looseObject({}).superRefine(async (input, context) => {
    validate ??= validator(inputSchema);
    for (const { message, path } of await validate(input))
      context.addIssue({ code: "custom", message, path: [...path] });
  });
  // Without this, the refined schema of a loose object would be merged into this one.
  schema._zod.parent = undefined;
  schema._zod.toJSONSchema = () => structuredClone(inputSchema);
  return schema;
}

interface Problem {
  readonly message: string;
  readonly path: readonly PropertyKey[];
}

/** Compiled at the first call, because servers list many tools of which few are called. */
function validator(schema: Tool["inputSchema"]): (input: unknown) => Promise<readonly Problem[]> {
  try {
    const { validate } = fromJsonSchema(schema as JsonSchemaType)["~standard"];
    return async (input) => {
      const { issues = [] } = await validate(input);
      return issues.map(({ message, path = [] }) => ({
        message,
        path: path.map((step) => (typeof step === "object" ? step.key : step)),
      }));
    };
  } catch {
    // Ignores unknown keywords: the server validates its arguments itself.
    return async () => [];
  }
}
