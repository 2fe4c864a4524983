-- Searches find the words of messages and the names of countries. The program indexes existing records again after its start:
-- those with an earlier version of their search words. The versions of the program before write version 0, too.

alter table $.card_applications add "searchVersion" smallint not null default 0;
alter table $.contact_messages add "searchVersion" smallint not null default 0;
alter table $.verification_requests add "searchVersion" smallint not null default 0;
alter table $.loan_applications add "searchVersion" smallint not null default 0;
create index card_applications_outdated_words on $.card_applications ("referenceNumber") where "searchVersion" < 1;
create index contact_messages_outdated_words on $.contact_messages ("referenceNumber") where "searchVersion" < 1;
create index verification_requests_outdated_words on $.verification_requests ("referenceNumber") where "searchVersion" < 1;
create index loan_applications_outdated_words on $.loan_applications ("referenceNumber") where "searchVersion" < 1;
