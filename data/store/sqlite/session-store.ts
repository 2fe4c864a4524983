import type Database from 'better-sqlite3';
import { CARD_TIERS } from '../../model/tiers.ts';
import type { ChallengeOutcome, SessionStore } from '../session-port.ts';
import { and, drizzle, eq, gt, isNull, lte, sql } from './drizzle.ts';
import { secretHash } from './secret-hash.ts';
import { proofChallenges, provenWallets, walletSessions, whitelistedWallets } from './session-schema.ts';
import { inStore } from './store-faults.ts';
import { APP_FILE } from './store-files.ts';

const value = (name: string) => sql.placeholder(name);

function prepareChallengeStatements(client: Database.Database) {
  const db = drizzle({ client });
  return {
    issue: db
      .insert(proofChallenges)
      .values({
        nonceHash: value('nonceHash'),
        walletAddress: value('walletAddress'),
        messageHash: value('messageHash'),
        issuedAt: value('issuedAt'),
        expiresAt: value('expiresAt'),
      })
      .onConflictDoNothing()
      .prepare(),
    byNonce: db
      .select()
      .from(proofChallenges)
      .where(eq(proofChallenges.nonceHash, value('nonceHash')))
      .prepare(),
    use: db
      .update(proofChallenges)
      .set({ usedAt: sql`${value('now')}` })
      .where(and(eq(proofChallenges.nonceHash, value('nonceHash')), isNull(proofChallenges.usedAt)))
      .prepare(),
    sweep: db
      .delete(proofChallenges)
      .where(lte(proofChallenges.expiresAt, value('now')))
      .prepare(),
  };
}

function prepareSessionStatements(client: Database.Database) {
  const db = drizzle({ client });
  const { walletAddress, provedAt, expiresAt, tokenHash, endedAt } = walletSessions;
  return {
    open: db
      .insert(walletSessions)
      .values({
        tokenHash: value('tokenHash'),
        walletAddress: value('walletAddress'),
        provedAt: value('provedAt'),
        expiresAt: value('expiresAt'),
      })
      .onConflictDoNothing()
      .prepare(),
    held: db
      .select({ walletAddress, provedAt, expiresAt })
      .from(walletSessions)
      .where(and(eq(tokenHash, value('tokenHash')), isNull(endedAt), gt(expiresAt, value('now'))))
      .prepare(),
    end: db
      .update(walletSessions)
      .set({ endedAt: sql`${value('now')}` })
      .where(and(eq(tokenHash, value('tokenHash')), isNull(endedAt)))
      .prepare(),
    sweep: db
      .delete(walletSessions)
      .where(lte(expiresAt, value('now')))
      .prepare(),
  };
}

function prepareWalletStatements(client: Database.Database) {
  const db = drizzle({ client });
  return {
    remember: db
      .insert(provenWallets)
      .values({
        walletAddress: value('walletAddress'),
        firstProvedAt: value('provedAt'),
        lastProvedAt: value('provedAt'),
      })
      .onConflictDoUpdate({
        target: provenWallets.walletAddress,
        set: {
          firstProvedAt: sql`min(${provenWallets.firstProvedAt}, excluded."firstProvedAt")`,
          lastProvedAt: sql`max(${provenWallets.lastProvedAt}, excluded."lastProvedAt")`,
        },
      })
      .prepare(),
    proven: db.select({ walletAddress: provenWallets.walletAddress }).from(provenWallets).prepare(),
    whitelisted: db
      .select({ walletAddress: whitelistedWallets.walletAddress })
      .from(whitelistedWallets)
      .prepare(),
    whitelistedTier: db
      .select({ tier: whitelistedWallets.tier })
      .from(whitelistedWallets)
      .where(eq(whitelistedWallets.walletAddress, value('walletAddress')))
      .prepare(),
  };
}

/** The part of `app.db` about wallets that prove themselves, on a connection that writes. */
export function createSessionStore(client: Database.Database): SessionStore {
  const challenges = prepareChallengeStatements(client);
  const sessions = prepareSessionStatements(client);
  const wallets = prepareWalletStatements(client);

  const use = client.transaction(
    (nonceHash: string, walletAddress: string, messageHash: string, now: number): ChallengeOutcome => {
      const issued = challenges.byNonce.get({ nonceHash });
      if (!issued) return 'unknown';
      if (challenges.use.run({ nonceHash, now }).changes === 0) return 'used';
      if (issued.walletAddress !== walletAddress || issued.messageHash !== messageHash) return 'other';
      return issued.expiresAt <= now ? 'expired' : 'accepted';
    },
  );
  const open = client.transaction((session: Record<string, string | number>): void => {
    if (sessions.open.run(session).changes === 0) throw new RangeError('That token is taken.');
    wallets.remember.run(session);
  });
  const sweep = client.transaction((now: number): void => {
    challenges.sweep.run({ now });
    sessions.sweep.run({ now });
  });
  const allProven = client.transaction((): ReadonlySet<string> => {
    const rows = [...wallets.proven.all(), ...wallets.whitelisted.all()];
    return new Set(rows.map(({ walletAddress }) => walletAddress));
  });
  const run = <T>(work: () => T) => inStore(client, APP_FILE, work);

  return {
    issueChallenge: ({ nonce, walletAddress, message, issuedAt, expiresAt }) =>
      run(() => {
        const row = { nonceHash: secretHash(nonce), messageHash: secretHash(message) };
        const { changes } = challenges.issue.run({ ...row, walletAddress, issuedAt, expiresAt });
        if (changes === 0) throw new RangeError('That nonce was issued before.');
      }),
    spendChallenge: ({ nonce, walletAddress, message }, now) =>
      run(() => use.immediate(secretHash(nonce), walletAddress, secretHash(message), now)),
    openSession: ({ token, walletAddress, provedAt, expiresAt }) =>
      run(() => open.immediate({ tokenHash: secretHash(token), walletAddress, provedAt, expiresAt })),
    sessionByToken: (token, now) =>
      run(() => sessions.held.get({ tokenHash: secretHash(token), now }) ?? null),
    endSession: (token, now) => run(() => void sessions.end.run({ tokenHash: secretHash(token), now })),
    provenWallets: () => run(() => allProven()),
    whitelistedTier: (walletAddress) =>
      run(() => {
        const tier = wallets.whitelistedTier.get({ walletAddress })?.tier;
        return CARD_TIERS.find((known) => known === tier) ?? null;
      }),
    sweepSessions: (now) => run(() => sweep.immediate(now)),
  };
}
