-- When the team last let an endpoint get events again, from which the retries of waiting events are counted.
alter table $.webhook_endpoints add column "activeSince" bigint;
