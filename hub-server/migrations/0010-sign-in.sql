-- When the user proved to read mail at the address. Another address is unverified again.
alter table users add column email_verified_at timestamptz;
-- A deleted user keeps the name, packages and runs.
alter table users add column deleted_at timestamptz;

-- Mails to send. The hub deletes a mail that the server has accepted, and creates the secret of its link when it sends it.
create table mails (
  id uuid primary key,
  kind text not null check (kind in ('verify', 'reset', 'notice')),
  user_id bigint not null references users (account_id) on delete cascade,
  recipient text not null,
  detail jsonb not null,
  created_at timestamptz not null,
  attempts integer not null default 0,
  -- When the mail may be sent, or sent again if the hub that sends it stops.
  next_at timestamptz not null,
  failed_at timestamptz,
  error text
);
create index mails_next on mails (next_at) where failed_at is null;

-- Links in mails. A link is over if the user has another address now.
create table mail_links (
  secret_hash text primary key,
  purpose text not null check (purpose in ('verify', 'reset')),
  user_id bigint not null references users (account_id) on delete cascade,
  email text not null,
  expires_at timestamptz not null
);
create index mail_links_user on mail_links (user_id);

-- An account at a provider, with which a user signs in. The provider's subject identifies it: names and addresses can change hands.
create table identities (
  issuer text not null,
  subject text not null,
  user_id bigint not null references users (account_id) on delete cascade,
  -- The name or the address of the account at the provider, for lists.
  label text not null default '',
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  primary key (issuer, subject)
);
create index identities_user on identities (user_id);

-- WebAuthn credentials that sign in without a password.
create table passkeys (
  id text primary key,
  user_id bigint not null references users (account_id) on delete cascade,
  public_key text not null,
  -- A counter that does not grow is a copy of the passkey; most passkeys stay at 0.
  counter bigint not null,
  transports text[] not null default '{}',
  name text not null,
  created_at timestamptz not null,
  last_used_at timestamptz not null
);
create index passkeys_user on passkeys (user_id);

-- The last challenge of each browser, which one answer of a passkey may use.
create table passkey_challenges (
  browser_hash text primary key,
  challenge text not null,
  expires_at timestamptz not null
);

-- A visit to a provider that has started. Only the browser that started it can complete it, once.
create table provider_visits (
  state_hash text primary key,
  browser_hash text not null,
  provider text not null,
  -- The secret of PKCE.
  verifier text not null,
  nonce text not null,
  purpose text not null check (purpose in ('sign-in', 'link', 'confirm')),
  -- For 'link' and 'confirm': the signed-in user.
  user_id bigint references users (account_id) on delete cascade,
  invitation_id uuid references invitations (id) on delete cascade,
  next text not null,
  expires_at timestamptz not null
);

-- An identity without an account, whose user chooses a name now. One for each browser.
create table unregistered_identities (
  browser_hash text primary key,
  issuer text not null,
  subject text not null,
  label text not null,
  suggested_name text not null,
  full_name text not null,
  -- Null unless the provider has verified it.
  email text,
  invitation_id uuid references invitations (id) on delete cascade,
  next text not null,
  expires_at timestamptz not null
);

-- The version of the hub's terms that the user accepted last.
alter table users add column accepted_terms text;
