/**
 * The month worked by hand: in a real browser, step by step from what is on the screen, without ids from the database. A step is a
 * click (a choice in a list is two), a shortcut, a typed text, or a scroll. The seconds follow the Keystroke-Level Model: 1.35 for
 * each decision, 1.1 for each pointing, 0.2 for each key; and the time that the page took. Measured on 27 November 2026.
 */
interface Worked {
  readonly steps: number;
  readonly seconds: number;
}

interface TaskByHand {
  /** At commit 759463e7, before the admin area had a frame, owners and due times; a reason if it was not possible. */
  readonly before: Worked | string;
  readonly after: Worked;
}

export const BY_HAND: Readonly<Record<string, TaskByHand>> = {
  'find a record by words of a message': {
    before: 'messages were not searched',
    after: { steps: 3, seconds: 7.1 },
  },
  decide: { before: { steps: 5, seconds: 11.9 }, after: { steps: 5, seconds: 12.9 } },
  note: { before: { steps: 6, seconds: 17.3 }, after: { steps: 5, seconds: 13.7 } },
  // Since then, an approval against a warning asks for a reason, also that of a loan application.
  verify: { before: { steps: 5, seconds: 10.9 }, after: { steps: 7, seconds: 16.9 } },
  'vote with both documents': { before: { steps: 8, seconds: 19 }, after: { steps: 8, seconds: 22.4 } },
  'retry the other bounces': { before: { steps: 46, seconds: 113 }, after: { steps: 3, seconds: 7.6 } },
  'export this week': { before: 'exports had all rows', after: { steps: 5, seconds: 11.5 } },
  'clear 20 overdue messages': {
    before: 'messages had neither a state nor a due time',
    after: { steps: 4, seconds: 10.3 },
  },
  'answer to a reply': { before: 'replies came to a mailbox', after: { steps: 6, seconds: 13.2 } },
  'reply with a template': { before: 'only from a mailbox', after: { steps: 8, seconds: 20.5 } },
  'ask for more information': { before: 'only from a mailbox', after: { steps: 6, seconds: 11.9 } },
  'assign to oneself': { before: 'records had no owner', after: { steps: 3, seconds: 6.5 } },
  erase: { before: { steps: 12, seconds: 35 }, after: { steps: 12, seconds: 36.5 } },
  // Before, the owner also told the person the password.
  invite: { before: { steps: 15, seconds: 39.6 }, after: { steps: 11, seconds: 29.5 } },
  'add a passkey': { before: 'there were no passkeys', after: { steps: 6, seconds: 18 } },
  'decide on a phone': { before: { steps: 7, seconds: 18.3 }, after: { steps: 5, seconds: 13.6 } },
};
