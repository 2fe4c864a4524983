-- Where the team's webhooks are sent. The secrets are encrypted under the master key.
create table $.webhook_endpoints (
  id text collate "C" primary key,
  url text not null,
  types text[] not null,
  state text collate "C" not null,
  secret bytea not null,
  "oldSecret" bytea,
  "oldSecretUntil" bigint,
  "failingSince" bigint,
  "createdAt" bigint not null
);
-- Events for endpoints, with the last attempt. Has no foreign key, so that removing an endpoint never makes a submission fail.
create table $.webhook_deliveries (
  id text collate "C" primary key,
  "endpointId" text collate "C" not null,
  "eventId" text collate "C" not null,
  event text collate "C" not null,
  "referenceNumber" text collate "C" not null,
  status text collate "C" not null,
  state text collate "C" not null,
  "attemptCount" bigint not null,
  "nextAttemptAt" bigint not null,
  "leasedUntil" bigint,
  -- Grows with every lease. An outcome with an older fence is refused.
  fence bigint not null,
  "createdAt" bigint not null,
  "lastAttemptAt" bigint,
  code text collate "C",
  response text,
  "latencyMs" bigint
);
create index webhook_deliveries_due on $.webhook_deliveries ("endpointId", "nextAttemptAt", id) where state = 'waiting';
create index webhook_deliveries_leased on $.webhook_deliveries ("leasedUntil") where state = 'leased';
create index webhook_deliveries_newest on $.webhook_deliveries ("endpointId", "createdAt");
create index webhook_deliveries_created on $.webhook_deliveries ("createdAt");
create index webhook_deliveries_unsent on $.webhook_deliveries (state) where state <> 'sent';
create index webhook_deliveries_reference on $.webhook_deliveries ("referenceNumber");
