import {
  choiceOption,
  integerOption,
  listOption,
  numberOption,
  positive,
  UsageError,
  type ArgsDef,
  textOptions,
  valueOption,
  flag,
} from "@envs/cli/kit";

import { type TokenPrice, tokenPrice } from "../../node/token-meter.ts";
import { type BackendName, backendNames } from "../../train/model-settings.ts";

/** The options of `envs train` for an adapter of a real model, on this machine or on a service. */
export const serviceArguments = {
  backend: valueOption(
    "tiny: a tiny model; lora: an adapter of a real model on this machine; tinker: a large model on a service with Tinker's API (default: the recipe's)",
    "name",
  ),
  model: valueOption(
    "Real model to train on this machine: a folder of transformers, a GGUF file, a package or a model of Hugging Face; needs @envs/lora",
    "folder",
  ),
  "base-url": valueOption(
    "URL of the training service, without /api/v1 (default: TINKER_BASE_URL)",
    "url",
  ),
  "api-key-var": valueOption(
    "Environment variable that holds the service's API key (default: TINKER_API_KEY, if set)",
    "name",
  ),
  "base-model": valueOption("Model of the service to train (default: the recipe's)", "name"),
  tokenizer: valueOption(
    "Tokenizer and chat template of the base model: a folder, or a model of Hugging Face (default: the base model)",
    "folder",
  ),
  "lora-rank": valueOption(
    "Rank of the trained adapter (default: the recipe's, else 16, on a service 32)",
    "count",
  ),
  "lora-alpha": valueOption(
    "Scale of the adapter on this machine, times its rank (default: the recipe's, else 32)",
    "number",
  ),
  "lora-targets": valueOption(
    "Matrices that the adapter on this machine changes, such as q_proj,v_proj (default: the recipe's, else all seven)",
    "names",
  ),
  "context-length": valueOption(
    "Maximum length of a conversation in tokens (default: the service's; on this machine 1024)",
    "count",
  ),
  price: valueOption(
    "Prices per million tokens that are read, sampled and trained on, such as 0.07,0.22,0.22; the run then shows its cost",
    "prices",
  ),
  doctor: flag("Show what a service can do, and what the recipe lacks there; trains nothing"),
} as const satisfies ArgsDef;

/** The parts of a plan that these options override. */
export interface ServiceOverrides {
  readonly backend?: BackendName | undefined;
  readonly localModel?: string | undefined;
  readonly loraAlpha?: number | undefined;
  readonly loraTargets?: readonly string[] | undefined;
  readonly baseModel?: string | undefined;
  readonly tokenizer?: string | undefined;
  readonly loraRank?: number | undefined;
  readonly contextLength?: number | undefined;
}

/** The address, key and price of a service, which do not change the weights. */
export interface ServiceAddress {
  readonly baseURL?: string | undefined;
  readonly apiKeyVariable?: string | undefined;
  readonly price?: TokenPrice | undefined;
}

type Values = Readonly<
  Partial<Record<keyof typeof serviceArguments, string | boolean | undefined>>
>;

/** Reads the options of {@link serviceArguments}. */
export function serviceOptions(args: Values): ServiceOverrides & ServiceAddress {
  const text = textOptions(args);
  return {
    backend: choiceOption("backend", text("backend"), backendNames),
    localModel: text("model"),
    loraAlpha: numberOption("lora-alpha", text("lora-alpha"), positive),
    loraTargets: listOption(text("lora-targets")),
    baseModel: text("base-model"),
    tokenizer: text("tokenizer"),
    loraRank: integerOption("lora-rank", text("lora-rank")),
    contextLength: integerOption("context-length", text("context-length")),
    baseURL: text("base-url"),
    apiKeyVariable: text("api-key-var"),
    price: priceOption(text("price")),
  };
}

function priceOption(text: string | undefined): TokenPrice | undefined {
  if (text === undefined) return undefined;
  const [prompt, sampled, trained, ...rest] = text
    .split(",")
    .map((part) => (part.trim() === "" ? Number.NaN : Number(part)));
  const parsed = tokenPrice.safeParse({ prompt, sampled, trained });
  if (parsed.success && rest.length === 0) return parsed.data;
  throw new UsageError(
    `--price is ${JSON.stringify(text)}. It must be three prices per million tokens: read, sampled, trained. Example: --price 0.07,0.22,0.22`,
  );
}
