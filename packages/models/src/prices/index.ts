export { costOf } from "./token-price.ts";
export type { TokenPrice } from "./token-price.ts";
export { findPrice } from "./find-price.ts";
export type { KnownPrice, PricedModel } from "./find-price.ts";
