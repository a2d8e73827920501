-- The bounds by which a run is ranked, so that pages about many boards do not read summaries.
alter table runs
  add column ranked_reward double precision generated always as ((summary #>> '{ranked,reward}')::double precision) stored,
  add column ranked_low double precision generated always as ((summary #>> '{ranked,interval,low}')::double precision) stored,
  add column ranked_high double precision generated always as ((summary #>> '{ranked,interval,high}')::double precision) stored;
create index runs_model on runs (model) where state = 'complete' and kind = 'evaluation';
create index runs_recent on runs (completed_at) where state = 'complete' and kind = 'evaluation';
create index search_entries_recent on search_entries (published_at desc, name);
create index declarations_model on declarations (model);
