-- The id of the admin who attached the file to a reply that is not sent yet; null if the file belongs to a message.
alter table $.message_files add column "unsentBy" text collate "C";
create index message_files_unsent on $.message_files ("unsentBy", "createdAt") where "unsentBy" is not null;
