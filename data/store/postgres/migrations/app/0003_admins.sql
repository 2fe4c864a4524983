-- Accounts of the team.
create table $.admins (
  id text collate "C" primary key,
  username text collate "C" not null,
  -- The name in NFKC and lower case.
  "usernameKey" text collate "C" not null unique,
  email text collate "C",
  "passwordHash" text collate "C" not null,
  role text collate "C" not null,
  -- Encrypted under the master key; null when none is set up.
  "totpSecret" bytea,
  "totpConfirmedAt" bigint,
  "totpLastStep" bigint,
  "createdAt" bigint not null,
  "addedBy" text collate "C",
  "changedAt" bigint not null,
  "disabledAt" bigint
);

create table $.admin_sessions (
  "tokenHash" text collate "C" primary key,
  id text collate "C" not null unique,
  "adminId" text collate "C" not null references $.admins (id),
  "startedAt" bigint not null,
  "lastSeenAt" bigint not null,
  "expiresAt" bigint not null,
  "endedAt" bigint,
  address text collate "C" not null,
  "userAgent" text collate "C" not null
);
create index admin_sessions_admin on $.admin_sessions ("adminId");
create index admin_sessions_expires on $.admin_sessions ("expiresAt");

create table $.admin_recovery_codes (
  "codeHash" text collate "C" primary key,
  "adminId" text collate "C" not null references $.admins (id),
  "createdAt" bigint not null,
  "usedAt" bigint
);
create index admin_recovery_codes_admin on $.admin_recovery_codes ("adminId");

-- Network addresses from which an admin signed in, by the hash of both.
create table $.admin_addresses (
  "addressHash" text collate "C" primary key,
  "adminId" text collate "C" not null references $.admins (id),
  "signedInAt" bigint not null
);
create index admin_addresses_admin on $.admin_addresses ("adminId");
create index admin_addresses_signed_in on $.admin_addresses ("signedInAt");

-- Failed sign-ins, by the hash of a subject, such as an account or a network address.
create table $.sign_in_failures (
  "subjectHash" text collate "C" primary key,
  failures bigint not null,
  "lastAt" bigint not null,
  "blockedUntil" bigint not null,
  "alertedAt" bigint
);
create index sign_in_failures_last on $.sign_in_failures ("lastAt");
