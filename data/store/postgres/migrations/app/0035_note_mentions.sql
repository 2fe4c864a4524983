-- Admins mentioned in notes. A row is deleted when a note no longer mentions the admin, or the admin is deactivated.
create table $.note_mentions (
  id text collate "C" primary key,
  "noteId" text collate "C" not null,
  -- The reference number of the note's record.
  "referenceNumber" text collate "C" not null,
  -- The admin who is mentioned.
  "adminId" text collate "C" not null,
  at bigint not null,
  -- When that admin read it; null until then.
  "readAt" bigint
);
create unique index note_mentions_once on $.note_mentions ("noteId", "adminId");
create index note_mentions_admin on $.note_mentions ("adminId", "readAt");
create index note_mentions_reference on $.note_mentions ("referenceNumber");
