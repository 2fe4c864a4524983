-- What a holder decided about the card. When the holder decided to close it:
alter table $.cards add column "closedByHolderAt" bigint;
-- The limits that the holder chose, in whole US dollars; null while the card has the limits of a new one.
alter table $.cards add column "dailyLimitUsd" integer;
alter table $.cards add column "monthlyLimitUsd" integer;
-- Whether the issuer has these limits.
alter table $.cards add column "areLimitsSent" boolean not null default true;
-- What the holder entered for the issuer, encrypted.
alter table $.cards add column cardholder text collate "C";
-- Since when the holder wants to be told about payments.
alter table $.cards add column "spendNoticesFrom" bigint;

-- Payments that holders were told about, each once. Old ones are deleted.
create table $.card_spends (
  -- The issuer and its id.
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
