import { expect, it } from 'vitest';
import { bounceReason } from './bounces.ts';

it.each([
  [
    '550',
    '5.1.1 <a…@….com>: Recipient address rejected: User unknown in virtual mailbox table',
    'address-unknown',
  ],
  ['550', 'No such user here', 'address-unknown'],
  ['550', "5.1.1 The email account that you tried to reach doesn't exist", 'address-unknown'],
  ['5.1.10', 'Domain does not accept mail (null MX)', 'domain-unknown'],
  ['452', '4.2.2 The recipient’s inbox is out of storage space', 'mailbox-full'],
  ['552', 'Requested mail action aborted', 'mailbox-full'],
  ['550', '5.2.1 The email account that you tried to reach is inactive', 'mailbox-disabled'],
  ['550', '5.7.1 Message rejected due to content', 'refused-as-spam'],
  ['554', 'Message blocked because of the sender’s reputation', 'refused-as-spam'],
  ['552', '5.3.4 Message size exceeds fixed limit', 'too-large'],
  ['4.4.7', 'delivery time expired', 'unreachable'],
  ['no-address', 'The recipient is not an email address.', 'address-unknown'],
  ['550', null, 'other'],
  [null, null, 'other'],
] as const)('the refusal %s %s means %s', (code, text, reason) => {
  expect(bounceReason(code, text)).toBe(reason);
});
