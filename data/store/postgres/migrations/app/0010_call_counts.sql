-- Calls towards rate limits. Unlogged: after a crash of the server, counting starts over. Only the hash of a key is
-- stored, because the key contains a network address, a wallet or an email address.
create unlogged table $.call_counts (
  "keyHash" text collate "C" primary key,
  calls integer not null,
  "endsAt" bigint not null
);
create index call_counts_ends on $.call_counts ("endsAt");
