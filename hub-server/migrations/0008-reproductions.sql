-- The hash of a rollout's replies. Rollouts of the same example with equal replies may be copies.
alter table rollouts add column replies text;

-- Runs that repeat the recipe of another run, and whether the hub counts each as a reproduction.
create table reproductions (
  repeat_id text primary key references runs (id) on delete cascade,
  run_id text not null references runs (id) on delete cascade,
  outcome text not null check (
    outcome in ('reproduced', 'own', 'package-owner', 'other-recipe', 'fewer-rollouts', 'same-replies', 'disagrees')
  ),
  evidence jsonb not null,
  created_at timestamptz not null
);
create index reproductions_run on reproductions (run_id);

-- Badges of the old rule, which a run's own user could earn with the same replies.
delete from run_badges where badge = 'reproduced';
alter table run_badges drop constraint run_badges_badge_check;
alter table run_badges add check (badge in ('rescored', 'refuted'));
