-- Users and organisations. An account's name is the scope that it owns, so both share one namespace.
create table accounts (
  id bigint generated always as identity primary key,
  name text not null unique check (name = lower(name) and length(name) between 1 and 64),
  kind text not null check (kind in ('user', 'organisation')),
  -- Names that look alike have a key in common.
  similarity_keys text[] not null default '{}',
  created_at timestamptz not null
);
create index accounts_similarity on accounts using gin (similarity_keys);

create table users (
  account_id bigint primary key references accounts (id),
  email text,
  full_name text not null default '',
  password_hash text,
  is_admin boolean not null default false,
  totp_secret text,
  -- Null while the second factor waits for its first code.
  totp_confirmed_at timestamptz,
  totp_last_step bigint,
  disabled_at timestamptz,
  updated_at timestamptz not null
);
create unique index users_email on users (lower(email));

create table recovery_codes (
  user_id bigint not null references users (account_id) on delete cascade,
  code_hash text not null,
  primary key (user_id, code_hash)
);

create table memberships (
  organisation_id bigint not null references accounts (id) on delete cascade,
  user_id bigint not null references users (account_id) on delete cascade,
  role text not null check (role in ('owner', 'admin', 'developer')),
  created_at timestamptz not null,
  primary key (organisation_id, user_id)
);
create index memberships_user on memberships (user_id);

create table teams (
  id bigint generated always as identity primary key,
  organisation_id bigint not null references accounts (id) on delete cascade,
  name text not null,
  created_at timestamptz not null,
  unique (organisation_id, name)
);

create table team_members (
  team_id bigint not null references teams (id) on delete cascade,
  user_id bigint not null references users (account_id) on delete cascade,
  primary key (team_id, user_id)
);
create index team_members_user on team_members (user_id);

-- A one-time link that makes an account: the first one of a hub, or an invitation.
create table invitations (
  id uuid primary key,
  secret_hash text not null unique,
  is_admin boolean not null default false,
  organisation_id bigint references accounts (id) on delete cascade,
  invited_by bigint references users (account_id),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_by bigint references users (account_id),
  used_at timestamptz
);

-- Sessions of browsers. Registry routes never accept one.
create table sessions (
  id_hash text primary key,
  user_id bigint not null references users (account_id) on delete cascade,
  -- The user has entered the password, but not the code of the second factor yet.
  waits_for_code boolean not null default false,
  client text not null default '',
  address text not null default '',
  created_at timestamptz not null,
  expires_at timestamptz not null,
  last_used_at timestamptz not null,
  -- When the user last entered a code, or signed in.
  verified_at timestamptz not null
);
create index sessions_user on sessions (user_id);

-- A login or a one-time password that a command line waits for while the user decides in a browser.
create table approvals (
  id uuid primary key,
  purpose text not null check (purpose in ('login', 'otp')),
  -- Only the command line that polls knows the secret.
  poll_hash text not null unique,
  -- The end of the page's address. The page shows it, so that the user can compare it.
  code text not null unique,
  -- For 'login', the user who approved it; for 'otp', the user who must approve it.
  user_id bigint references users (account_id) on delete cascade,
  -- For 'otp': the token that may use it.
  token_id uuid,
  -- The page shows the client, its address and the requested action.
  client text not null,
  address text not null,
  action text not null,
  state text not null default 'waiting' check (state in ('waiting', 'approved', 'denied', 'done')),
  created_at timestamptz not null,
  expires_at timestamptz not null
);

create table tokens (
  id uuid primary key,
  user_id bigint not null references users (account_id) on delete cascade,
  secret_hash text not null unique,
  -- The first and last characters of the token, for lists.
  preview text not null,
  name text not null default '',
  description text not null default '',
  purpose text not null default 'user' check (purpose in ('user', 'trusted-publisher')),
  readonly boolean not null default false,
  bypass_2fa boolean not null default false,
  cidr_whitelist text[] not null default '{}',
  -- Null: all packages that the user has access to.
  packages text[],
  scopes text[],
  created_at timestamptz not null,
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index tokens_user on tokens (user_id);

-- A one-time password that was right. One command of one token may send it again, as `npm unpublish` does.
create table one_time_passes (
  secret_hash text not null,
  token_id uuid not null references tokens (id) on delete cascade,
  -- Null until its first use.
  used_at timestamptz,
  expires_at timestamptz not null,
  primary key (token_id, secret_hash)
);
