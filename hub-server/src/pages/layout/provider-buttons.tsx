import type { ReactNode } from "react";

import { formText, type SentForm } from "../../identity/providers/sealed-form.ts";
import type { SignInProvider } from "../../platform/config/sign-in-providers.ts";
import { Form } from "./form.tsx";

const paths = {
  Continue: "/sign-in/with",
  Confirm: "/settings/confirm-with",
  Add: "/settings/sign-in/add",
};

/** A button for each provider, which sends the browser there and then back to `next`. */
export function ProviderButtons({
  providers,
  next,
  verb,
  invitation,
  form,
}: {
  readonly providers: readonly SignInProvider[];
  readonly next: string;
  /** Continue signs in, Confirm proves that the signed-in user is present, Add adds a way to sign in. */
  readonly verb: keyof typeof paths;
  /** The secret of an invitation, for a new account. */
  readonly invitation?: string | undefined;
  /** The form to submit after a confirmation. */
  readonly form?: SentForm;
}): ReactNode {
  return providers.map(({ id, label }) => (
    <Form key={id} action={`${paths[verb]}/${id}`} className="provider">
      <input type="hidden" name="next" value={next} />
      {invitation !== undefined && <input type="hidden" name="invitation" value={invitation} />}
      {form !== undefined && <input type="hidden" name="again" value={formText(form)} />}
      <button className="second">
        {verb === "Add" ? `Add ${label}` : `${verb} with ${label}`}
      </button>
    </Form>
  ));
}
