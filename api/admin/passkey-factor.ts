import { randomBytes, randomUUID } from 'node:crypto';
import { PORTAL_LIMITS } from '../../data/model/portal-terms.ts';
import type { AdminCredentials, SecondFactor } from '../../data/store/admin-port.ts';
import type { Passkey, PasskeyChallenge } from '../../data/store/passkey-port.ts';
import type { AdminContext } from './admin-context.ts';
import type { RelyingParty } from './relying-party.ts';
import type { NewPasskeyAnswer, PasskeyAnswer, RefusalReason } from './webauthn.ts';

const CHALLENGE_BYTES = 32;
export const CHALLENGE_LIFE_MS = PORTAL_LIMITS.signInMinutes * 60_000;

const loadWebauthn = () => import('./webauthn.ts');

type CheckResult<T> = T | { readonly refused: RefusalReason };

export type PasskeyFactors = ReturnType<typeof createPasskeyFactors>;

/** Challenges are stored, so that any replica can check a passkey's answer. */
export function createPasskeyFactors({
  store,
  now,
  audit,
  log,
  alertTeam,
  party,
}: Pick<AdminContext, 'store' | 'now' | 'audit' | 'log' | 'alertTeam'> & {
  readonly party: RelyingParty;
}) {
  async function consumeAndCheck<T>(
    answer: Pick<PasskeyAnswer, 'clientDataJSON'>,
    expected: PasskeyChallenge,
    check: (party: RelyingParty) => Promise<T>,
  ): Promise<CheckResult<T>> {
    const { readChallenge, PasskeyRefusedError } = await loadWebauthn();
    try {
      const challenge = await store.consumeChallenge(readChallenge(answer), now());
      const isExpected = challenge?.purpose === expected.purpose && challenge.adminId === expected.adminId;
      return isExpected ? await check(party) : { refused: 'challenge' };
    } catch (error) {
      if (error instanceof PasskeyRefusedError) return { refused: error.reason };
      throw error;
    }
  }

  async function reportCopiedPasskey({ adminId, id }: Passkey): Promise<void> {
    const details = { adminId, passkey: id };
    const record = { id: randomUUID(), at: now(), actor: 'system', action: 'admin.passkey-copied', details };
    await audit(record);
    log.warn(details, 'a passkey’s signature counter did not increase');
    alertTeam({
      subject: 'An admin’s passkey may have been copied',
      text: 'A passkey’s signature counter did not increase, so the passkey may have been copied or restored from a backup. The sign-in was refused. The audit trail names the account under admin.passkey-copied. Ask the admin to remove the passkey and to add a new one.',
    });
  }

  return {
    async issueChallenge(scope: PasskeyChallenge): Promise<string> {
      const challengeText = randomBytes(CHALLENGE_BYTES).toString('base64url');
      const at = now();
      await store.addChallenge(challengeText, scope, at, at + CHALLENGE_LIFE_MS);
      return challengeText;
    },

    async checkNew(answer: NewPasskeyAnswer, adminId: string) {
      return consumeAndCheck(answer, { purpose: 'register', adminId }, async (relyingParty) =>
        (await loadWebauthn()).readNewPasskey(answer, relyingParty),
      );
    },

    /**
     * Checks a passkey's answer. Consumes the challenge even if the passkey is unknown.
     * @param passkey the stored passkey with the answer's id, or null
     */
    async check(
      answer: PasskeyAnswer,
      passkey: Passkey | null,
      account: AdminCredentials | null,
    ): Promise<SecondFactor | null> {
      const result = await consumeAndCheck(
        answer,
        { purpose: 'sign-in', adminId: null },
        async (relyingParty) => {
          const { checkPasskey, PasskeyRefusedError } = await loadWebauthn();
          if (passkey === null || passkey.adminId !== account?.id) throw new PasskeyRefusedError('user');
          return { counter: checkPasskey(answer, passkey, relyingParty) };
        },
      );
      if ('counter' in result) return { kind: 'passkey', id: answer.id, counter: result.counter };
      if (result.refused === 'counter' && passkey !== null) await reportCopiedPasskey(passkey);
      return null;
    },
  };
}
