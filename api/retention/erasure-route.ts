import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { erasePerson } from '../../data/contract/admin-erasures.ts';
import { utcMinuteText } from '../../data/model/format.ts';
import type { PersonalData } from '../../data/store/erasure-port.ts';
import { adminAuditRecord } from '../admin/admin-audit.ts';
import { adminJsonRoute, type SignedInAdmin } from '../admin/authorize-admin.ts';
import type { ApiRoute } from '../call-router.ts';
import type { BackupState, PortalContext } from '../portal-context.ts';
import { digestSubject, proofText } from './erasure-proof.ts';

const DATABASE_NOTE =
  'Dumps, archives and replicas of the database may still hold the data, and the portal cannot reach them. The operator must delete them, and repeat this erasure after restoring one.';

const MINUTE_MS = 60_000;

function backupNote(state: BackupState | null): string {
  if (state === null) return DATABASE_NOTE;
  const copies = state.leftovers.map(
    // Rounded up, so that the copy is not kept longer than stated.
    ({ name, deleteAt }) =>
      `${name} (deleted within an hour after ${utcMinuteText(Math.ceil(deleteAt / MINUTE_MS) * MINUTE_MS)})`,
  );
  const copiesNote =
    copies.length === 0 ? '' : ` Other copies may still hold the data: ${copies.join(', ')}.`;
  return `${noteOfBackups(state)}${noteOfRemote(state.remote)}${copiesNote}`;
}

function noteOfRemote(remote: BackupState['remote']): string {
  if (remote === null || remote.newestAt === null) return '';
  const newestNote = ` The encrypted remote copy of the backup of ${utcMinuteText(remote.newestAt)} and older remote copies may still hold the data.`;
  return remote.keep === null
    ? `${newestNote} The operator or the lifecycle rules of the remote storage delete them.`
    : `${newestNote} The last of them is removed once there are ${remote.keep} newer copies.`;
}

function noteOfBackups({ newestAt, keep, isScheduled }: BackupState): string {
  if (newestAt === null) return 'No backup holds the data.';
  const newestNote =
    newestAt === undefined
      ? 'The backup folder cannot be read, so its backups may still hold the data.'
      : `The backup of ${utcMinuteText(newestAt)} and older backups may still hold the data.`;
  return isScheduled
    ? `${newestNote} The last of them is removed once there are ${keep} newer backups.`
    : `${newestNote} Backups are not scheduled, so the operator must delete them.`;
}

/** The paths of these deliveries' emails in the outbox folder, including partly written ones. */
async function outboxMails(
  folder: string | null,
  deliveryIds: readonly string[],
): Promise<readonly string[]> {
  if (folder === null || deliveryIds.length === 0) return [];
  let names: readonly string[];
  try {
    names = await readdir(folder);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
  const wanted = new Set(deliveryIds);
  // In each name, the delivery's id, which is a UUID, precedes `.eml`.
  return names
    .filter((name) => wanted.has(/([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\.eml/.exec(name)?.[1] ?? ''))
    .map((name) => join(folder, name));
}

async function removeOutboxMails(folder: string | null, deliveryIds: readonly string[]): Promise<number> {
  const mails = await outboxMails(folder, deliveryIds);
  for (const path of mails) await rm(path, { force: true });
  return mails.length;
}

/** `POST /api/admin/erasures`: previews what is stored about a person, or erases it and returns a proof. */
export function erasureRoute(
  { store, authorize, now, copies, provenWallets, log }: PortalContext,
  confirmOwnPassword: (admin: SignedInAdmin, password: string) => Promise<unknown>,
): ApiRoute {
  const { outboxFolder } = copies;

  const summaryOf = (personalData: PersonalData, outboxFiles: number) => {
    const backups = copies.backups();
    const { newestAt, keep } = backups ?? { newestAt: null, keep: null };
    return {
      success: true as const,
      records: [...personalData.records],
      counts: personalData.counts,
      outboxFiles,
      otherWallets: [...personalData.otherWallets],
      kept: personalData.kept,
      backups: {
        newestAt: newestAt == null ? null : new Date(newestAt).toISOString(),
        keep,
        note: backupNote(backups),
      },
    };
  };

  return adminJsonRoute(erasePerson, { authorize, limit: 'erasures' }, async (admin, body) => {
    const { request } = body;
    const subject = { email: body.email ?? null, walletAddress: body.walletAddress ?? null };
    const storedData = await store.erasures.find(subject);
    if (body.preview) {
      const mails = await outboxMails(outboxFolder, storedData.deliveries);
      return { ...summaryOf(storedData, mails.length), preview: true, proof: null };
    }
    await confirmOwnPassword(admin, body.ownPassword ?? '');
    // The emails are removed before the rows that refer to them, so that a second erasure can find the remaining emails
    // after an interruption.
    let fileCount = await removeOutboxMails(outboxFolder, storedData.deliveries);
    const at = now();
    const saltedDigest = digestSubject(subject);
    const erasureRecord = adminAuditRecord(admin, { action: 'person.erased', at });
    await copies.recordErasure(subject, { auditRecord: erasureRecord.id, at });
    const erasedData = await store.erasures.erase(subject, at, ({ records, counts }) => ({
      ...erasureRecord,
      details: { request, subject: saltedDigest.digest, records: records.length, ...counts },
    }));
    provenWallets.reload();
    // The delivery worker may have written more emails in the meantime.
    fileCount += await removeOutboxMails(outboxFolder, erasedData.deliveries);
    const truncation = store.retention.truncateLog().catch((error) => {
      log.warn({ err: error }, 'copies of erased data remain in the store until the hourly deletion');
    });
    // Not awaited with PostgreSQL, because its vacuum may take minutes.
    if (copies.backups() !== null) await truncation;
    const answer = summaryOf(erasedData, fileCount);
    const auditRecord = erasureRecord.id;
    const { note } = answer.backups;
    const text = proofText({
      subject,
      saltedDigest,
      erasedData,
      auditRecord,
      requestId: request,
      at,
      backupNote: note,
    });
    const erasedAt = new Date(at).toISOString();
    return { ...answer, preview: false, proof: { auditRecord, erasedAt, ...saltedDigest, text } };
  });
}
