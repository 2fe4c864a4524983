import { describe, expect, it } from 'vitest';
import { findWalletAddress } from './question-kind.ts';

describe('a wallet address', () => {
  it('is found alone or in a sentence, but not within a longer string', () => {
    const address = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU';
    expect(findWalletAddress(address)).toBe(address);
    expect(findWalletAddress(`tier of ${address}?`)).toBe(address);
    expect(findWalletAddress(address + address)).toBeNull();
  });
});
