import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maskedAddress, maskedChat, withoutAddresses } from './recipients.ts';

describe('a masked recipient', () => {
  it('keeps the first letter and the end of the host, and three characters of a chat id', () => {
    expect(maskedAddress('ada.lovelace@mail.example.com')).toBe('a…@….com');
    expect(maskedAddress('🦆@localhost')).toBe('🦆…@…');
    expect(maskedAddress('')).toBe('…@…');
    expect(maskedChat('-1001234567890')).toBe('chat …890');
  });
});

describe('a peer’s message', () => {
  it('has its email addresses masked, is on one line and is shortened', () => {
    expect(withoutAddresses('550 5.1.1 <ann@example.com>: no\r\nsuch user ANN@EXAMPLE.COM')).toBe(
      '550 5.1.1 <a…@….com>: no such user A…@….COM',
    );
    expect(withoutAddresses('x'.repeat(1_000))).toHaveLength(300);
  });

  it('never contains the recipient’s address', () => {
    fc.assert(
      fc.property(fc.emailAddress(), fc.string(), (address, rest) => {
        expect(withoutAddresses(`550 <${address}> ${rest}`)).not.toContain(address);
      }),
    );
  });
});
