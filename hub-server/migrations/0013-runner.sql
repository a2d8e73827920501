-- The hub plays runs of its users again, to reproduce them.
alter table replay_jobs drop constraint replay_jobs_kind_check;
alter table replay_jobs add check (kind in ('rescore', 'diff', 'play'));
-- The run to play again. A failed job is queued again, so a run has one job.
alter table replay_jobs add column played_run_id text unique references runs (id) on delete cascade;
alter table replay_jobs add check ((kind = 'play') = (played_run_id is not null));
-- The declaration of the hub's own run. A job that runs again after a crash keeps it, so that one run results.
alter table replay_jobs add column declaration_id text references declarations (id) on delete set null;

-- Plays have another budget than replays.
alter table replay_usage add column queue text not null default 'replay' check (queue in ('replay', 'play'));
alter table replay_usage add column cost double precision not null default 0;
alter table replay_usage drop constraint replay_usage_pkey;
alter table replay_usage add primary key (owner_id, day, queue);

-- A declared run is reproduced only by a declared one.
alter table reproductions drop constraint reproductions_outcome_check;
alter table reproductions add check (outcome in (
  'reproduced', 'own', 'package-owner', 'other-recipe', 'not-declared', 'fewer-rollouts', 'same-replies', 'disagrees'
));

-- The hash of a rollout's example: examples of two runs with one id may differ, if the seed generates them.
alter table rollouts add column example_hash text;
