import { describe, expect, it } from 'vitest';
import { accountOf, orderedWallets } from './solana-wallets.ts';
import { fakeAccount, fakeWallet } from './testing/fake-wallet.ts';

describe('the wallets that are offered', () => {
  it('are those that support Solana, Phantom first and the others as they came', () => {
    const wallets = [
      fakeWallet({ name: 'B' }),
      fakeWallet({ name: 'Elsewhere', chains: ['bitcoin:mainnet'] }),
      fakeWallet({ name: 'A' }),
      fakeWallet({ name: 'Phantom' }),
    ].map(({ wallet }) => wallet);
    expect(orderedWallets(wallets).map(({ name }) => name)).toEqual(['Phantom', 'B', 'A']);
  });
});

describe('the account that is used', () => {
  const accounts = [fakeAccount('E', ['eip155:1']), fakeAccount('A'), fakeAccount('B')];

  it('is the first on Solana, or the one in use while it is open', () => {
    expect(accountOf(accounts)?.address).toBe('A');
    expect(accountOf(accounts, 'B')?.address).toBe('B');
    expect(accountOf(accounts, 'Z')?.address).toBe('A');
    expect(accountOf([])).toBeNull();
  });
});
