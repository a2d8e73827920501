import type { Transporter } from "nodemailer";

const timeoutMs = 15_000;

/** Opens no connection yet. The timeouts are those of each step. */
export async function smtpTransport(
  url: string,
  options: {
    /** Several mails share a connection. */ readonly pool?: true;
    readonly maxConnections?: number;
    /** Rejects servers that do not offer TLS. */ readonly requireTLS?: true;
  },
): Promise<Transporter> {
  const { createTransport } = await import("nodemailer");
  return createTransport({
    url,
    ...options,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
  });
}
