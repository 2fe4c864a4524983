import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import { submissionEvents } from './application-schema.ts';
import { asc, count, desc, eq, lt, sql } from './drizzle.ts';
import { loanApplications, loanDocuments } from './loan-schema.ts';

const value = (name: string) => sql.placeholder(name);

const { id, kind, fileName, mediaType, byteLength } = loanDocuments;
const { referenceNumber, contentHash, masterKey, wrappedKey, content } = loanDocuments;

/** The prepared statements about applications for the loan note. */
export function prepareLoanStatements(db: BetterSQLite3Database) {
  const byReference = { referenceNumber: value('referenceNumber') };
  return {
    add: db
      .insert(loanApplications)
      .values({
        id: value('id'),
        ...byReference,
        name: value('name'),
        email: value('email'),
        investmentAmount: value('investmentAmount'),
        investorType: value('investorType'),
        riskSuitability: value('riskSuitability'),
        conversionOption: value('conversionOption'),
        country: value('country'),
        comments: value('comments'),
        status: 'received',
        createdAt: value('createdAt'),
        changedAt: value('createdAt'),
      })
      .prepare(),
    addDocument: db
      .insert(loanDocuments)
      .values({
        id: value('id'),
        ...byReference,
        kind: value('kind'),
        fileName: value('fileName'),
        mediaType: value('mediaType'),
        byteLength: value('byteLength'),
        contentHash: value('contentHash'),
        masterKey: value('masterKey'),
        wrappedKey: value('wrappedKey'),
        content: value('content'),
        createdAt: value('at'),
      })
      .prepare(),
    byReference: db
      .select()
      .from(loanApplications)
      .where(eq(loanApplications.referenceNumber, value('referenceNumber')))
      .prepare(),
    list: db
      .select()
      .from(loanApplications)
      .where(lt(loanApplications.createdAt, value('before')))
      .orderBy(desc(loanApplications.createdAt), desc(loanApplications.id))
      .limit(value('limit'))
      .prepare(),
    documentsOf: db
      .select({ id, kind, fileName, mediaType, byteLength })
      .from(loanDocuments)
      .where(eq(referenceNumber, value('referenceNumber')))
      .orderBy(asc(kind))
      .prepare(),
    document: db
      .select({
        id,
        referenceNumber,
        kind,
        fileName,
        mediaType,
        byteLength,
        contentHash,
        masterKey,
        wrappedKey,
        content,
      })
      .from(loanDocuments)
      .where(eq(id, value('id')))
      .prepare(),
    masterKeys: db.select({ masterKey, documents: count() }).from(loanDocuments).groupBy(masterKey).prepare(),
    events: db
      .select({ at: submissionEvents.at, status: submissionEvents.status, note: submissionEvents.note })
      .from(submissionEvents)
      .where(eq(submissionEvents.referenceNumber, value('referenceNumber')))
      .orderBy(asc(submissionEvents.sequence))
      .prepare(),
  };
}
