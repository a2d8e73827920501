const said =
  /context[ _]length|maximum context|context window|too many tokens|prompt is too long|exceeds? the (?:available )?context|max_model_len|longer than the maximum model length/i;

/** Tells from a refusal that the conversation no longer fits the model: servers have no common code for it. */
export function isOverflow(status: number, message: string): boolean {
  // A rate limit may count tokens too: "Too many tokens, please wait".
  return status === 413 || (status < 500 && status !== 429 && said.test(message));
}
