-- One-time links to set a password, offered by an owner. Ended links are deleted.
create table $.admin_links (
  id text collate "C" primary key,
  "tokenHash" text collate "C" not null unique,
  kind text collate "C" not null,
  email text collate "C",
  username text collate "C",
  role text collate "C",
  -- The account of a password reset; null in an invitation.
  "adminId" text collate "C" references $.admins (id),
  "removeTotp" boolean,
  "createdBy" text collate "C" not null references $.admins (id),
  "createdAt" bigint not null,
  "expiresAt" bigint not null
);
create index admin_links_expires on $.admin_links ("expiresAt");
