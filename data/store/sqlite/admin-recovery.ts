import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { SecondFactor } from '../admin-port.ts';
import { adminRecoveryCodes, admins } from './admin-schema.ts';
import { and, count, eq, isNotNull, isNull, lt, or, sql } from './drizzle.ts';
import { secretHash } from './secret-hash.ts';

const value = (name: string) => sql.placeholder(name);

function prepareStatements(db: BetterSQLite3Database) {
  const ofId = eq(admins.id, value('id'));
  const changedAt = sql`${value('at')}`;
  const ofAdmin = eq(adminRecoveryCodes.adminId, value('id'));
  const isUnused = and(ofAdmin, isNull(adminRecoveryCodes.usedAt));
  const isCode = eq(adminRecoveryCodes.codeHash, value('codeHash'));
  return {
    offer: db
      .update(admins)
      .set({ totpSecret: sql`${value('sealedSecret')}`, totpLastStep: null, changedAt })
      .where(and(ofId, isNull(admins.totpConfirmedAt)))
      .prepare(),
    confirm: db
      .update(admins)
      .set({ totpConfirmedAt: changedAt, totpLastStep: sql`${value('step')}`, changedAt })
      .where(and(ofId, isNull(admins.totpConfirmedAt), sql`${admins.totpSecret} = ${value('sealedSecret')}`))
      .prepare(),
    takeStep: db
      .update(admins)
      .set({ totpLastStep: sql`${value('step')}` })
      .where(
        and(
          ofId,
          isNotNull(admins.totpConfirmedAt),
          or(isNull(admins.totpLastStep), lt(admins.totpLastStep, value('step'))),
        ),
      )
      .prepare(),
    remove: db
      .update(admins)
      .set({ totpSecret: null, totpConfirmedAt: null, totpLastStep: null, changedAt })
      .where(ofId)
      .prepare(),
    forgetCodes: db.delete(adminRecoveryCodes).where(ofAdmin).prepare(),
    addCode: db
      .insert(adminRecoveryCodes)
      .values({ codeHash: value('codeHash'), adminId: value('id'), createdAt: value('at') })
      .prepare(),
    useCode: db
      .update(adminRecoveryCodes)
      .set({ usedAt: sql`${value('at')}` })
      .where(and(isUnused, isCode))
      .prepare(),
    unused: db.select({ codes: count() }).from(adminRecoveryCodes).where(isUnused).prepare(),
    unusedCode: db
      .select({ id: adminRecoveryCodes.adminId })
      .from(adminRecoveryCodes)
      .where(and(isUnused, isCode))
      .prepare(),
  };
}

/** The second factor of accounts, in the caller's transaction. */
export function prepareAdminRecovery(db: BetterSQLite3Database) {
  const rows = prepareStatements(db);
  const replaceCodes = (id: string, codes: readonly string[], at: number): void => {
    rows.forgetCodes.run({ id });
    for (const code of codes) rows.addCode.run({ id, codeHash: secretHash(code), at });
  };
  return {
    offer: (id: string, sealedSecret: Uint8Array, at: number): boolean =>
      rows.offer.run({ id, sealedSecret: Buffer.from(sealedSecret), at }).changes > 0,
    confirm: (id: string, sealedSecret: Uint8Array, step: number, at: number): boolean =>
      rows.confirm.run({ id, sealedSecret: Buffer.from(sealedSecret), step, at }).changes > 0,
    replaceCodes,
    removeTotp: (id: string, at: number): void => {
      rows.remove.run({ id, at });
      rows.forgetCodes.run({ id });
    },
    /** Uses a code up; false where it was used already. */
    use: (id: string, factor: SecondFactor, at: number): boolean =>
      factor.kind === 'totp'
        ? rows.takeStep.run({ id, step: factor.step }).changes > 0
        : rows.useCode.run({ id, codeHash: secretHash(factor.code), at }).changes > 0,
    codesLeft: (id: string): number => rows.unused.get({ id })?.codes ?? 0,
    isUnused: (id: string, code: string): boolean =>
      rows.unusedCode.get({ id, codeHash: secretHash(code) }) !== undefined,
  };
}
export type AdminRecovery = ReturnType<typeof prepareAdminRecovery>;
