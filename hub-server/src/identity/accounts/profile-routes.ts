import type { FastifyInstance, FastifyRequest } from "fastify";
import * as z from "zod";

import { HubError } from "../../platform/errors/hub-error.ts";
import { readBody } from "../../platform/http/json-body.ts";
import { originOf } from "../../platform/http/origin.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { requirePassword } from "../credentials/log-in.ts";
import { type Identity, requireIdentity } from "../request/identity.ts";
import { requireManager } from "../request/manager.ts";
import { requireOneTimePassword, requireSecondFactor } from "../second-factor/second-factor.ts";
import {
  beginSecondFactor,
  confirmSecondFactor,
  endSecondFactor,
} from "../second-factor/set-up-second-factor.ts";
import { changeProfile, readProfile } from "./profile.ts";

const text = z.string().max(1000);

/** npm sends every field of a profile, with `null` for empty ones. */
const profileChange = z.looseObject({
  email: text.nullish(),
  fullname: text.nullish(),
  password: z.object({ old: text, new: text }).nullish(),
  tfa: z
    .union([
      z.tuple([text]),
      z.object({ password: text, mode: z.enum(["disable", "auth-only", "auth-and-writes"]) }),
    ])
    .nullish(),
});
type ProfileBody = z.output<typeof profileChange>;

/** npm's fields that this hub does not store. */
const unsupportedFields = ["homepage", "freenode", "twitter", "github"];

/** The routes of npm's `profile` command. */
export function profileRoutes(app: FastifyInstance, hub: Hub): void {
  app.get("/-/npm/v1/user", async (request) => {
    const { userId } = await requireIdentity(hub, request);
    return await readProfile(hub.database, userId);
  });

  app.post("/-/npm/v1/user", async (request) => {
    const identity = await requireManager(hub, request);
    const body = readBody(request, profileChange);
    if (body.tfa) return await changeSecondFactor(hub, request, { identity, tfa: body.tfa });
    await requireSecondFactor(hub, request, identity);
    rejectUnsupportedFields(body);
    const { email, fullname: fullName, password } = body;
    const person = { id: identity.userId, name: identity.name };
    await changeProfile(hub, person, {
      email,
      fullName,
      password: password ?? undefined,
      address: request.ip,
      kept: { token: identity.token.id },
    });
    return await readProfile(hub.database, identity.userId);
  });
}

/** npm first sends a password and a mode, and receives an otpauth: URL; then it sends a code, and receives recovery codes. */
async function changeSecondFactor(
  hub: Hub,
  request: FastifyRequest,
  { identity, tfa }: { readonly identity: Identity; readonly tfa: NonNullable<ProfileBody["tfa"]> },
): Promise<unknown> {
  const person = { id: identity.userId, name: identity.name };
  const address = request.ip;
  if (Array.isArray(tfa))
    return { tfa: await confirmSecondFactor(hub, person, { code: tfa[0], address }) };
  await requirePassword(hub, person, { password: tfa.password, address });
  if (identity.hasSecondFactor) await requireOneTimePassword(hub, request, identity);
  if (tfa.mode === "disable") {
    await endSecondFactor(hub, person);
    return await readProfile(hub.database, identity.userId);
  }
  if (tfa.mode === "auth-only")
    throw new HubError("second-factor-mode", {
      message:
        "This hub does not support the mode auth-only. Run: npm profile enable-2fa auth-and-writes",
    });
  if (identity.hasSecondFactor) return { tfa: { mode: tfa.mode } };
  const { host } = new URL(originOf(hub.settings, request));
  return { tfa: (await beginSecondFactor(hub, person, host)).address };
}

function rejectUnsupportedFields(body: ProfileBody): void {
  const fields = unsupportedFields.filter(
    (field) => body[field] !== undefined && body[field] !== null,
  );
  if (fields.length === 0) return;
  throw new HubError("profile-field", {
    message: `This hub does not store ${fields.join(", ")}. Change only email, fullname and password.`,
  });
}
