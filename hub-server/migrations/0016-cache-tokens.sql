-- Of the input tokens, those that the model's server read from its cache or wrote to it: they have their own prices.
-- Null for rollouts of before, and for servers that do not report them.
alter table rollouts add column cache_read_tokens bigint;
alter table rollouts add column cache_write_tokens bigint;
