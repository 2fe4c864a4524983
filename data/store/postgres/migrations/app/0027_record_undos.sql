-- The newest decision on a record, if it can be undone. Expired rows are deleted.
create table $.record_undos (
  "referenceNumber" text collate "C" primary key,
  kind text collate "C" not null,
  "adminId" text collate "C" not null,
  "decidedAt" bigint not null,
  until bigint not null,
  "changedAt" bigint not null,
  status text collate "C" not null,
  "mailEvent" text collate "C",
  before text collate "C" not null
);
create index record_undos_until on $.record_undos (until);
