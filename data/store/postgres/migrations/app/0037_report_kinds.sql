-- The deliveries of past days by kind of message and channel. Days without rows have totals by channel only,
-- until a program adds the rows.
create table $.report_kind_deliveries (
  day bigint not null,
  kind text collate "C" not null,
  channel text collate "C" not null,
  sent bigint not null,
  failed bigint not null,
  bounced bigint not null,
  primary key (day, kind, channel)
);
