/** An extension of pi: the tools of the MCP server at `ENVIRONMENT_MCP_URL`. */
export const piTools = `export default async function (pi) {
  const request = async (method, params, signal) => {
    const response = await fetch(process.env.ENVIRONMENT_MCP_URL, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      signal,
    });
    const { result, error } = await response.json();
    if (error) throw new Error(error.message);
    return result;
  };
  const { tools } = await request("tools/list", {});
  for (const { name, description, inputSchema } of tools)
    pi.registerTool({
      name,
      label: name,
      description,
      parameters: inputSchema,
      async execute(_, input, signal) {
        const { content, isError } = await request("tools/call", { name, arguments: input }, signal);
        if (isError) throw new Error(content[0].text);
        return { content, details: {} };
      },
    });
}
`;
