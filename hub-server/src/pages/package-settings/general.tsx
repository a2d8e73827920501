import type { ReactNode } from "react";

import { accessSettings } from "../../access/package-access/change-access.ts";
import { Checkbox, NameToConfirm, Radios } from "../layout/choices.tsx";
import { CardForm, Form } from "../layout/form.tsx";
import { packagePath } from "../package/package-view.ts";
import type { ManagedPackage } from "./package-settings.tsx";

/** The readers of a package, whether changes need a second factor, archiving and unpublishing. */
export function General(managed: ManagedPackage): ReactNode {
  return (
    <>
      {managed.isAdmin ? (
        <Access {...managed} />
      ) : (
        <p className="quiet">
          You may publish versions of this package. Its owners also change who may read it.
        </p>
      )}
      {managed.isAdmin && <Archive {...managed} />}
      <Unpublish {...managed} />
    </>
  );
}

function Access({ package: package_ }: ManagedPackage): ReactNode {
  const { name } = package_;
  const { access, requiresSecondFactor, allowsBypass } = accessSettings(package_);
  return (
    <CardForm action={`${packagePath(name)}/settings/access`}>
      <Radios
        label="Readers"
        name="access"
        value={access}
        choices={[
          { value: "public", label: "Everyone", hint: "The package is public." },
          {
            value: "restricted",
            label: "People with access",
            hint: "The package is private. A package that was downloaded cannot become private.",
          },
        ]}
      />
      <Checkbox
        label="Changes need a second factor"
        name="requires_2fa"
        isChecked={requiresSecondFactor}
        hint="Users without one can no longer publish."
      />
      <Checkbox
        label="Tokens may bypass the second factor"
        name="allows_bypass"
        isChecked={allowsBypass}
        hint="Only tokens that were created so, as CI needs them."
      />
      <button>Save</button>
    </CardForm>
  );
}

function Archive({ package: { name, archived_at } }: ManagedPackage): ReactNode {
  const path = `${packagePath(name)}/settings`;
  if (archived_at !== null)
    return (
      <>
        <h2>Restore the package</h2>
        <div className="card">
          <p>The package is archived: it can be installed, but not change.</p>
          <Form action={`${path}/restore`}>
            <button>Restore</button>
          </Form>
        </div>
      </>
    );
  return (
    <>
      <h2>Archive the package</h2>
      <div className="card">
        <p>An archived package can be installed, but not change. You can restore it.</p>
        <Form action={`${path}/archive`}>
          <button className="second">Archive</button>
        </Form>
      </div>
    </>
  );
}

function Unpublish({ package: { name } }: ManagedPackage): ReactNode {
  return (
    <>
      <h2>Unpublish the package</h2>
      <div className="card danger">
        <p>
          Removes all versions, if they are new and no other package needs them. Their numbers
          cannot be used again. This cannot be undone.
        </p>
        <Form action={`${packagePath(name)}/settings/unpublish`}>
          <NameToConfirm name={name} />
          <button className="danger">Unpublish all versions</button>
        </Form>
      </div>
    </>
  );
}
