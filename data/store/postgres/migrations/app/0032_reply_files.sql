-- Files of replies that are not sent yet: the id of the admin who attached the file; null if it belongs to a message.
alter table $.message_files add column "unsentBy" text collate "C";
create index message_files_unsent on $.message_files ("unsentBy", "createdAt") where "unsentBy" is not null;
