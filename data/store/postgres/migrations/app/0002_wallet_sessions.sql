-- Sign-in messages that were given to wallets. Only the hash of the nonce is stored.
create table $.proof_challenges (
  "nonceHash" text collate "C" primary key,
  "walletAddress" text collate "C" not null,
  "messageHash" text collate "C" not null,
  "issuedAt" bigint not null,
  "expiresAt" bigint not null,
  "usedAt" bigint
);
create index proof_challenges_expires on $.proof_challenges ("expiresAt");

-- Sessions of wallets with a proven owner. Only the hash of the cookie's token is stored.
create table $.wallet_sessions (
  "tokenHash" text collate "C" primary key,
  "walletAddress" text collate "C" not null,
  "provedAt" bigint not null,
  "expiresAt" bigint not null,
  "endedAt" bigint
);
create index wallet_sessions_expires on $.wallet_sessions ("expiresAt");
create index wallet_sessions_wallet on $.wallet_sessions ("walletAddress");

-- Wallets whose ownership was proven at least once.
create table $.proven_wallets (
  "walletAddress" text collate "C" primary key,
  "firstProvedAt" bigint not null,
  "lastProvedAt" bigint not null
);

-- Wallets that the team whitelisted for a card tier.
create table $.whitelisted_wallets (
  "walletAddress" text collate "C" primary key,
  tier text collate "C" not null,
  "whitelistedAt" bigint not null,
  -- The approved verification request.
  "referenceNumber" text collate "C" not null
);
