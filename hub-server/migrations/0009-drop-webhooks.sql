-- Clients poll the event feed instead.
drop table webhook_deliveries;
drop table webhooks;
