-- A form that waits for a confirmation at a provider, encrypted: only the browser that sent it has the key.
alter table provider_visits add column form text;
