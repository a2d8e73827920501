const overflowMessage =
  /context[ _]length|maximum context|context window|too many tokens|prompt is too long|exceeds? the (?:available )?context|max_model_len|longer than the maximum model length/i;

/** Whether an error response means that the conversation exceeds the model's context. Servers share no code for this. */
export function isOverflow(status: number, message: string): boolean {
  // A rate limit may mention tokens too: "Too many tokens, please wait".
  return status === 413 || (status < 500 && status !== 429 && overflowMessage.test(message));
}
