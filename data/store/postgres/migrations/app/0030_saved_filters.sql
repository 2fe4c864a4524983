-- Views of lists that admins saved under a name.
create table $.saved_filters (
  id text collate "C" primary key,
  "adminId" text collate "C" not null references $.admins (id),
  list text collate "C" not null,
  name text not null,
  -- JSON.
  view text not null,
  "isShared" boolean not null,
  "createdAt" bigint not null
);
create index saved_filters_admin on $.saved_filters ("adminId");
