import type Database from 'better-sqlite3';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import { CARD_TIERS } from '../../model/tiers.ts';
import { secretHash } from '../rules/secret-hash.ts';
import type { ChallengeOutcome, SessionStore, WalletSession } from '../session-port.ts';
import { proofChallenges, provenWallets, walletSessions, whitelistedWallets } from './app-schema.ts';
import {
  and,
  drizzle,
  equalsPlaceholder,
  gt,
  isNull,
  lte,
  placeholder,
  placeholderSql,
  rowPlaceholders,
  sql,
} from './drizzle.ts';
import { APP_FILE, runInStore } from './store-files.ts';

function prepareStatements(db: BetterSQLite3Database) {
  const { walletAddress, provedAt, expiresAt, tokenHash, endedAt } = walletSessions;
  const { nonceHash, usedAt } = proofChallenges;
  const isOpen = and(equalsPlaceholder(tokenHash, 'tokenHash'), isNull(endedAt));
  return {
    issue: db
      .insert(proofChallenges)
      .values(rowPlaceholders(proofChallenges, 'usedAt'))
      .onConflictDoNothing()
      .prepare(),
    challenge: db.select().from(proofChallenges).where(equalsPlaceholder(nonceHash, 'nonceHash')).prepare(),
    consume: db
      .update(proofChallenges)
      .set({ usedAt: placeholderSql('now') })
      .where(and(equalsPlaceholder(nonceHash, 'nonceHash'), isNull(usedAt)))
      .prepare(),
    sweepChallenges: db
      .delete(proofChallenges)
      .where(lte(proofChallenges.expiresAt, placeholder('now')))
      .prepare(),

    open: db
      .insert(walletSessions)
      .values(rowPlaceholders(walletSessions, 'endedAt'))
      .onConflictDoNothing()
      .prepare(),
    session: db
      .select({ walletAddress, provedAt, expiresAt })
      .from(walletSessions)
      .where(and(isOpen, gt(expiresAt, placeholder('now'))))
      .prepare(),
    end: db
      .update(walletSessions)
      .set({ endedAt: placeholderSql('now') })
      .where(isOpen)
      .prepare(),
    sweepSessions: db
      .delete(walletSessions)
      .where(lte(expiresAt, placeholder('now')))
      .prepare(),

    addProven: db
      .insert(provenWallets)
      .values({
        walletAddress: placeholder('walletAddress'),
        firstProvedAt: placeholder('provedAt'),
        lastProvedAt: placeholder('provedAt'),
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
      .where(equalsPlaceholder(whitelistedWallets.walletAddress, 'walletAddress'))
      .prepare(),
  };
}

export function createSessionStore(client: Database.Database): SessionStore {
  const statements = prepareStatements(drizzle({ client }));

  const consume = client.transaction(
    (nonceHash: string, walletAddress: string, messageHash: string, now: number): ChallengeOutcome => {
      const issued = statements.challenge.get({ nonceHash });
      if (!issued) return 'unknown';
      if (statements.consume.run({ nonceHash, now }).changes === 0) return 'used';
      if (issued.walletAddress !== walletAddress || issued.messageHash !== messageHash) return 'other';
      return issued.expiresAt <= now ? 'expired' : 'accepted';
    },
  );
  const open = client.transaction((tokenHash: string, session: WalletSession): void => {
    if (statements.open.run({ ...session, tokenHash }).changes === 0)
      throw new RangeError('That token is taken.');
    statements.addProven.run({ ...session });
  });
  const sweep = client.transaction((now: number): void => {
    statements.sweepChallenges.run({ now });
    statements.sweepSessions.run({ now });
  });
  const allProven = client.transaction((): ReadonlySet<string> => {
    const wallets = [...statements.proven.all(), ...statements.whitelisted.all()];
    return new Set(wallets.map(({ walletAddress }) => walletAddress));
  });
  const run = <T>(work: () => T) => runInStore(client, APP_FILE, work);

  return {
    issueChallenge: ({ nonce, message, ...challenge }) =>
      run(() => {
        const row = { ...challenge, nonceHash: secretHash(nonce), messageHash: secretHash(message) };
        if (statements.issue.run(row).changes === 0) throw new RangeError('That nonce was issued before.');
      }),
    consumeChallenge: ({ nonce, walletAddress, message }, now) =>
      run(() => consume.immediate(secretHash(nonce), walletAddress, secretHash(message), now)),
    openSession: ({ token, ...session }) => run(() => open.immediate(secretHash(token), session)),
    sessionByToken: (token, now) =>
      run(() => statements.session.get({ tokenHash: secretHash(token), now }) ?? null),
    endSession: (token, now) => run(() => void statements.end.run({ tokenHash: secretHash(token), now })),
    provenWallets: () => run(() => allProven()),
    whitelistedTier: (walletAddress) =>
      run(() => {
        const tier = statements.whitelistedTier.get({ walletAddress })?.tier;
        return CARD_TIERS.find((known) => known === tier) ?? null;
      }),
    sweepSessions: (now) => run(() => sweep.immediate(now)),
  };
}
