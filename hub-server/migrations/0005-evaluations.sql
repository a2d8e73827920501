-- Evaluations and trainings that users push. Only a complete run is visible.
create table runs (
  id text primary key,
  kind text not null check (kind in ('evaluation', 'training')),
  state text not null default 'uploading' check (state in ('uploading', 'complete')),
  package_id bigint not null references packages (id),
  version_id bigint not null references versions (id),
  owner_id bigint not null references users (account_id),
  -- SHA-256 of the description and of the parts: a repeated upload continues the first one.
  content_hash text not null,
  config jsonb not null,
  config_hash text not null,
  -- The hash of the sorted example keys: runs with the same set were measured on the same examples.
  example_set text not null,
  model text not null,
  sampling jsonb not null,
  seed bigint,
  split text,
  pass_threshold double precision not null,
  driver text not null,
  core_version text not null,
  -- For each million input and output tokens.
  price jsonb,
  -- Limits, the plan of a training, and other details that only describe the run.
  details jsonb not null default '{}',
  -- A model that the training produced, if it is a package.
  model_package text,
  started_at timestamptz,
  -- What the client counted. The hub counts again, and rejects the upload if it differs.
  totals jsonb not null,
  -- What the hub computed from the rollouts.
  summary jsonb,
  reward double precision,
  bytes bigint not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  completed_at timestamptz,
  check ((state = 'complete') = (summary is not null)),
  unique (owner_id, content_hash)
);
create unique index runs_content on runs (package_id, content_hash) where state = 'complete';
create index runs_board on runs (package_id, version_id, config_hash, example_set) where state = 'complete';
create index runs_owner on runs (owner_id, created_at);
create index runs_model_package on runs (model_package) where state = 'complete';
create index runs_uploading on runs (updated_at) where state = 'uploading';

-- A part of an upload: rollouts or the metrics of a training as lines of JSON, or a file to which rollouts refer.
create table run_parts (
  run_id text not null references runs (id) on delete cascade,
  part int not null,
  kind text not null check (kind in ('rollouts', 'metrics', 'media')),
  -- For the rollouts of a training: the step that they were sampled in.
  phase text not null default '',
  step int not null default 0,
  -- Of the lines before compression.
  sha256 text not null,
  bytes bigint not null,
  lines int not null,
  -- The position of its first rollout in the run.
  first_position int not null,
  -- One gzip member for each line. Null until the part arrives.
  blob text,
  blob_bytes bigint,
  -- The name of a file: the SHA-256 of its bytes with an extension. Its blob has the bytes without compression.
  file text,
  primary key (run_id, part),
  check ((kind = 'media') = (file is not null))
);
create index run_parts_blob on run_parts (blob);
create unique index run_parts_file on run_parts (run_id, file);

create table rollouts (
  run_id text not null references runs (id) on delete cascade,
  position int not null,
  part int not null,
  -- The gzip member in the blob of the part.
  member_start bigint not null,
  member_bytes bigint not null,
  phase text not null default '',
  step int not null default 0,
  example_key text not null,
  example_index int not null,
  rollout_index int not null,
  -- Null if the rollout failed: a failure is not a reward of 0.
  reward double precision,
  scores jsonb not null,
  stop_reason text,
  error_code text,
  error_message text,
  is_truncated boolean not null,
  is_filtered boolean not null,
  turns int not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  is_usage_known boolean not null,
  tool_errors text[] not null default '{}',
  -- Tools, judges and retries, which only the summary of the run shows.
  uses jsonb,
  -- Of the input tokens, those that the model's server read from its cache or wrote to it: they have their own prices.
  -- Null if the server does not report them.
  cache_read_tokens bigint,
  cache_write_tokens bigint,
  primary key (run_id, position),
  check ((reward is null) = (error_code is not null)),
  unique (run_id, phase, step, example_key, rollout_index)
);

-- The curves of a training.
create table run_metrics (
  run_id text not null references runs (id) on delete cascade,
  position int not null,
  phase text not null,
  step int not null,
  kind text not null check (kind in ('sft', 'rl', 'eval')),
  seconds double precision not null,
  values jsonb not null,
  primary key (run_id, position),
  unique (run_id, phase, step, kind)
);

-- Evidence that the hub or another user has for a run. A run without one is only reported.
create table run_badges (
  run_id text not null references runs (id) on delete cascade,
  badge text not null check (badge in ('rescored', 'reproduced')),
  evidence jsonb not null,
  created_at timestamptz not null,
  primary key (run_id, badge)
);
