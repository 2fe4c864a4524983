-- Empty. After a full disk, a program tries to write as many bytes here as any form without documents needs.
create table $.write_probes (bytes bytea not null);
alter table $.write_probes alter column bytes set storage external;
