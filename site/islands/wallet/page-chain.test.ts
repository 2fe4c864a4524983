import { describe, expect, it } from 'vitest';
import { chainOfHealth } from './page-chain.ts';

describe('the chain as wallets name it', () => {
  it.each([
    ['embedded-ledger', null, true, 'solana:localnet'],
    ['solana', 'mainnet-beta', false, 'solana:mainnet'],
    ['solana', 'devnet', false, 'solana:devnet'],
    ['solana', 'testnet', false, 'solana:testnet'],
    ['solana', null, false, 'solana:mainnet'],
  ] as const)('of %s, %s', (chain, cluster, isDemonstration, walletChain) => {
    expect(chainOfHealth({ chain, cluster })).toEqual({ isDemonstration, walletChain });
  });
});
