-- Partial indexes, because few records wait for an answer from the applicant.
create index if not exists card_applications_waiting on $.card_applications ("dueLeft") where "dueLeft" is not null;
create index if not exists verification_requests_waiting on $.verification_requests ("dueLeft") where "dueLeft" is not null;
create index if not exists loan_applications_waiting on $.loan_applications ("dueLeft") where "dueLeft" is not null;
-- Records that are merged into another one of the same person.
create table $.record_merges (
  "referenceNumber" text collate "C" primary key,
  "mergedInto" text collate "C" not null,
  "adminId" text collate "C" not null,
  at bigint not null,
  status text collate "C" not null
);
create index record_merges_into on $.record_merges ("mergedInto");
