import type {
  ActiveSession,
  AdminSession,
  AttemptCheck,
  AttemptRule,
  AttemptSubject,
  CodeFactor,
} from '../admin-port.ts';
import { SEEN_INTERVAL_MS } from '../rules/admin-rows.ts';
import { secretHash } from '../rules/secret-hash.ts';
import { countAttempt, type FailureRow, withoutOneFailure } from '../rules/sign-in-failures.ts';
import type { Database, Queries } from './database.ts';

const SESSION_COLUMNS = 'session.id, "adminId", "startedAt", "lastSeenAt", "expiresAt", address, "userAgent"';
const OPEN_SESSIONS = `from $.admin_sessions session join $.admins admin on admin.id = "adminId"
  where "endedAt" is null and "expiresAt" > $1 and "lastSeenAt" > $2 and "disabledAt" is null`;

type ActiveRow = ActiveSession['admin'] & { readonly sessionId: string; readonly lastSeenAt: number };

/** Each method runs in the caller's transaction. A deactivated admin has no open session. */
export function prepareAdminSessions({ statement }: Database) {
  const statements = {
    open: statement(`
      insert into $.admin_sessions
        ("tokenHash", id, "adminId", "startedAt", "lastSeenAt", "expiresAt", address, "userAgent")
      values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing`),
    // Every call by an admin runs this query, so it reads only what such a call needs.
    active: statement<ActiveRow>(`
      select session.id as "sessionId", "lastSeenAt", admin.id, username, role ${OPEN_SESSIONS} and "tokenHash" = $3`),
    markSeen: statement('update $.admin_sessions set "lastSeenAt" = $2 where "tokenHash" = $1'),
    list: statement<AdminSession>(`
      select ${SESSION_COLUMNS} ${OPEN_SESSIONS} and ($3::text is null or "adminId" = $3)
      order by "lastSeenAt" desc, "expiresAt" desc`),
    end: statement('update $.admin_sessions set "endedAt" = $2 where id = $1 and "endedAt" is null'),
    endAllOf: statement(
      'update $.admin_sessions set "endedAt" = $2 where "adminId" = $1 and "endedAt" is null and id <> $3',
    ),
    sweep: statement('delete from $.admin_sessions where "expiresAt" <= $1 or "endedAt" <= $1'),
  };
  return {
    async open(queries: Queries, token: string, session: AdminSession): Promise<void> {
      const { id, adminId, startedAt, lastSeenAt, expiresAt, address, userAgent } = session;
      const values = [secretHash(token), id, adminId, startedAt, lastSeenAt, expiresAt, address, userAgent];
      if ((await queries.run(statements.open, ...values)) === 0) throw new RangeError('That token is taken.');
    },
    async touch(
      queries: Queries,
      token: string,
      now: number,
      unusedSince: number,
    ): Promise<ActiveSession | null> {
      const tokenHash = secretHash(token);
      const active = await queries.get(statements.active, now, unusedSince, tokenHash);
      if (!active) return null;
      const { sessionId, lastSeenAt, ...admin } = active;
      if (now - lastSeenAt >= SEEN_INTERVAL_MS) await queries.run(statements.markSeen, tokenHash, now);
      return { sessionId, admin };
    },
    list: (queries: Queries, adminId: string | null, now: number, unusedSince: number) =>
      queries.all(statements.list, now, unusedSince, adminId),
    end: (queries: Queries, id: string, at: number) => queries.run(statements.end, id, at),
    endAllOf: (queries: Queries, adminId: string, keptSessionId: string | null, at: number) =>
      queries.run(statements.endAllOf, adminId, at, keptSessionId ?? ''),
    sweep: (queries: Queries, before: number) => queries.run(statements.sweep, before),
  };
}

/** Each method runs in the caller's transaction. */
export function prepareSecondFactor({ statement }: Database) {
  const statements = {
    offer: statement(`
      update $.admins set "totpSecret" = $2, "totpLastStep" = null, "changedAt" = $3
      where id = $1 and "totpConfirmedAt" is null`),
    confirm: statement(`
      update $.admins set "totpConfirmedAt" = $4, "totpLastStep" = $3, "changedAt" = $4
      where id = $1 and "totpConfirmedAt" is null and "totpSecret" = $2`),
    useStep: statement(`
      update $.admins set "totpLastStep" = $2
      where id = $1 and "totpConfirmedAt" is not null and ("totpLastStep" is null or "totpLastStep" < $2)`),
    remove: statement(`
      update $.admins set "totpSecret" = null, "totpConfirmedAt" = null, "totpLastStep" = null, "changedAt" = $2
      where id = $1`),
    removeCodes: statement('delete from $.admin_recovery_codes where "adminId" = $1'),
    addCodes: statement(`
      insert into $.admin_recovery_codes ("codeHash", "adminId", "createdAt") select code, $1, $3 from unnest($2::text[]) code`),
    useCode: statement(`
      update $.admin_recovery_codes set "usedAt" = $3 where "adminId" = $1 and "codeHash" = $2 and "usedAt" is null`),
    unusedCodes: statement<{ codes: number }>(
      'select count(*) as codes from $.admin_recovery_codes where "adminId" = $1 and "usedAt" is null',
    ),
    unusedCode: statement(
      'select from $.admin_recovery_codes where "adminId" = $1 and "codeHash" = $2 and "usedAt" is null',
    ),
  };
  return {
    offer: async (queries: Queries, id: string, sealedSecret: Uint8Array, at: number) =>
      (await queries.run(statements.offer, id, Buffer.from(sealedSecret), at)) > 0,
    confirm: async (queries: Queries, id: string, sealedSecret: Uint8Array, step: number, at: number) =>
      (await queries.run(statements.confirm, id, Buffer.from(sealedSecret), step, at)) > 0,
    async replaceCodes(queries: Queries, id: string, codes: readonly string[], at: number): Promise<void> {
      await queries.run(statements.removeCodes, id);
      await queries.run(statements.addCodes, id, codes.map(secretHash), at);
    },
    async remove(queries: Queries, id: string, at: number): Promise<void> {
      await queries.run(statements.remove, id, at);
      await queries.run(statements.removeCodes, id);
    },
    /** Marks a code as used. @returns false if it is not valid or was already used */
    use: async (queries: Queries, id: string, factor: CodeFactor, at: number) =>
      (factor.kind === 'totp'
        ? await queries.run(statements.useStep, id, factor.step)
        : await queries.run(statements.useCode, id, secretHash(factor.code), at)) > 0,
    codesLeft: async (queries: Queries, id: string) =>
      (await queries.get(statements.unusedCodes, id))?.codes ?? 0,
    isUnusedCode: async (queries: Queries, id: string, code: string) =>
      (await queries.get(statements.unusedCode, id, secretHash(code))) !== null,
  };
}

