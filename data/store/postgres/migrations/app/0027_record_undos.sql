-- The newest decision on a record that can be undone. A later decision deletes rows that are over.
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
