import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageIdOf } from '../../api/delivery/mail/message-thread.ts';
import { masterKeyOf } from '../../api/documents/master-key.ts';
import { openDocument } from '../../api/documents/sealed-document.ts';
import { openAppStore } from '../../data/store/open-stores.ts';
import { documentsOf } from '../../data/store/testing/sample-loans.ts';
import { ORIGIN } from './attacked-portal.ts';
import type { KilledPortal } from './kills.ts';
import { passportOf } from './loan-upload.ts';

export interface Verdict {
  /** Problems, such as a lost submission. */
  readonly faults: readonly string[];
  /** How many emails arrived again after their first arrival. */
  readonly duplicates: number;
  /** Deliveries with an attempt that is logged as unknown. */
  readonly unknown: number;
}

/**
 * Compares the store of a stopped portal with the submissions that it acknowledged and the emails that arrived. Each submission
 * must be stored with its documents and delivered. No email may have arrived more often than it has attempts logged as sent or
 * unknown.
 */
export async function verifySubmissions(
  folder: string,
  { acknowledged, mails }: Pick<KilledPortal, 'acknowledged' | 'mails'>,
): Promise<Verdict> {
  const key = masterKeyOf((await readFile(join(folder, 'document.key'), 'utf8')).trim());
  const store = await openAppStore(join(folder, 'app.db'));
  const faults: string[] = [];
  const known = new Set<string>();
  let duplicates = 0;
  try {
    const unknown = new Map<string, number>();
    for (const { outcome, deliveryId } of await store.deliveries.attempts(10_000_000)) {
      if (outcome === 'unknown') unknown.set(deliveryId, (unknown.get(deliveryId) ?? 0) + 1);
    }
    for (const [number, referenceNumber] of acknowledged) {
      const report = (what: string) => faults.push(`${referenceNumber} (${number}): ${what}`);
      const stored = await store.submissions.find('loan-application', referenceNumber);
      if (stored?.name !== `Applicant ${number}`) report('not stored');
      const documents = await documentsOf(store, referenceNumber);
      if (documents.length !== 2) report(`${documents.length} documents`);
      for (const { id, kind } of documents) {
        const sealed = await store.submissions.readDocument(id);
        const clear = sealed && openDocument(key, id, sealed);
        if (clear === null) report(`no ${kind}`);
        else if (kind === 'passport-copy' && !clear.equals(passportOf(number))) report(`another ${kind}`);
      }
      const deliveries = await store.deliveries.deliveriesOf(referenceNumber);
      if (deliveries.map(({ state }) => state).join() !== 'sent,sent,sent') report('not delivered');
      for (const delivery of deliveries) {
        // A notice is a file in the outbox, and a repeated notice replaces its file.
        if (delivery.channel !== 'mail') continue;
        const { id } = delivery;
        const messageId = messageIdOf(delivery, ORIGIN);
        known.add(messageId);
        const arrived = mails.get(messageId) ?? 0;
        if (arrived < 1) report(`${messageId} did not arrive`);
        if (arrived - 1 > (unknown.get(id) ?? 0)) report(`${messageId} arrived ${arrived} times`);
        duplicates += Math.max(0, arrived - 1);
      }
    }
    // A submission that was stored twice would have sent an email that belongs to no known submission.
    for (const id of mails.keys()) if (!known.has(id)) faults.push(`${id} belongs to no submission`);
    return { faults, duplicates, unknown: unknown.size };
  } finally {
    await store.close();
  }
}
