-- The portal's alerts to its team. An alert ends when its problem does; the row stays.
create table $.alerts (
  -- The reference of the alert's deliveries.
  id text collate "C" primary key,
  code text collate "C" not null,
  "startedAt" bigint not null,
  "endedAt" bigint,
  detail text not null,
  "notifiedAt" bigint not null,
  reminders bigint not null
);
-- At most one alert of a code is open.
create unique index alerts_open on $.alerts (code) where "endedAt" is null;
