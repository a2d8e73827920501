const failure = "The passkey could not be used. Try again, or use another way.";

/** Before such a form is submitted, the browser creates or uses a passkey with options of the hub. */
for (const form of document.querySelectorAll<HTMLFormElement>("form[data-passkey]"))
  if (isSupported()) {
    form.hidden = false;
    form.addEventListener("submit", (event) => {
      const field = form.querySelector<HTMLInputElement>("input[data-answer]");
      if (field === null || field.value !== "") return;
      event.preventDefault();
      void fill(form, field);
    });
  }

function isSupported(): boolean {
  return "PublicKeyCredential" in window && "parseCreationOptionsFromJSON" in PublicKeyCredential;
}

async function fill(form: HTMLFormElement, field: HTMLInputElement): Promise<void> {
  const output = form.querySelector("output");
  try {
    const credential = await askPasskey(form);
    field.value = JSON.stringify(credential.toJSON());
    form.submit();
  } catch {
    if (output !== null) output.textContent = failure;
  }
}

async function askPasskey(form: HTMLFormElement): Promise<PublicKeyCredential> {
  const token = form.elements.namedItem("form");
  const response = await fetch(form.dataset["passkey"] ?? "", {
    method: "POST",
    body: new URLSearchParams({ form: token instanceof HTMLInputElement ? token.value : "" }),
  });
  if (!response.ok) throw new Error(`The hub answered ${response.status}.`);
  const json: unknown = await response.json();
  const credential =
    form.dataset["creates"] === undefined
      ? await navigator.credentials.get({
          publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(
            json as PublicKeyCredentialRequestOptionsJSON,
          ),
        })
      : await navigator.credentials.create({
          publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(
            json as PublicKeyCredentialCreationOptionsJSON,
          ),
        });
  if (!(credential instanceof PublicKeyCredential)) throw new Error("No passkey was used.");
  return credential;
}
