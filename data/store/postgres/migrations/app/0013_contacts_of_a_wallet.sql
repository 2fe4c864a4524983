-- Finds the messages that name a wallet.
create index if not exists contact_messages_wallet on $.contact_messages ("walletAddress");
