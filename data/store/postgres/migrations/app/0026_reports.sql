-- Submissions without personal data, for the figures of reports. Derived from the audit trail.
create table $.report_records (
  "referenceNumber" text collate "C" primary key,
  kind text collate "C" not null,
  "receivedAt" bigint not null,
  -- When the promised response time ends; null if it is unknown.
  "dueAt" bigint,
  "isOpen" boolean not null,
  "answeredAt" bigint,
  "decidedAt" bigint
);
create index report_records_open on $.report_records (kind) where "isOpen";

-- The team's work by day and kind. Days are counted from 1970-01-01 in UTC. Derived from the audit trail.
create table $.report_days (
  day bigint not null,
  kind text collate "C" not null,
  received bigint not null,
  "openChange" bigint not null,
  -- JSON: records, promised, within, then pairs of a duration and its number of records, all in one flat list.
  answered text collate "C" not null,
  decided text collate "C" not null,
  primary key (day, kind)
);

-- The deliveries of past days by channel.
create table $.report_deliveries (
  day bigint not null,
  channel text collate "C" not null,
  sent bigint not null,
  failed bigint not null,
  bounced bigint not null,
  primary key (day, channel)
);

-- How much of the audit trail and of the deliveries the reports include. One row.
create table $.report_state (
  id bigint primary key,
  -- The last record of the audit trail that the figures include.
  "auditSequence" bigint not null,
  -- The first day whose deliveries are not totaled yet; null before the first delivery.
  "deliveryDay" bigint
);

-- The admins who get the weekly report.
create table $.report_subscriptions (
  "adminId" text collate "C" primary key references $.admins (id),
  email text collate "C" not null,
  "requestedAt" bigint not null,
  -- Null until the address is confirmed.
  "confirmedAt" bigint,
  -- The Monday of the last week that a report was queued for.
  "lastWeek" bigint
);
