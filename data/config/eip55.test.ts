import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ethereumAddressFault } from './eip55.ts';

// The test cases of https://eips.ethereum.org/EIPS/eip-55.
const PUBLISHED = [
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
  '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
];

describe('the checksum of an Ethereum address', () => {
  it.each(PUBLISHED)('holds for the published %s', (address) => {
    expect(ethereumAddressFault(address)).toBeNull();
  });

  it('fails where any one letter changes its case, or any digit its value', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...PUBLISHED),
        fc.integer({ min: 2, max: 41 }),
        fc.constantFrom(...'0123456789abcdefABCDEF'),
        (address, place, digit) => {
          const changed = address.slice(0, place) + digit + address.slice(place + 1);
          expect(ethereumAddressFault(changed) === null).toBe(changed === address);
        },
      ),
    );
  });

  it('is missing in small letters and in capitals alone', () => {
    const [address = ''] = PUBLISHED;
    for (const plain of [address.toLowerCase(), `0x${address.slice(2).toUpperCase()}`]) {
      expect(ethereumAddressFault(plain)).toContain('no EIP-55 checksum');
    }
  });

  it.each(['', '0x', '5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', `${PUBLISHED[0]}0`, `0X${'0'.repeat(40)}`])(
    '%j is no address at all',
    (text) => {
      expect(ethereumAddressFault(text)).toContain('not an Ethereum address');
    },
  );
});
