-- What a holder decided about the card. When the holder decided to close it:
alter table $.cards add column "closedByHolderAt" bigint;
-- The limits that the holder chose, in whole US dollars; null while the card has the limits of a new one.
alter table $.cards add column "dailyLimitUsd" integer;
alter table $.cards add column "monthlyLimitUsd" integer;
-- Whether the issuer has these limits.
alter table $.cards add column "areLimitsSent" boolean not null default true;
