import { imagePart } from "@envs/core";
import { messageOf } from "@envs/core/engine";
import * as z from "zod";

/** An image in a message: the result of `imagePart()` of `@envs/core`. */
type Image = ReturnType<typeof imagePart>;

type ImageCell =
  | Uint8Array
  | { readonly bytes: Uint8Array | null; readonly path?: string | null | undefined };

/**
 * The schema of a column of images, as Python's `datasets` stores them: its rows have content parts for prompts. The bytes
 * become a `data:` URL, because an example is JSON.
 */
export const imageColumn: z.ZodType<Image, ImageCell> = imageCell().transform(
  (cell, { issues }) => {
    const source = cell instanceof Uint8Array ? cell : (cell.bytes ?? cell.path ?? "");
    try {
      return imagePart(source);
    } catch (error) {
      issues.push({ code: "custom", message: messageOf(error), input: cell });
      return z.NEVER;
    }
  },
);

function imageCell(): z.ZodType<ImageCell, ImageCell> {
  const bytes = z.instanceof(Uint8Array);
  return z.union([bytes, z.object({ bytes: bytes.nullable(), path: z.string().nullish() })]);
}
