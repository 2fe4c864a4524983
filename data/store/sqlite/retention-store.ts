import type Database from 'better-sqlite3';
import type { RetentionStore } from '../retention-port.ts';
import { rowId } from '../row-id.ts';
import type { AuditStatements } from './audit-statements.ts';
import type { GroupCommit } from './group-commit.ts';
import { inStore } from './store-faults.ts';
import { APP_FILE } from './store-files.ts';

interface DeletedDocument {
  readonly kind: string;
  readonly contentHash: string;
}

/**
 * Deletes the documents of one application, with an audit record of each; to be called in a transaction.
 * @returns how many
 */
export function prepareDocumentDeletion(client: Database.Database, audit: AuditStatements) {
  const remove = client.prepare<[string], DeletedDocument>(
    'delete from loan_documents where referenceNumber = ? returning kind, contentHash',
  );
  return (
    referenceNumber: string,
    { at, actor, address, why }: { at: number; actor: string; address: string | null; why: string },
  ): number => {
    const deleted = remove.all(referenceNumber);
    for (const { kind, contentHash } of deleted) {
      const details = { referenceNumber, document: kind, contentHash, why };
      audit.append({ id: rowId(at), at, actor, address, action: 'loan-document.deleted', details });
    }
    return deleted.length;
  };
}
export type DeleteDocuments = ReturnType<typeof prepareDocumentDeletion>;

/** The part of `app.db` that is deleted after its time. */
export function openRetention(
  client: Database.Database,
  deleteDocuments: DeleteDocuments,
  group: GroupCommit,
): RetentionStore {
  const due = client
    .prepare<[number], string>(
      `select distinct d.referenceNumber from loan_documents d join loan_applications a using (referenceNumber)
       where a.decidedAt <= ? order by a.decidedAt`,
    )
    .pluck();
  const isDecided = client
    .prepare<[string, number]>('select 1 from loan_applications where referenceNumber = ? and decidedAt <= ?')
    .pluck();
  const sessions = client.prepare<[number]>(
    'delete from wallet_sessions where expiresAt <= ? or endedAt is not null',
  );
  const challenges = client.prepare<[number]>('delete from proof_challenges where expiresAt <= ?');
  const answers = client.prepare<[number]>('delete from idempotent_answers where createdAt < ?');

  return {
    documentsDue: (decidedBy) => inStore(client, APP_FILE, () => due.all(decidedBy)),
    deleteDocuments: (referenceNumber, decidedBy, at) =>
      group.run(() =>
        isDecided.get(referenceNumber, decidedBy) === undefined
          ? 0
          : deleteDocuments(referenceNumber, { at, actor: 'system', address: null, why: 'retention' }),
      ),
    deleteExpired: (now, answersBefore) =>
      group.run(
        () => sessions.run(now).changes + challenges.run(now).changes + answers.run(answersBefore).changes,
      ),
    foldLog: () =>
      inStore(client, APP_FILE, () => {
        client.pragma('wal_checkpoint(TRUNCATE)');
      }),
  };
}
