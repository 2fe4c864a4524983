-- Passkeys of the team (WebAuthn credentials).
create table $.admin_passkeys (
  -- The id of the credential, in base64url.
  id text collate "C" primary key,
  "adminId" text collate "C" not null references $.admins (id),
  name text collate "C" not null,
  -- A JSON Web Key.
  "publicKey" text collate "C" not null,
  -- The newest sign counter that was accepted; 0 if the authenticator does not count.
  counter bigint not null,
  "createdAt" bigint not null,
  "lastUsedAt" bigint
);
create index admin_passkeys_admin on $.admin_passkeys ("adminId");

-- Challenges that passkeys sign. Used ones are deleted.
create table $.passkey_challenges (
  "challengeHash" text collate "C" primary key,
  purpose text collate "C" not null,
  "adminId" text collate "C",
  "expiresAt" bigint not null
);
create index passkey_challenges_expires on $.passkey_challenges ("expiresAt");
