import { describe, expect, it } from 'vitest';
import { sampleAdmin } from '../testing/sample-admins.ts';
import { operatorAudit } from '../testing/sample-loans.ts';
import {
  acceptedReference,
  SUBMITTED_AT,
  sampleApplication,
  sampleOptions,
} from '../testing/sample-submissions.ts';
import { reopenAppStore, store, useAppStore } from '../testing/test-stores.ts';

/** Characters that databases, JSON or SQL treat in special ways. */
const SPECIAL = `a\u0000b \\u0000 "' \\ {1} $1 $. ? %_ \u2028 \uffff 🦆 é`;
/** An adapter may replace U+0000. */
const replaceNull = (text: unknown) => String(text).replaceAll('\u0000', '\ufffd');

describe('text', () => {
  useAppStore();

  it('is stored unchanged, except for U+0000', async () => {
    const idempotency = { keyHash: 'key', bodyHash: 'body' };
    const submit = () =>
      store.submissions.submit(
        'card-application',
        sampleApplication({ name: SPECIAL, applicantNotes: SPECIAL }),
        sampleOptions({ idempotency, answer: { text: SPECIAL } }),
      );
    const referenceNumber = acceptedReference(await submit());
    const actor = { adminId: SPECIAL, address: '::1', at: SUBMITTED_AT };
    await store.records.addNote({ referenceNumber, text: SPECIAL }, actor);
    await store.recordAudit({ ...operatorAudit(SPECIAL), details: { text: SPECIAL } });
    const due = { channel: 'mail', now: SUBMITTED_AT, leasedUntil: SUBMITTED_AT + 1, limit: 1 } as const;
    const [leased] = await store.deliveries.claimDue(due);
    if (!leased) throw new Error('There is no delivery.');
    const attempt = {
      at: SUBMITTED_AT,
      outcome: 'retry',
      providerId: SPECIAL,
      code: SPECIAL,
      error: SPECIAL,
    } as const;
    await store.deliveries.recordAttempt(
      leased,
      { ...attempt, maskedRecipient: SPECIAL, latencyMs: 1 },
      { state: 'waiting', nextAttemptAt: SUBMITTED_AT, counts: true },
    );
    await reopenAppStore();

    const repeated = await submit();
    const stored = await store.submissions.find('card-application', referenceNumber);
    const record = await store.records.record(referenceNumber);
    const [audited, noteAudit] = await store.auditTrail(2);
    const [lastAttempt] = await store.deliveries.attempts(1);
    const texts = [
      repeated.kind === 'repeated' && repeated.answer.text,
      stored?.name,
      stored?.applicantNotes,
      record?.notes[0]?.text,
      record?.notes[0]?.by,
      noteAudit?.actor,
      audited?.action,
      audited?.details.text,
      lastAttempt?.error,
      lastAttempt?.maskedRecipient,
    ];
    expect(texts.map(replaceNull)).toEqual(texts.map(() => replaceNull(SPECIAL)));
  });

  it('with U+0000 does not equal the text without it', async () => {
    await store.admins.add(sampleAdmin('ada'), operatorAudit('admin.added'));
    expect(await store.admins.byName('ada\u0000')).toBeNull();
    expect(await store.admins.byId('a\u0000da')).toBeNull();
    expect(await store.submissions.find('card-application', '\u0000')).toBeNull();
  });
});
