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
  readonly problems: readonly string[];
  /** How many arrivals repeated an email that had already arrived. */
  readonly duplicates: number;
  /** How many deliveries have an attempt that is logged as unknown. */
  readonly unknownDeliveries: number;
}

/**
 * Compares the store of a stopped portal with the submissions that it acknowledged and the emails that arrived. Each
 * of these submissions must be stored with its two documents, and its three deliveries must be sent. Each of its
 * emails must have arrived once, and may have arrived once more for each attempt that is logged as unknown. No other
 * email may have arrived.
 */
export async function verifySubmissions(
  folder: string,
  { acknowledged, mails }: Pick<KilledPortal, 'acknowledged' | 'mails'>,
): Promise<Verdict> {
  const key = masterKeyOf((await readFile(join(folder, 'document.key'), 'utf8')).trim());
  const store = await openAppStore(join(folder, 'app.db'));
  const problems: string[] = [];
  const knownMessageIds = new Set<string>();
  let duplicates = 0;
  try {
    const unknownAttempts = new Map<string, number>();
    for (const { outcome, deliveryId } of await store.deliveries.attempts(10_000_000)) {
      if (outcome === 'unknown') unknownAttempts.set(deliveryId, (unknownAttempts.get(deliveryId) ?? 0) + 1);
    }
    for (const [number, referenceNumber] of acknowledged) {
      const report = (what: string) => problems.push(`${referenceNumber} (${number}): ${what}`);
      const storedApplication = await store.submissions.find('loan-application', referenceNumber);
      if (storedApplication?.name !== `Applicant ${number}`) report('not stored');
      const documents = await documentsOf(store, referenceNumber);
      if (documents.length !== 2) report(`${documents.length} documents`);
      for (const { id, kind } of documents) {
        const sealed = await store.submissions.readDocument(id);
        const openedDocument = sealed && openDocument(key, id, sealed);
        if (openedDocument === null) report(`the ${kind} is missing or cannot be decrypted`);
        else if (kind === 'passport-copy' && !openedDocument.equals(passportOf(number)))
          report(`the stored ${kind} differs from the uploaded file`);
      }
      const deliveries = await store.deliveries.deliveriesOf(referenceNumber);
      if (deliveries.map(({ state }) => state).join() !== 'sent,sent,sent') report('not delivered');
      for (const delivery of deliveries) {
        // A notice is a file in the outbox, and a repeated notice replaces its file.
        if (delivery.channel !== 'mail') continue;
        const { id } = delivery;
        const messageId = messageIdOf(delivery, ORIGIN);
        knownMessageIds.add(messageId);
        const arrivals = mails.get(messageId) ?? 0;
        if (arrivals < 1) report(`${messageId} did not arrive`);
        if (arrivals - 1 > (unknownAttempts.get(id) ?? 0)) report(`${messageId} arrived ${arrivals} times`);
        duplicates += Math.max(0, arrivals - 1);
      }
    }
    // If a submission was stored twice, the second copy has its own reference number, which was not acknowledged.
    for (const id of mails.keys())
      if (!knownMessageIds.has(id)) problems.push(`${id} belongs to no submission`);
    return { problems, duplicates, unknownDeliveries: unknownAttempts.size };
  } finally {
    await store.close();
  }
}
