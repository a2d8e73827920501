-- The first and last characters of a token, for lists.
alter table tokens rename column shown to preview;
-- The ids that a trusted publisher's names had at first use.
alter table trusted_publishers rename column pinned to pinned_claims;
-- Until this time, workers skip the webhook: another worker has its lease, or its receiver failed.
alter table webhooks rename column rests_until to backoff_until;
