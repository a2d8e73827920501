import type { Datum } from "../backend.ts";

/** What fits a request: services take a few megabytes, and a datum says some 40 characters a token. */
const most = { data: 256, tokens: 100_000 };

/** Cuts a batch into requests; a datum is never cut. */
export function* chunksOf(data: readonly Datum[]): Generator<readonly Datum[]> {
  let chunk: Datum[] = [];
  let tokens = 0;
  for (const datum of data) {
    const { length } = datum.inputs;
    if (chunk.length > 0 && (chunk.length === most.data || tokens + length > most.tokens)) {
      yield chunk;
      chunk = [];
      tokens = 0;
    }
    chunk.push(datum);
    tokens += length;
  }
  if (chunk.length > 0) yield chunk;
}
