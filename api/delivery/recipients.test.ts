import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maskAddress, maskChat, sanitizePeerMessage } from './recipients.ts';

describe('a masked recipient', () => {
  it('keeps an address’s first letter and top-level domain, or a chat id’s last three characters', () => {
    expect(maskAddress('ada.lovelace@mail.example.com')).toBe('a…@….com');
    expect(maskAddress('🦆@localhost')).toBe('🦆…@…');
    expect(maskAddress('')).toBe('…@…');
    expect(maskChat('-1001234567890')).toBe('chat …890');
  });
});

describe('a peer’s message', () => {
  it('is shortened and put on one line, with its email addresses masked', () => {
    expect(sanitizePeerMessage('550 5.1.1 <ann@example.com>: no\r\nsuch user ANN@EXAMPLE.COM')).toBe(
      '550 5.1.1 <a…@….com>: no such user A…@….COM',
    );
    expect(sanitizePeerMessage('x'.repeat(1_000_000))).toHaveLength(300);
  });

  it('never contains the recipient’s address', () => {
    fc.assert(
      fc.property(fc.emailAddress(), fc.string(), (address, rest) => {
        expect(sanitizePeerMessage(`550 <${address}> ${rest}`)).not.toContain(address);
      }),
    );
  });
});
