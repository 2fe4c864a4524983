-- What only one of several programs may do at a time, such as writing the index.
create table $.leases (
  name text collate "C" primary key,
  holder text collate "C" not null,
  -- Grows whenever the holder changes.
  fence bigint not null,
  -- By the server's clock.
  "expiresAt" timestamptz not null
);
