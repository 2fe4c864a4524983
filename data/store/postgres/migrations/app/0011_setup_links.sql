-- Links that create the first admin. Only the hash of a link's token is stored.
create table $.setup_links (
  digest text collate "C" primary key,
  "expiresAt" timestamptz not null
);
