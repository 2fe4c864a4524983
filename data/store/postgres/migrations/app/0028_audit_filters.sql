-- The audit trail is filtered by actor, action, reference number and time.
create index if not exists audit_records_at on $.audit_records (at, sequence);
create index if not exists audit_records_actor on $.audit_records (actor, at, sequence);
create index if not exists audit_records_action on $.audit_records (action, at, sequence);
-- Not with `->>`, which fails for details with the character U+0000.
create index if not exists audit_records_reference
  on $.audit_records (substring(details::text from '"referenceNumber":"(BD-[0-9]{8}-[0-9]{6})"'), at, sequence);
