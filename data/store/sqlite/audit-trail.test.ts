import { join } from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AuditRecord } from '../audit-port.ts';
import type { AppStore } from '../ports.ts';
import { auditHash, CHAIN_START, checkTrail, type StoredRecord } from '../rules/audit-chain.ts';
import { openNewApp } from '../testing/new-stores.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { checkAuditTrail } from './audit-trail.ts';

const record = (number: number, changes: Partial<AuditRecord> = {}): AuditRecord => ({
  id: `id-${number}`,
  at: 1_000 + number,
  actor: 'visitor',
  action: 'card-application.received',
  address: null,
  details: { number },
  ...changes,
});

function linkRecords(records: readonly AuditRecord[]): StoredRecord[] {
  let hash = CHAIN_START;
  return records.map((each, sequence) => {
    hash = auditHash(hash, each);
    return { ...each, sequence, hash };
  });
}

const arbitraryRecords = fc.array(
  fc.record({
    id: fc.string(),
    at: fc.integer(),
    actor: fc.string(),
    action: fc.string(),
    address: fc.option(fc.string()),
    details: fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null))),
  }),
  { minLength: 2, maxLength: 12 },
);

describe('a chain of audit records', () => {
  it('is intact if it is unchanged, whatever its records contain', () => {
    fc.assert(
      fc.property(arbitraryRecords, (records) => {
        const check = checkTrail(linkRecords(records));
        expect(check).toMatchObject({ records: records.length, unlinked: 0, broken: null });
      }),
    );
  });

  it('is broken at the record after a removed one', () => {
    fc.assert(
      fc.property(arbitraryRecords, fc.nat(), (records, randomNumber) => {
        const trail = linkRecords(records);
        // Removing the last record is detected only if its hash is recorded elsewhere, so that case is left out.
        const removedIndex = randomNumber % (trail.length - 1);
        expect(checkTrail(trail.toSpliced(removedIndex, 1)).broken).toMatchObject({
          sequence: removedIndex + 1,
          reason: 'altered',
        });
      }),
    );
  });

  it.each([
    ['time', { at: 7 }],
    ['actor', { actor: 'system' }],
    ['action', { action: 'card.revealed' }],
    ['address', { address: '192.0.2.1' }],
    ['details', { details: { number: 2 } }],
    ['id', { id: 'another' }],
  ])('is broken at a record with a changed %s', (_, changes) => {
    const trail = linkRecords([record(0), record(1), record(2)]);
    const changed = trail.map((each) => (each.sequence === 1 ? { ...each, ...changes } : each));
    expect(checkTrail(changed).broken).toMatchObject({ sequence: 1, reason: 'altered' });
  });

  it('has hashes that do not depend on the order of the details', () => {
    const [one, other] = [record(0, { details: { a: 1, b: 2 } }), record(0, { details: { b: 2, a: 1 } })];
    expect(auditHash(CHAIN_START, one)).toBe(auditHash(CHAIN_START, other));
  });

  it('allows records without a hash only before its start', () => {
    const [first, second] = linkRecords([record(5), record(6)]);
    const old = { ...record(1), sequence: -1, hash: null };
    expect(checkTrail([old, ...linkRecords([record(5)])])).toMatchObject({
      records: 2,
      unlinked: 1,
      broken: null,
    });
    expect(first && second && checkTrail([first, { ...second, hash: null }]).broken).toMatchObject({
      reason: 'unlinked',
    });
  });
});

describe('the audit trail of app.db', () => {
  let folder: string;
  let file: string;
  let store: AppStore;
  beforeEach(async () => {
    folder = temporaryFolder();
    file = join(folder, 'app.db');
    store = await openNewApp(file);
    for (const number of [1, 2, 3]) await store.recordAudit(record(number));
  });
  afterEach(async () => {
    await store.close();
  });

  it('can be checked while the portal has it open, and its head changes with each record', async () => {
    const before = checkAuditTrail(file);
    expect(before).toMatchObject({ records: 3, unlinked: 0, broken: null });
    await store.recordAudit(record(4, { address: '192.0.2.1' }));
    const after = checkAuditTrail(file);
    expect(after).toMatchObject({ records: 4, broken: null });
    expect(after.head).not.toBe(before.head);
  });

  it('rejects SQL updates and deletions, and reveals a change made after the trigger was dropped', () => {
    const client = new Database(file);
    expect(() => client.exec(`update audit_records set actor = 'nobody'`)).toThrow('never changed');
    expect(() => client.exec('delete from audit_records')).toThrow('never deleted');
    client.exec('drop trigger audit_records_no_update');
    client.exec(`update audit_records set actor = 'nobody' where id = 'id-2'`);
    client.close();
    expect(checkAuditTrail(file).broken).toMatchObject({ id: 'id-2', reason: 'altered' });
  });
});
