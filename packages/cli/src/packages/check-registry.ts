import { FailureError } from "../terminal/errors.ts";

/**
 * Throws a `FailureError` unless a registry answers within the time. Package managers try for minutes, and may leave a project
 * half installed. Accepts any response, because a registry may require a login.
 */
export async function checkRegistry(registry: string, timeoutMs = 10_000): Promise<void> {
  // Node's `fetch` does not use the proxy that package managers use.
  if (Object.keys(process.env).some((name) => /^https?_proxy$/i.test(name))) return;
  try {
    const response = await fetch(new URL("/-/ping", registry), {
      signal: AbortSignal.timeout(timeoutMs),
    });
    await response.body?.cancel();
  } catch (error) {
    const { cause, message } = error as Error;
    const reason = cause instanceof Error ? cause.message : message;
    throw new FailureError(
      `The registry ${registry} does not answer: ${reason}. Nothing was installed. Check the network, and that the hub is running.`,
    );
  }
}
