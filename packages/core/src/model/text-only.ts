import { ConfigError, RolloutError } from "../errors.ts";
import { type Content, mediaParts, textOf } from "../message/content.ts";
import { describePart } from "../message/describe-content.ts";
import type { ModelCheck } from "./model.ts";

/** The `check` of a model that reads text only: throws a `ConfigError` for an environment that declares other parts. */
export function checkTextOnly(model: string): (environment: ModelCheck) => void {
  return ({ name, media }) => {
    if (media.length === 0) return;
    throw new ConfigError(
      `${model} reads text only, and ${name} sends ${listOf(media)}. Choose a model that accepts ${listOf(media)}.`,
    );
  };
}

/** Returns the text of a content. Throws a `RolloutError` with the code `model` for images, audio and files. */
export function requireText(content: Content, model: string): string {
  const [part] = mediaParts(content);
  if (part === undefined) return textOf(content);
  throw new RolloutError(
    "model",
    `${model} reads text only, and the conversation contains ${describePart(part)}. Choose a model that accepts it.`,
    { isFatal: true },
  );
}

const nouns = { image: "images", audio: "audio", file: "files" } as const;

function listOf(media: ModelCheck["media"]): string {
  return media.map((kind) => nouns[kind]).join(" and ");
}
