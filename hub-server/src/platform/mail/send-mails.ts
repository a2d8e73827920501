import type { FastifyInstance } from "fastify";

import type { Hub } from "../hub/hub.ts";
import { deleteMail, leaseMails, type LeasedMail, postponeMail } from "./outbox.ts";
import { smtpTransport } from "./transport.ts";

/** A rendered mail. */
export interface MailContent {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Renders a mail; undefined if it is no longer of use. */
export type RenderMail = (mail: LeasedMail) => Promise<MailContent | undefined>;

const pollMs = 1000;
const maxConnections = 4;

/**
 * Sends stored mails over SMTP while the hub runs, away from any request. A mail that a hub leased before it crashed is sent
 * again, with the same Message-ID.
 */
export function sendMails(app: FastifyInstance, hub: Hub, render: RenderMail): void {
  const { HUB_SMTP_URL: url, HUB_MAIL_FROM: from, HUB_URL } = hub.settings;
  if (url === undefined || from === undefined || HUB_URL === undefined) return;
  const host = new URL(HUB_URL).hostname;
  const transport = smtpTransport(url, { pool: true, maxConnections });

  async function send(mail: LeasedMail): Promise<void> {
    const { id, kind, recipient: to } = mail;
    try {
      const content = await render(mail);
      const headers = { "auto-submitted": "auto-generated" };
      if (content !== undefined)
        await (
          await transport
        ).sendMail({ ...content, from, to, headers, messageId: `<${id}@${host}>` });
      await deleteMail(hub.database, id);
    } catch (error) {
      const now = hub.clock();
      const { message, responseCode = 0 } = error as Error & { readonly responseCode?: number };
      // 535 rejects the hub's own credentials, which the operator can correct.
      const isFinal = responseCode >= 550 && responseCode < 560;
      const { isGivenUp } = await postponeMail(hub.database, mail, {
        error: message,
        isFinal,
        now,
      });
      const outcome = isGivenUp ? "the hub gave up a mail" : "a mail could not be sent yet";
      hub.log.error({ err: error, mail: id, kind, attempts: mail.attempts }, outcome);
    }
  }

  async function sendDue(): Promise<void> {
    for (;;) {
      const mails = await leaseMails(hub.database, { limit: maxConnections, now: hub.clock() });
      await Promise.all(mails.map(send));
      if (mails.length < maxConnections || isClosing) return;
    }
  }

  let isClosing = false;
  let sending: Promise<void> | undefined;
  const timer = setInterval(() => {
    sending ??= sendDue()
      .catch((error: unknown) => {
        if (!isClosing) hub.log.error({ err: error }, "the queue of mails failed");
      })
      .finally(() => (sending = undefined));
  }, pollMs);
  timer.unref();
  app.addHook("onClose", async () => {
    isClosing = true;
    clearInterval(timer);
    (await transport).close();
    await sending;
  });
}
