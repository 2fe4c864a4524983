-- Empty, except while a program tests whether it can write to a disk that was full. The test writes at least as many
-- bytes as any form without documents.
create table $.write_probes (bytes bytea not null);
alter table $.write_probes alter column bytes set storage external;
