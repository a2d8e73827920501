import type { Settings } from "../../platform/config/settings.ts";
import { startWorker, workerLimits } from "../../rescoring/sandbox/worker-process.ts";
import { attempt, failure, type Finding, ok, warning } from "./finding.ts";

const timeoutMs = 10_000;

/** Checks each upstream by npm's ping. */
export async function checkUpstreams({
  HUB_UPSTREAM,
  HUB_UPSTREAM_TOKENS,
}: Settings): Promise<readonly Finding[]> {
  const checks = (HUB_UPSTREAM?.list ?? []).map(({ origin }) => {
    const token = HUB_UPSTREAM_TOKENS?.get(new URL(origin).host);
    const remedy =
      "Check the URL in HUB_UPSTREAM, and the network. Until then, the hub serves its copies.";
    return attempt(`upstream ${origin}`, remedy, async () => {
      const response = await fetch(`${origin}${token === undefined ? "/-/ping" : "/-/whoami"}`, {
        headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
        signal: AbortSignal.timeout(timeoutMs),
        redirect: "manual",
      });
      await response.body?.cancel();
      const { status } = response;
      if (status === 401 || status === 403)
        return failure(
          `upstream ${origin}`,
          `It responds with ${status}.`,
          "Replace its token in HUB_UPSTREAM_TOKENS.",
        );
      return response.ok
        ? ok(`upstream ${origin}`, "responds")
        : warning(`upstream ${origin}`, `It responds with ${status}.`, remedy);
    });
  });
  return (await Promise.all(checks)).flat();
}

/** Checks that each provider with which users sign in responds, as the issuer that the settings name. */
export async function checkProviders({
  HUB_SIGN_IN_PROVIDERS = [],
}: Settings): Promise<readonly Finding[]> {
  const checks = HUB_SIGN_IN_PROVIDERS.map(({ id, issuer }) => {
    const check = `sign-in provider ${id}`;
    const remedy = "Check the issuer's URL in HUB_SIGN_IN_PROVIDERS, and the network.";
    return attempt(check, remedy, async () => {
      const isGitHub = id === "github";
      const url = isGitHub ? issuer : `${issuer}/.well-known/openid-configuration`;
      const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
      if (!response.ok) return failure(check, `${url} responds with ${response.status}.`, remedy);
      if (isGitHub) return ok(check, `${issuer} responds`);
      const { issuer: named } = (await response.json()) as { readonly issuer?: unknown };
      return typeof named === "string" && named.replace(/\/$/, "") === issuer
        ? ok(check, `${issuer} responds`)
        : failure(check, `It names the issuer ${JSON.stringify(named)}.`, remedy);
    });
  });
  return (await Promise.all(checks)).flat();
}

/** Runs a bundle in the process that replays runs. */
export async function checkSandbox({ HUB_REPLAY_SECONDS }: Settings): Promise<readonly Finding[]> {
  if (HUB_REPLAY_SECONDS === 0)
    return [ok("sandbox", "not needed: HUB_REPLAY_SECONDS is 0, so the hub does not replay runs")];
  const remedy = "Check that the hub may start processes, and has 512 MiB of free memory.";
  return await attempt("sandbox", remedy, async () => {
    const code = "export const request = (text) => `${text} back`;";
    const { signal } = new AbortController();
    using worker = await startWorker(code, workerLimits, { timeoutMs, signal });
    const answer = await worker.request("there and", timeoutMs);
    return answer === "there and back"
      ? ok("sandbox", "replays run in a separate process")
      : failure("sandbox", `It returned ${JSON.stringify(answer.slice(0, 100))}.`, remedy);
  });
}