/** The addresses that admins signed in from. Each method runs in the caller's transaction. */
export function prepareKnownAddresses({ statement }: Database) {
  const statements = {
    put: statement(`
      insert into $.admin_addresses ("addressHash", "adminId", "signedInAt") values ($1, $2, $3)
      on conflict ("addressHash") do update set "signedInAt" = excluded."signedInAt"`),
    find: statement('select from $.admin_addresses where "addressHash" = $1 and "signedInAt" > $2'),
    removeAllOf: statement('delete from $.admin_addresses where "adminId" = $1'),
    sweep: statement('delete from $.admin_addresses where "signedInAt" <= $1'),
  };
  const hashOf = (id: string, address: string) => secretHash(`${id} ${address}`);
  return {
    remember: (queries: Queries, id: string, address: string, at: number) =>
      queries.run(statements.put, hashOf(id, address), id, at),
    isKnown: async (queries: Queries, id: string, address: string, since: number) =>
      (await queries.get(statements.find, hashOf(id, address), since)) !== null,
    forgetAllOf: (queries: Queries, id: string) => queries.run(statements.removeAllOf, id),
    sweep: (queries: Queries, before: number) => queries.run(statements.sweep, before),
  };
}

export function openSignInFailures(db: Database) {
  const statements = {
    find: db.statement<FailureRow>(`
      select "subjectHash", failures, "lastAt", "blockedUntil", "alertedAt" from $.sign_in_failures
      where "subjectHash" = any($1)`),
    put: db.statement(`
      insert into $.sign_in_failures ("subjectHash", failures, "lastAt", "blockedUntil", "alertedAt")
      values ($1, $2, $3, $4, $5)
      on conflict ("subjectHash") do update set failures = excluded.failures, "lastAt" = excluded."lastAt",
        "blockedUntil" = excluded."blockedUntil", "alertedAt" = excluded."alertedAt"`),
    remove: db.statement('delete from $.sign_in_failures where "subjectHash" = $1'),
    sweep: db.statement('delete from $.sign_in_failures where "lastAt" < $1'),
  };
  const put = async (queries: Queries, row: FailureRow): Promise<void> => {
    await queries.run(
      statements.put,
      row.subjectHash,
      row.failures,
      row.lastAt,
      row.blockedUntil,
      row.alertedAt,
    );
  };
  const createRowLookup = async (queries: Queries, subjects: readonly AttemptSubject[]) => {
    const failureRows = await queries.all(statements.find, subjects.map(secretHash));
    const byHash = new Map(failureRows.map((row) => [row.subjectHash, row]));
    return (subject: AttemptSubject): FailureRow | null => byHash.get(secretHash(subject)) ?? null;
  };
  const subjectsOf = (rules: readonly AttemptRule[]) => rules.map(({ subject }) => subject);
  return {
    find: createRowLookup,
    put,
    count: (rules: readonly AttemptRule[], now: number, forgetBefore: number): Promise<AttemptCheck> =>
      db.transaction(subjectsOf(rules), async (transaction) => {
        const rowOf = await createRowLookup(transaction, subjectsOf(rules));
        const { outcome, rows: changedRows } = countAttempt(
          rules,
          ({ subject }) => rowOf(subject),
          now,
          forgetBefore,
        );
        for (const row of changedRows) await put(transaction, row);
        return outcome;
      }),
    forgive: (rules: readonly AttemptRule[]): Promise<void> =>
      db.transaction(subjectsOf(rules), async (transaction) => {
        const rowOf = await createRowLookup(transaction, subjectsOf(rules));
        for (const rule of rules) {
          const row = rowOf(rule.subject);
          const reducedRow = row && withoutOneFailure(row, rule);
          if (reducedRow) await put(transaction, reducedRow);
          else if (row) await transaction.run(statements.remove, row.subjectHash);
        }
      }),
    forget: (subject: AttemptSubject): Promise<void> =>
      db.transaction([subject], async (transaction) => {
        await transaction.run(statements.remove, secretHash(subject));
      }),
    sweep: (queries: Queries, before: number) => queries.run(statements.sweep, before),
  };
}
