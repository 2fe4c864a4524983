import { describe, expect, it } from 'vitest';
import { requestedFigure, requestedWallet } from './question-kind.ts';

describe('a live figure or a wallet', () => {
  it.each([
    ['price', 'price'],
    ['what is the price of BD right now?', 'price'],
    ["what's BD trading at", 'price'],
    ['How many tokens are staked?', 'staked'],
    ['total staked', 'staked'],
    ['how many wallets stake BD', 'stakers'],
    ['vault balance', 'vault'],
    ['how much does the vault hold', 'vault'],
    ['current market cap', 'market-cap'],
  ])('is requested by “%s” (%s)', (message, figure) => {
    expect(requestedFigure(message)).toBe(figure);
  });

  it.each([
    'bitcoin price',
    'price of ethereum',
    'where does the price come from',
    'what is the vault',
    'who controls the vault',
    'how do I stake',
    'how much must I stake',
    'how is the market cap calculated',
    'how much have I staked',
    'who can stake',
  ])('is not requested by “%s”', (message) => {
    expect(requestedFigure(message)).toBeNull();
  });

  it('is requested by an address alone or in a sentence, but not by a longer string', () => {
    const address = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU';
    expect(requestedWallet(address)).toBe(address);
    expect(requestedWallet(`tier of ${address}?`)).toBe(address);
    expect(requestedWallet(address + address)).toBeNull();
  });
});
