import bs58 from 'bs58';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressOf, NO_WALLET, walletFragment, walletOfFragment } from './wallet-address.ts';

const anyAddress = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => bs58.encode(bytes));

describe('a typed address', () => {
  it('is 32 bytes in base58, and surrounding space is ignored', () => {
    fc.assert(
      fc.property(anyAddress, (address) => {
        expect(addressOf(address)).toBe(address);
        expect(addressOf(`  ${address}\n`)).toBe(address);
      }),
    );
  });

  it.each([
    '',
    'nonsense',
    '0x52908400098527886E0F7030069857D2E4169EE7',
    // 31 and 33 bytes.
    '1'.repeat(31),
    '1'.repeat(33),
    // Has the length of a key in base58, but decodes to more than 32 bytes.
    'z'.repeat(44),
    'ada.sol',
    '1'.repeat(100_000),
  ])('is invalid if it is "%.50s"', (text) => {
    expect(addressOf(text)).toBeNull();
  });
});

describe('the fragment of the page', () => {
  it('names the wallet', () => {
    fc.assert(
      fc.property(anyAddress, (address) => {
        expect(walletOfFragment(walletFragment(address))).toEqual({ text: address, address });
      }),
    );
    expect(walletOfFragment(walletFragment(null))).toEqual(NO_WALLET);
  });

  it('keeps an invalid address as text, but ignores section links and values with special characters', () => {
    expect(walletOfFragment('#wallet=nonsense')).toEqual({ text: 'nonsense', address: null });
    expect(walletOfFragment('#main')).toBeUndefined();
    expect(walletOfFragment('#wallet=<script>')).toBeUndefined();
  });
});
