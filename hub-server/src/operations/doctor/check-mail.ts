import type { Settings } from "../../platform/config/settings.ts";
import { smtpTransport } from "../../platform/mail/transport.ts";
import { attempt, failure, type Finding, ok, warning } from "./finding.ts";

const check = "mail";

/** Connects to the SMTP server and logs in, without sending a mail. */
export async function checkMail({
  HUB_SMTP_URL: url,
}: Pick<Settings, "HUB_SMTP_URL">): Promise<readonly Finding[]> {
  if (url === undefined) return [];
  const { host, hostname } = new URL(url);
  return await attempt(check, "Check the host and the port in HUB_SMTP_URL.", async () => {
    try {
      await logIn(url, { requireTLS: true });
      return ok(check, `${host} accepts the hub over TLS`);
    } catch (error) {
      const { code, message } = error as { readonly code?: string; readonly message: string };
      if (code === "EAUTH")
        return failure(check, message, "Correct the user and the password in HUB_SMTP_URL.");
      if (code !== "ETLS") throw error;
    }
    // The server may lack STARTTLS, and then the hub sends without it; or its certificate is not valid, and the hub cannot send.
    await logIn(url, {});
    return isLoopback(hostname)
      ? ok(check, `${host} accepts the hub`)
      : warning(
          check,
          `${host} does not offer STARTTLS, so others in the network can read mails and the password.`,
          "Use a server with STARTTLS or smtps://.",
        );
  });
}

async function logIn(url: string, options: { readonly requireTLS?: true }): Promise<void> {
  const transport = await smtpTransport(url, options);
  try {
    await transport.verify();
  } finally {
    transport.close();
  }
}

function isLoopback(hostname: string): boolean {
  return ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
}
