-- Searches find the words of messages and the names of countries. After its start, the program indexes records
-- with an earlier `searchVersion` again. Earlier versions of the program store version 0.

alter table $.card_applications add "searchVersion" smallint not null default 0;
alter table $.contact_messages add "searchVersion" smallint not null default 0;
alter table $.verification_requests add "searchVersion" smallint not null default 0;
alter table $.loan_applications add "searchVersion" smallint not null default 0;
create index card_applications_outdated_words on $.card_applications ("referenceNumber") where "searchVersion" < 1;
create index contact_messages_outdated_words on $.contact_messages ("referenceNumber") where "searchVersion" < 1;
create index verification_requests_outdated_words on $.verification_requests ("referenceNumber") where "searchVersion" < 1;
create index loan_applications_outdated_words on $.loan_applications ("referenceNumber") where "searchVersion" < 1;
