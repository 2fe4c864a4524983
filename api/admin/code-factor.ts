import { Secret, TOTP } from 'otpauth';
import type { AdminCredentials, AdminStore, CodeFactor } from '../../data/store/admin-port.ts';
import { ApiError } from '../errors.ts';
import type { SecretBox } from './secret-box.ts';

const RECOVERY_CODE_COUNT = 10;
/** 120 bits, or 24 base32 characters. A code this random needs no slow hash. */
const RECOVERY_CODE_BYTES = 15;

/** Converts a typed recovery code to its stored form: upper case, without dashes. */
export function normalizeRecoveryCode(typedCode: string): string {
  return typedCode.toUpperCase().replace(/[^A-Z0-9]/g, '');
}

/** New recovery codes in base32, such as `ABCD-EFGH-IJKL-MNOP-QRST-UVWX`. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODE_COUNT }, () => {
    const text = new Secret({ size: RECOVERY_CODE_BYTES }).base32;
    return text.match(/.{4}/g)?.join('-') ?? text;
  });
}

const PERIOD_SECONDS = 30;
/** How many codes before the current one, and how many after it, are also accepted, because clocks differ. */
const WINDOW_STEPS = 1;
const SECRET_BYTES = 20;
const ISSUER = 'BlackDuck';

const SIX_DIGITS = /^\d{6}$/;

function totpOf(secret: Uint8Array, username: string): TOTP {
  return new TOTP({
    issuer: ISSUER,
    label: username,
    algorithm: 'SHA1',
    digits: 6,
    period: PERIOD_SECONDS,
    secret: new Secret({ buffer: Uint8Array.from(secret).buffer }),
  });
}

export type CodeFactors = ReturnType<typeof createCodeFactors>;

export function createCodeFactors({
  box,
  store,
  now,
}: {
  box: SecretBox;
  store: AdminStore;
  now: () => number;
}) {
  const openSecret = (sealed: Uint8Array, id: string): Uint8Array => {
    try {
      return box.open(sealed, `totp:${id}`);
    } catch (error) {
      throw new ApiError('secrets-unavailable', { cause: error });
    }
  };

  /** The time step that a code is for, or null if the code is wrong. @throws {ApiError} `secrets-unavailable` */
  const totpStepOf = ({ id, username, totp }: AdminCredentials, code: string): number | null => {
    const token = code.replace(/\s/g, '');
    if (!totp || !SIX_DIGITS.test(token)) return null;
    const timestamp = now();
    const authenticator = totpOf(openSecret(totp.sealedSecret, id), username);
    const delta = authenticator.validate({ token, timestamp, window: WINDOW_STEPS });
    return delta === null ? null : authenticator.counter({ timestamp }) + delta;
  };

  return {
    totpStepOf,

    createTotpSecret({ id, username }: Pick<AdminCredentials, 'id' | 'username'>) {
      const secret = new Secret({ size: SECRET_BYTES });
      const sealedSecret = box.seal(secret.bytes, `totp:${id}`);
      return { sealedSecret, secret: secret.base32, otpauthUri: totpOf(secret.bytes, username).toString() };
    },

    /**
     * The second factor that a code proves, or null if the code is wrong. A reused code from the app passes this check: the
     * store rejects it later.
     * @throws {ApiError} `secrets-unavailable`
     */
    async check(account: AdminCredentials, code: string): Promise<CodeFactor | null> {
      if (SIX_DIGITS.test(code.replace(/\s/g, ''))) {
        const step = totpStepOf(account, code);
        return step === null ? null : { kind: 'totp', step };
      }
      const recoveryCode = normalizeRecoveryCode(code);
      return (await store.isRecoveryCode(account.id, recoveryCode))
        ? { kind: 'recovery', code: recoveryCode }
        : null;
    },
  };
}
