import { describe, expect, it } from 'vitest';
import { mailboxOf } from './mail-address.ts';

describe('the mailbox of an address', () => {
  it.each([
    ['ada@example.com', 'Ada@Example.COM'],
    ['ada@example.com', 'ada+news@example.com'],
    ['ada@example.com', 'ada+1+2@example.com'],
    ['adalove@gmail.com', 'a.da.love+x@googlemail.com'],
    ['adalove@gmail.com', 'AdaLove@GMail.com'],
    ['ada@yahoo.co.uk', 'Ada-shops@yahoo.co.uk'],
  ])('is %s for %s', (mailbox, address) => {
    expect(mailboxOf(address)).toBe(mailbox);
  });

  it.each([
    ['a.da@example.com', 'ada@example.com'],
    ['+ada@example.com', '+bob@example.com'],
    ['ada@example.com', 'ada@example.org'],
    ['ada-1@example.com', 'ada-2@example.com'],
  ])('differs between %s and %s', (one, other) => {
    expect(mailboxOf(one)).not.toBe(mailboxOf(other));
  });
});
