-- The points of the charts. No resolution is computed from another.
create table $.history_points (
  series text collate "C" not null,
  origin text collate "C" not null,
  resolution text collate "C" not null,
  -- Start of the interval.
  at bigint not null,
  value text collate "C" not null,
  -- The market feed of a price; null for figures from the chain.
  source text collate "C",
  primary key (series, origin, resolution, at)
);

-- The first sample of each origin. The time before it is backfilled once. Only `chain` has a slot and figures.
create table $.history_beginnings (
  origin text collate "C" primary key,
  at bigint not null,
  slot bigint,
  vault text collate "C",
  staked text collate "C",
  stakers bigint,
  "isFilled" boolean not null default false
);
