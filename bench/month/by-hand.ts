/**
 * The month's tasks, done by hand in a real browser, with only the information on the screen. A step is a click (a choice in a
 * list is two), a shortcut, a typed text, or a scroll. The seconds are those of the Keystroke-Level Model (1.35 for each
 * decision, 1.1 for each pointing movement, 0.2 for each key) plus the time that the page took. Measured on 27 November 2026.
 * During the measurements for `after`, two cores had a load of 6 to 8, so the page took 0.6 to 3.1 seconds of each task.
 */
interface MeasuredByHand {
  readonly steps: number;
  readonly seconds: number;
}

interface TaskByHand {
  /**
   * Measured at commit 759463e7, when the admin area had no frame, assignees or due times. A string says why the task was not
   * possible then.
   */
  readonly before: MeasuredByHand | string;
  readonly after: MeasuredByHand;
}

export const BY_HAND: Readonly<Record<string, TaskByHand>> = {
  'find a record by words of a message': {
    before: 'messages were not searched',
    after: { steps: 3, seconds: 8.8 },
  },
  decide: { before: { steps: 5, seconds: 11.9 }, after: { steps: 5, seconds: 15.2 } },
  note: { before: { steps: 6, seconds: 17.3 }, after: { steps: 5, seconds: 15.9 } },
  // Approving despite a warning now requires a reason, for loan applications too. Their documents are now below the fold.
  verify: { before: { steps: 5, seconds: 10.9 }, after: { steps: 7, seconds: 19.5 } },
  'vote with both documents': { before: { steps: 8, seconds: 19 }, after: { steps: 9, seconds: 24.9 } },
  'retry the other bounces': { before: { steps: 46, seconds: 113 }, after: { steps: 3, seconds: 8.5 } },
  'export this week': { before: 'exports always had all rows', after: { steps: 5, seconds: 12.1 } },
  'clear 20 overdue messages': {
    before: 'messages had neither a state nor a due time',
    after: { steps: 4, seconds: 10.4 },
  },
  'answer a reply': { before: 'replies came to a mailbox', after: { steps: 6, seconds: 14.5 } },
  'reply with a template': { before: 'only from a mailbox', after: { steps: 7, seconds: 21 } },
  'ask for more information': { before: 'only from a mailbox', after: { steps: 6, seconds: 14.3 } },
  'assign to oneself': { before: 'records had no assignee', after: { steps: 3, seconds: 8.4 } },
  erase: { before: { steps: 12, seconds: 35 }, after: { steps: 12, seconds: 39.2 } },
  // Previously, the owner also had to give the new admin the password.
  invite: { before: { steps: 15, seconds: 39.6 }, after: { steps: 9, seconds: 27.1 } },
  'add a passkey': { before: 'there were no passkeys', after: { steps: 7, seconds: 20.9 } },
  'decide on a phone': { before: { steps: 7, seconds: 18.3 }, after: { steps: 5, seconds: 16.9 } },
};
