import { type ReactNode, useContext } from "react";

import { PageScript } from "../package/page-script.tsx";
import { VisitorContext } from "./form.tsx";

/** A form whose script lets the browser create or use a passkey, and submits its answer. Hidden until the script runs. */
export function PasskeyForm({
  action,
  options,
  label,
  field = "credential",
  creates = false,
  children,
}: {
  readonly action: string;
  /** The path that returns the options of the passkey. */
  readonly options: string;
  readonly label: string;
  /** The name of the field with the answer. */
  readonly field?: string;
  /** Whether the browser creates a passkey. */
  readonly creates?: boolean;
  readonly children?: ReactNode;
}): ReactNode {
  const visitor = useContext(VisitorContext);
  return (
    <form
      method="post"
      action={action}
      className="provider"
      data-passkey={options}
      data-creates={creates || undefined}
      hidden
    >
      <PageScript name="passkey" />
      <input type="hidden" name="form" value={visitor?.formToken ?? ""} />
      <input type="hidden" name={field} value="" data-answer="" />
      {children}
      <button className="second">{label}</button>
      <output role="alert" />
    </form>
  );
}
