import { describe, expect, it } from 'vitest';
import { askedFigure, askedWallet } from './asked-figure.ts';

describe('a live figure is asked for', () => {
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
  ])('by “%s”: %s', (message, figure) => {
    expect(askedFigure(message)).toBe(figure);
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
  ])('and not by “%s”', (message) => {
    expect(askedFigure(message)).toBeNull();
  });

  it('of a wallet by its address alone or within a sentence, and not by what is longer', () => {
    const address = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU';
    expect(askedWallet(address)).toBe(address);
    expect(askedWallet(`tier of ${address}?`)).toBe(address);
    expect(askedWallet(address + address)).toBeNull();
  });
});
