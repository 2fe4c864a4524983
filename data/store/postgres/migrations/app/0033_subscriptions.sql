-- People's subscriptions to messages about the stakes of a wallet, or about answers to a record.
create table $.subscriptions (
  id text collate "C" primary key,
  about text collate "C" not null,
  -- A wallet address or a reference number.
  subject text collate "C" not null,
  channel text collate "C" not null,
  -- An email address, a chat id or a push endpoint with its keys as JSON; null until a chat is linked.
  target text collate "C",
  -- The mailbox of an email address, which is the same for any spelling of the address.
  mailbox text collate "C",
  "requestedAt" bigint not null,
  -- Null until the person has confirmed the target.
  "confirmedAt" bigint,
  -- Only changes after this slot are reported; null while it is unknown.
  "fromSlot" bigint,
  -- The time since which the wallet has had no stake; null if it has one.
  "idleSince" bigint,
  -- Ended subscriptions are kept for a day, so that they count toward the limit on requests for one mailbox.
  "endedAt" bigint
);
create index subscriptions_subject on $.subscriptions (subject, about);
create index subscriptions_target on $.subscriptions (target);
create index subscriptions_mailbox on $.subscriptions (mailbox);

-- What a subscription reported. Each cause is reported once.
create table $.subscription_notices (
  id text collate "C" primary key,
  "subscriptionId" text collate "C" not null references $.subscriptions (id),
  occasion text collate "C" not null,
  cause text collate "C" not null
);
create unique index subscription_notices_once on $.subscription_notices ("subscriptionId", occasion, cause);
