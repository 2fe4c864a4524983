-- How far the transfers of USDT to a funding address are read. Amounts are decimal text.
create table $.usdt_feeds (
  id text collate "C" primary key,
  block bigint not null,
  "blockHash" text collate "C" not null,
  "readAt" bigint not null,
  expected text collate "C" not null,
  "matchedBlock" bigint not null,
  "comparedAt" bigint not null,
  difference text collate "C" not null
);

create table $.usdt_transfers (
  id text collate "C" primary key,
  feed text collate "C" not null,
  block bigint not null,
  at bigint not null,
  -- Empty after an erasure.
  counterparty text collate "C" not null,
  amount text collate "C" not null,
  state text collate "C" not null,
  "cardId" text collate "C",
  fee text collate "C",
  credited text collate "C",
  "closedAt" bigint,
  "isByHand" boolean not null default false
);
create index usdt_transfers_card on $.usdt_transfers ("cardId", at);
create index usdt_transfers_state on $.usdt_transfers (state, at);

-- The decimals by which a transfer identifies its card.
create table $.top_up_tags (
  "cardId" text collate "C" primary key,
  tag integer not null unique
);
