-- In these files, `$.` stands for the schema. Text has the collation "C", so that it sorts as in SQLite. Columns have the names
-- of the fields in the code.

-- Rows that transactions lock in place of names, so that transactions with the same name run one after another.
create table $.named_locks (number integer primary key);
insert into $.named_locks (number) select generate_series(0, 1023);

-- The audit trail. Rows are added, never changed.
create table $.audit_records (
  sequence bigint primary key,
  id text collate "C" not null,
  at bigint not null,
  actor text collate "C" not null,
  action text collate "C" not null,
  details json not null,
  address text collate "C",
  -- Null for records older than the chain.
  hash text collate "C",
  constraint audit_records_id unique (id)
);

-- The newest record of the trail, in one row. A transaction locks it last, until its commit.
create table $.audit_head (
  sequence bigint not null,
  hash text collate "C" not null
);
insert into $.audit_head (sequence, hash) values (0, repeat('0', 64));
