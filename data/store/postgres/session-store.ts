import { CARD_TIERS } from '../../model/tiers.ts';
import { secretHash } from '../rules/secret-hash.ts';
import type { SessionStore, WalletSession } from '../session-port.ts';
import type { Database } from './database.ts';

interface ChallengeRow {
  readonly walletAddress: string;
  readonly messageHash: string;
  readonly expiresAt: number;
}

function prepareStatements({ statement }: Database) {
  return {
    issue: statement(`
      insert into $.proof_challenges ("nonceHash", "walletAddress", "messageHash", "issuedAt", "expiresAt")
      values ($1, $2, $3, $4, $5) on conflict do nothing`),
    consume: statement<ChallengeRow>(`
      update $.proof_challenges set "usedAt" = $2 where "nonceHash" = $1 and "usedAt" is null
      returning "walletAddress", "messageHash", "expiresAt"`),
    challenge: statement('select from $.proof_challenges where "nonceHash" = $1'),
    sweepChallenges: statement('delete from $.proof_challenges where "expiresAt" <= $1'),
    open: statement(`
      insert into $.wallet_sessions ("tokenHash", "walletAddress", "provedAt", "expiresAt")
      values ($1, $2, $3, $4) on conflict do nothing`),
    addProven: statement(`
      insert into $.proven_wallets as proven ("walletAddress", "firstProvedAt", "lastProvedAt") values ($1, $2, $2)
      on conflict ("walletAddress") do update set
        "firstProvedAt" = least(proven."firstProvedAt", excluded."firstProvedAt"),
        "lastProvedAt" = greatest(proven."lastProvedAt", excluded."lastProvedAt")`),
    session: statement<WalletSession>(`
      select "walletAddress", "provedAt", "expiresAt" from $.wallet_sessions
      where "tokenHash" = $1 and "endedAt" is null and "expiresAt" > $2`),
    end: statement(
      'update $.wallet_sessions set "endedAt" = $2 where "tokenHash" = $1 and "endedAt" is null',
    ),
    sweepSessions: statement('delete from $.wallet_sessions where "expiresAt" <= $1'),
    allProven: statement<{ walletAddress: string }>(
      'select "walletAddress" from $.proven_wallets union select "walletAddress" from $.whitelisted_wallets',
    ),
    whitelistedTier: statement<{ tier: string }>(
      'select tier from $.whitelisted_wallets where "walletAddress" = $1',
    ),
  };
}

export function openSessions(db: Database): SessionStore {
  const statements = prepareStatements(db);
  return {
    async issueChallenge({ nonce, walletAddress, message, issuedAt, expiresAt }) {
      const challengeCells = [secretHash(nonce), walletAddress, secretHash(message), issuedAt, expiresAt];
      if ((await db.run(statements.issue, ...challengeCells)) === 0)
        throw new RangeError('That nonce was issued before.');
    },
    async consumeChallenge({ nonce, walletAddress, message }, now) {
      const nonceHash = secretHash(nonce);
      const issued = await db.get(statements.consume, nonceHash, now);
      if (!issued) return (await db.get(statements.challenge, nonceHash)) ? 'used' : 'unknown';
      const isOther = issued.walletAddress !== walletAddress || issued.messageHash !== secretHash(message);
      if (isOther) return 'other';
      return issued.expiresAt <= now ? 'expired' : 'accepted';
    },
    openSession: ({ token, walletAddress, provedAt, expiresAt }) =>
      db.transaction([], async (transaction) => {
        const insertedCount = await transaction.run(
          statements.open,
          secretHash(token),
          walletAddress,
          provedAt,
          expiresAt,
        );
        if (insertedCount === 0) throw new RangeError('That token is taken.');
        await transaction.run(statements.addProven, walletAddress, provedAt);
      }),
    sessionByToken: (token, now) => db.get(statements.session, secretHash(token), now),
    async endSession(token, now) {
      await db.run(statements.end, secretHash(token), now);
    },
    async provenWallets() {
      return new Set((await db.all(statements.allProven)).map(({ walletAddress }) => walletAddress));
    },
    async whitelistedTier(walletAddress) {
      const row = await db.get(statements.whitelistedTier, walletAddress);
      return CARD_TIERS.find((tier) => tier === row?.tier) ?? null;
    },
    async sweepSessions(now) {
      await db.run(statements.sweepChallenges, now);
      await db.run(statements.sweepSessions, now);
    },
  };
}
