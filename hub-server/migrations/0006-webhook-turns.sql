-- Each webhook gets its messages one after another, from one replica at a time.
alter table webhooks
  -- Until when it gets none: somebody sends to it now, or its receiver was away. Those that waited longest come first.
  add column rests_until timestamptz,
  -- Since when its receiver takes nothing.
  add column failing_since timestamptz;

drop index webhook_deliveries_due;
create index webhook_deliveries_due on webhook_deliveries (webhook_id, next_attempt_at) where delivered_at is null;
