import type { FastifyInstance } from "fastify";
import type { ReactNode } from "react";

import { requireManager } from "../../identity/request/manager.ts";
import { requireOneTimePassword } from "../../identity/second-factor/second-factor.ts";
import { setQuota, type StorageUse } from "../../packages/publish/quota.ts";
import { forbidden, HubError } from "../../platform/errors/hub-error.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { formPage } from "../layout/form-page.ts";
import { CardForm, Field, PlainField } from "../layout/form.tsx";
import { FeedbackText } from "../layout/handle-change.tsx";
import { sendPage } from "../layout/page.tsx";
import { formFields } from "../layout/require-session.ts";
import { bytesText } from "../package/package-view.ts";

const path = "/moderation/quotas";

/** Registers the page on which administrators set the storage quota of an account. */
export function quotaPage(app: FastifyInstance, hub: Hub): void {
  const addForm = formPage(app, hub, {
    path,
    notices: { changed: "Quota changed." },
    async show(visitor, reply, { status, ...feedback }) {
      if (!visitor.session.user.isAdmin) throw onlyAdministrators();
      return sendPage(reply, visitor, {
        title: "Storage quotas",
        status,
        children: (
          <>
            <FeedbackText {...feedback} />
            <p>
              A quota limits the bytes of tarballs and runs of one user or organisation. An account
              without a quota has that of the hub (<code>HUB_OWNER_BYTES</code>).
            </p>
            <CardForm action={path}>
              <PlainField label="User or organisation" name="account" />
              <Field
                label="Quota in GB"
                name="gigabytes"
                inputMode="decimal"
                required={false}
                hint="Leave it empty for the quota of the hub."
              />
              <button>Save</button>
            </CardForm>
          </>
        ),
      });
    },
  });

  addForm("", async ({ request }) => {
    const identity = await requireManager(hub, request);
    if (!identity.isAdmin) throw onlyAdministrators();
    if (identity.hasSecondFactor) await requireOneTimePassword(hub, request, identity);
    const { account, gigabytes } = formFields(request, "account", "gigabytes");
    const number = Number(gigabytes);
    if (!(number >= 0 && number <= 1_000_000))
      throw new HubError("invalid-text", {
        message: `${JSON.stringify(gigabytes.slice(0, 50))} is not a number of gigabytes. Write one such as 20, or leave it empty.`,
      });
    const bytes = gigabytes.trim() === "" ? null : Math.round(number * 1e9);
    await setQuota(hub, { name: account.trim(), bytes, actor: identity.name });
    return "changed";
  });
}

function onlyAdministrators(): HubError {
  return forbidden("Only administrators of this hub change quotas.");
}

/** How much of a quota an owner uses; nothing if the hub has no quotas. */
export function StorageText({ use }: { readonly use: StorageUse | undefined }): ReactNode {
  if (use === undefined) return null;
  return (
    <p className="quiet">
      {bytesText(use.storedBytes)} of {bytesText(use.quota)} used by tarballs and runs.
    </p>
  );
}
