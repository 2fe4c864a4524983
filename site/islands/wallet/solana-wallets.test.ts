import { describe, expect, it } from 'vitest';
import { accountOf, orderSolanaWallets } from './solana-wallets.ts';
import { fakeAccount, fakeWallet } from './testing/fake-wallet.ts';

it('the offered wallets are those that support Solana: Phantom first, then in order of registration', () => {
  const wallets = [
    fakeWallet({ name: 'B' }),
    fakeWallet({ name: 'Elsewhere', chains: ['bitcoin:mainnet'] }),
    fakeWallet({ name: 'A' }),
    fakeWallet({ name: 'Phantom' }),
  ].map(({ wallet }) => wallet);
  expect(orderSolanaWallets(wallets).map(({ name }) => name)).toEqual(['Phantom', 'B', 'A']);
});

describe('the account to use', () => {
  const accounts = [fakeAccount('E', ['eip155:1']), fakeAccount('A'), fakeAccount('B')];

  it('is the current account while the wallet shares it, or else the first on Solana', () => {
    expect(accountOf(accounts)?.address).toBe('A');
    expect(accountOf(accounts, 'B')?.address).toBe('B');
    expect(accountOf(accounts, 'Z')?.address).toBe('A');
    expect(accountOf([])).toBeNull();
  });
});
