-- Who works on a record, and when the team has to act. Earlier versions of the program leave these columns empty.

alter table $.card_applications add "assigneeId" text collate "C", add "dueAt" bigint;
alter table $.verification_requests add "assigneeId" text collate "C", add "dueAt" bigint;
alter table $.contact_messages add "assigneeId" text collate "C", add "dueAt" bigint;
alter table $.loan_applications add "assigneeId" text collate "C", add "dueAt" bigint;
alter table $.contact_messages add status text collate "C" not null default 'open', add "changedAt" bigint not null default 0,
  add "closedAt" bigint;
create index contact_messages_closed on $.contact_messages ("closedAt");

-- The hours that the portal promised when this migration was written. Later records use `data/model/work.ts`.
update $.card_applications set "dueAt" = "createdAt" + 24 * 3600000;
update $.verification_requests set "dueAt" = "createdAt" + (case details ->> 'claimedAmount' when 'Unable to specify - requesting manual verification' then 24 else 48 end) * 3600000;
update $.contact_messages set "dueAt" = "createdAt" + (case category when 'technical' then 1 else 24 end) * 3600000, "changedAt" = "createdAt";
update $.loan_applications set "dueAt" = "createdAt" + 48 * 3600000;

-- Sorts records that wait for the team by the time when it has to act. The others follow, the newest first.
alter table $.card_applications add "dueRank" bigint generated always as (
  case when status in ('received', 'in-review') then coalesce("dueAt", "createdAt") else 8000000000000000 - "createdAt" end) stored;
create index card_applications_by_dueRank on $.card_applications ("dueRank", "createdAt", "referenceNumber");
create index card_applications_by_assignee on $.card_applications ("assigneeId", "dueRank", "createdAt", "referenceNumber");
alter table $.verification_requests add "dueRank" bigint generated always as (
  case when status in ('received') then coalesce("dueAt", "createdAt") else 8000000000000000 - "createdAt" end) stored;
create index verification_requests_by_dueRank on $.verification_requests ("dueRank", "createdAt", "referenceNumber");
create index verification_requests_by_assignee on $.verification_requests ("assigneeId", "dueRank", "createdAt", "referenceNumber");
alter table $.contact_messages add "dueRank" bigint generated always as (
  case when status in ('open') then coalesce("dueAt", "createdAt") else 8000000000000000 - "createdAt" end) stored;
create index contact_messages_by_dueRank on $.contact_messages ("dueRank", "createdAt", "referenceNumber");
create index contact_messages_by_assignee on $.contact_messages ("assigneeId", "dueRank", "createdAt", "referenceNumber");
alter table $.loan_applications add "dueRank" bigint generated always as (
  case when status in ('received', 'in-review') then coalesce("dueAt", "createdAt") else 8000000000000000 - "createdAt" end) stored;
create index loan_applications_by_dueRank on $.loan_applications ("dueRank", "createdAt", "referenceNumber");
create index loan_applications_by_assignee on $.loan_applications ("assigneeId", "dueRank", "createdAt", "referenceNumber");
create index contact_messages_by_status on $.contact_messages (status, "createdAt", "referenceNumber");
