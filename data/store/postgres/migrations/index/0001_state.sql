-- The index: what the indexer reads from the chain and the market. Amounts are base units as text, because they can
-- exceed `bigint`. In a table with a single row, the row has the id 1.

create table $.index_state (
  id integer primary key default 1 check (id = 1),
  -- Grows with every commit of the writer.
  version bigint not null,
  -- The version at which the index was last empty.
  "emptyVersion" bigint not null,
  -- The fence of the writer. One with a lower fence can no longer commit.
  fence bigint not null
);
insert into $.index_state (version, "emptyVersion", fence) values (0, 0, 0);

create table $.index_identity (
  id integer primary key default 1 check (id = 1),
  "genesisHash" text collate "C" not null,
  mint text collate "C" not null,
  vault text collate "C" not null,
  "stakePool" text collate "C" not null,
  "poolVault" text collate "C" not null,
  decimals bigint not null
);

create table $.chain_snapshot (
  id integer primary key default 1 check (id = 1),
  slot bigint not null,
  "readAt" bigint not null,
  "clockDifference" bigint,
  -- Null if the vault cannot be read.
  "vaultBalance" text collate "C",
  "vaultLamports" text collate "C",
  "vaultProblem" text collate "C",
  "totalStaked" text collate "C" not null,
  "poolVaultBalance" text collate "C" not null,
  supply text collate "C" not null,
  "stakerCount" bigint not null,
  "unreadEntries" bigint not null,
  "entryChanges" bigint not null,
  -- Why the stake entries cannot be read. `stakerCount` is then the last known one.
  "stakesProblem" text collate "C"
);

create table $.stake_entries (
  address text collate "C" primary key,
  wallet text collate "C" not null,
  nonce bigint not null,
  amount text collate "C" not null,
  "effectiveAmount" text collate "C" not null,
  "createdAt" bigint not null,
  "unlocksAt" bigint not null,
  "closedAt" bigint
);

create table $.holder_counts (
  id integer primary key default 1 check (id = 1),
  slot bigint not null,
  wallets bigint not null check (wallets >= 0),
  "readAt" bigint not null
);

create table $.market_quote (
  id integer primary key default 1 check (id = 1),
  "priceUsd" text collate "C" not null,
  "priceChange24h" text collate "C",
  "volume24h" text collate "C",
  liquidity text collate "C",
  source text collate "C" not null,
  -- The kind of the source: prices of different kinds are not in one chart.
  origin text collate "C" not null,
  "readAt" bigint not null
);

-- The endpoints of the latest report, in its order.
create table $.endpoint_report (
  id integer primary key default 1 check (id = 1),
  "reportedAt" bigint not null,
  endpoints json not null
);

-- The latest reconciliation, and the slot and time of the latest one without differences.
create table $.reconciliations (
  id integer primary key default 1 check (id = 1),
  slot bigint not null,
  at bigint not null,
  differences json not null,
  "agreedSlot" bigint,
  "agreedAt" bigint,
  check (("agreedSlot" is null) = ("agreedAt" is null))
);
