-- When the team last reactivated an endpoint. The retry period of its waiting events starts again at that time.
alter table $.webhook_endpoints add column "activeSince" bigint;
