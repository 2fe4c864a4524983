-- When the holder decided to close the card.
alter table $.cards add column "closedByHolderAt" bigint;
-- The limits that the holder chose, in whole US dollars; null while the card has the limits of a new one.
alter table $.cards add column "dailyLimitUsd" integer;
alter table $.cards add column "monthlyLimitUsd" integer;
-- Whether the issuer has applied these limits.
alter table $.cards add column "areLimitsSent" boolean not null default true;
-- What the holder entered for the issuer, encrypted.
alter table $.cards add column cardholder text collate "C";
-- The time from which the holder wants messages about payments; null if the holder wants none.
alter table $.cards add column "spendNoticesFrom" bigint;

-- Payments that were reported to holders, so that none is reported twice. Old ones are deleted.
create table $.card_spends (
  -- The issuer's name, a colon, and the issuer's id for the payment.
  id text collate "C" primary key,
  "cardId" text collate "C" not null,
  at bigint not null,
  merchant text collate "C" not null,
  -- US cents as text; negative for a refund.
  amount text collate "C" not null,
  "isDeclined" boolean not null,
  "toldAt" bigint not null
);
create index card_spends_card on $.card_spends ("cardId");
create index card_spends_told on $.card_spends ("toldAt");
