import type { ContentPart, TextPart } from "@envs/core";
import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client";

/**
 * Converts a result of MCP to a tool's result: text if all blocks are text, else parts, or the structured content as JSON if
 * there is no block. Servers that send both repeat the structured content as text.
 */
export function toolValue({ content, structuredContent }: CallToolResult): unknown {
  if (content.length === 0) return structuredContent ?? "";
  const parts = content.map(partOf);
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return texts.length === parts.length ? texts.join("\n") : parts;
}

/** The text of a result, for errors. */
export function resultText(result: CallToolResult): string {
  const value = toolValue(result);
  return typeof value === "string" ? value : JSON.stringify(value);
}

function partOf(block: ContentBlock): ContentPart {
  switch (block.type) {
    case "text":
      return text(block.text);
    case "image":
      return mediaPart(block.mimeType, block.data, "image");
    case "audio":
      return mediaPart(block.mimeType, block.data, "audio");
    case "resource_link": {
      const { uri, name, description, mimeType } = block;
      const kind = mimeType === undefined ? "" : ` (${mimeType})`;
      return text(`Resource ${name}${kind}: ${uri}${description ? `\n${description}` : ""}`);
    }
    case "resource": {
      const { resource } = block;
      if ("text" in resource) return text(resource.text);
      const { mimeType = "application/octet-stream", blob, uri } = resource;
      return mediaPart(mimeType, blob, uri.split("/").at(-1) || "resource");
    }
  }
}

function text(text: string): TextPart {
  return { type: "text", text };
}

/** Images and audio of formats that model servers do not accept are files. */
function mediaPart(mediaType: string, data: string, filename: string): ContentPart {
  const url = `data:${mediaType};base64,${data}`;
  if (/^image\/(?:png|jpeg|gif|webp)$/u.test(mediaType))
    return { type: "image_url", image_url: { url } };
  if (/^audio\/(?:x-)?wav$/u.test(mediaType))
    return { type: "input_audio", input_audio: { data, format: "wav" } };
  if (/^audio\/(?:mpeg|mp3)$/u.test(mediaType))
    return { type: "input_audio", input_audio: { data, format: "mp3" } };
  return { type: "file", file: { filename, file_data: url } };
}
