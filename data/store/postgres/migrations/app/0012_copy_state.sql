-- How far a copy from another store has come, as JSON. While there is a row, the schema is incomplete, and no program uses it.
create table $.copy_state (
  id integer primary key default 1 check (id = 1),
  state json not null
);
