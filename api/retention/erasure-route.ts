import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { erasePerson } from '../../data/contract/admin-erasures.ts';
import type { ResponseOf } from '../../data/contract/call.ts';
import type { PersonalData } from '../../data/store/erasure-port.ts';
import type { AppStore } from '../../data/store/ports.ts';
import { adminRecord } from '../admin/admin-audit.ts';
import type { AdmitAdmin } from '../admin/admit-admin.ts';
import { adminRoute } from '../admin/admit-admin.ts';
import type { ApiRoute } from '../known-calls.ts';
import { readBody } from '../request-input.ts';
import type { ProvenWallets } from '../wallet/proven-wallets.ts';
import { proofText, sealSubject } from './erasure-proof.ts';

interface BackupState {
  /** When the newest backup was taken, Unix ms; null when there is none. */
  readonly newestAt: number | null;
  readonly keep: number;
  readonly isScheduled: boolean;
}

/** Where personal data is stored besides `app.db`. */
export interface OtherCopies {
  /** The folder of mails that were written instead of sent; null when there is none. */
  readonly outboxFolder: string | null;
  readonly backups: () => BackupState;
}

interface ErasureContext {
  readonly store: Pick<AppStore, 'erasures' | 'retention'>;
  readonly admit: AdmitAdmin;
  readonly now: () => number;
  readonly copies: OtherCopies;
  /** Notified when wallets may have been deleted from the store. */
  readonly proven: Pick<ProvenWallets, 'reload'>;
}

function backupNote({ newestAt, keep, isScheduled }: BackupState): string {
  if (newestAt === null) return 'No backup holds the data.';
  const newest = `The newest backup, of ${new Date(newestAt).toISOString()}, and older ones may still hold the data.`;
  return isScheduled
    ? `${newest} The last of them is removed after ${keep} newer ones.`
    : `${newest} Backups are not scheduled, so the operator must delete them.`;
}

/** The mails of the given deliveries in the outbox folder, including unfinished ones. */
async function outboxMails(folder: string | null, deliveries: readonly string[]): Promise<readonly string[]> {
  if (folder === null || deliveries.length === 0) return [];
  let names: readonly string[];
  try {
    names = await readdir(folder);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
  const wanted = new Set(deliveries);
  // A name ends with the delivery's id, which is a UUID.
  return names
    .filter((name) => wanted.has(/([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\.eml/.exec(name)?.[1] ?? ''))
    .map((name) => join(folder, name));
}

/** @returns the number of mails removed */
async function removeOutboxMails(folder: string | null, deliveries: readonly string[]): Promise<number> {
  const mails = await outboxMails(folder, deliveries);
  for (const path of mails) await rm(path, { force: true });
  return mails.length;
}

/** `POST /api/admin/erasures`: previews what is stored about a person, or erases it and returns a proof. */
export function erasureRoute({ store, admit, now, copies, proven }: ErasureContext): ApiRoute {
  const { outboxFolder } = copies;

  const summaryOf = (
    found: PersonalData,
    outboxFiles: number,
  ): Omit<ResponseOf<typeof erasePerson>, 'preview' | 'proof'> => {
    const backups = copies.backups();
    const { newestAt, keep } = backups;
    return {
      success: true,
      records: [...found.records],
      counts: found.counts,
      outboxFiles,
      otherWallets: [...found.otherWallets],
      kept: found.kept,
      backups: {
        newestAt: newestAt === null ? null : new Date(newestAt).toISOString(),
        keep,
        note: backupNote(backups),
      },
    };
  };

  return adminRoute(erasePerson, { admit, limit: 'erasures' }, async (admin, request, response) => {
    const body = readBody(erasePerson.body, request.body);
    const subject = { email: body.email ?? null, walletAddress: body.walletAddress ?? null };
    const before = await store.erasures.find(subject);
    if (body.preview) {
      const files = await outboxMails(outboxFolder, before.deliveries);
      const answer: ResponseOf<typeof erasePerson> = {
        ...summaryOf(before, files.length),
        preview: true,
        proof: null,
      };
      response.json(answer);
      return;
    }
    // Removed before the rows that name the mails, so that erasing again after an interruption finds the rest.
    let files = await removeOutboxMails(outboxFolder, before.deliveries);
    const at = now();
    const seal = sealSubject(subject);
    const record = adminRecord(admin, { action: 'person.erased', at });
    const found = await store.erasures.erase(subject, at, ({ records, counts }) => ({
      ...record,
      details: { request: body.request, subject: seal.digest, records: records.length, ...counts },
    }));
    proven.reload();
    // Removes mails that a worker wrote in the meantime.
    files += await removeOutboxMails(outboxFolder, found.deliveries);
    await store.retention.truncateLog();
    const answer = summaryOf(found, files);
    const text = proofText({
      subject,
      seal,
      found,
      auditRecord: record.id,
      request: body.request,
      at,
      backupNote: answer.backups.note,
    });
    const erased: ResponseOf<typeof erasePerson> = {
      ...answer,
      preview: false,
      proof: { auditRecord: record.id, erasedAt: new Date(at).toISOString(), ...seal, text },
    };
    response.json(erased);
  });
}
