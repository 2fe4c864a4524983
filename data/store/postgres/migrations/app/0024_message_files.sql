-- Encrypted files of messages.
create table $.message_files (
  id text collate "C" primary key,
  "referenceNumber" text collate "C" not null references $.reference_numbers ("referenceNumber"),
  -- With unsafe characters removed.
  "fileName" text collate "C" not null,
  -- Determined from the content.
  "mediaType" text collate "C" not null,
  -- Bytes before encryption.
  "byteLength" bigint not null,
  -- SHA-256 of the file before encryption, in hex.
  "contentHash" text collate "C" not null,
  -- The id of the master key that wraps the data key.
  "masterKey" text collate "C" not null,
  -- Nonce, encrypted data key, tag.
  "wrappedKey" bytea not null,
  -- Nonce, encrypted file, tag.
  content bytea not null,
  "createdAt" bigint not null
);
create index message_files_reference on $.message_files ("referenceNumber");
-- Encrypted content does not compress.
alter table $.message_files alter content set storage external;
