import { once } from "node:events";
import type { AddressInfo } from "node:net";

import { SMTPServer } from "smtp-server";

/** A mail that the server accepted. */
export interface ReceivedMail {
  readonly to: string;
  /** The headers and the decoded body. */
  readonly text: string;
  readonly messageId: string;
}

/** An SMTP server on loopback. */
export interface MailServer extends AsyncDisposable {
  readonly port: number;
  readonly mails: ReceivedMail[];
  /** Addresses that it rejects for good. */
  readonly rejected: Set<string>;
  /** Called when the server has a whole mail, which it then accepts. */
  onMail?: (accept: () => void) => void;
}

/** Starts an SMTP server; without a port, on any. With a password, clients must log in. Its certificate is not valid. */
export async function startMailServer(
  port = 0,
  { password, hasTls = false }: { readonly password?: string; readonly hasTls?: boolean } = {},
): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  const rejected = new Set<string>();
  const server = new SMTPServer({
    authOptional: password === undefined,
    allowInsecureAuth: true,
    closeTimeout: 100,
    disabledCommands: hasTls ? [] : ["STARTTLS"],
    onAuth: (auth, _session, callback) =>
      auth.password === password
        ? callback(null, { user: "hub" })
        : callback(new Error("wrong password")),
    onRcptTo({ address }, _session, callback) {
      const error = Object.assign(new Error("mailbox unavailable"), { responseCode: 550 });
      callback(rejected.has(address) ? error : undefined);
    },
    onData(stream, { envelope }, callback) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => void chunks.push(chunk));
      stream.on("end", () => {
        const text = decode(Buffer.concat(chunks).toString("latin1"));
        const [, messageId = ""] = /^message-id: (.+)\r$/im.exec(text) ?? [];
        for (const { address } of envelope.rcptTo) mails.push({ to: address, text, messageId });
        if (running.onMail === undefined) callback();
        else running.onMail(callback);
      });
    },
  });
  server.listen(port, "localhost");
  await once(server.server, "listening");
  const running: MailServer = {
    port: (server.server.address() as AddressInfo).port,
    mails,
    rejected,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return running;
}

/** Decodes quoted-printable text, as far as the tests need. */
function decode(text: string): string {
  const bytes = text
    .replaceAll("=\r\n", "")
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) =>
      String.fromCodePoint(Number.parseInt(hex, 16)),
    );
  return Buffer.from(bytes, "latin1").toString("utf8");
}
