import { Secret, TOTP } from 'otpauth';
import type { AdminCredentials, AdminStore, SecondFactor } from '../../data/store/admin-port.ts';
import { SecretsUnavailableError } from './admin-errors.ts';
import { readRecoveryCode } from './recovery-codes.ts';
import type { SecretBox } from './secret-box.ts';

/** Seconds that one code holds, and codes before and after it that are taken: clocks differ a little. */
const PERIOD_SECONDS = 30;
const STEPS_EITHER_WAY = 1;
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

/** A secret that is offered: as it is kept, and as an app takes it. */
export interface OfferedTotp {
  readonly sealedSecret: Uint8Array;
  /** In base32. */
  readonly secret: string;
  readonly otpauthUri: string;
}

/** Second factors of accounts: codes of an app, and those that stand in for it. */
export class SecondFactors {
  readonly #box: SecretBox;
  readonly #store: AdminStore;
  readonly #now: () => number;

  constructor({ box, store, now }: { box: SecretBox; store: AdminStore; now: () => number }) {
    this.#box = box;
    this.#store = store;
    this.#now = now;
  }

  /** A new secret, sealed and as an app takes it. */
  offer({ id, username }: Pick<AdminCredentials, 'id' | 'username'>): OfferedTotp {
    const secret = new Secret({ size: SECRET_BYTES });
    const totp = totpOf(secret.bytes, username);
    const sealedSecret = this.#box.seal(secret.bytes, `totp:${id}`);
    return { sealedSecret, secret: secret.base32, otpauthUri: totp.toString() };
  }

  /** The time step whose code this is; null where it is none. @throws {SecretsUnavailableError} */
  stepOf({ id, username, totp }: AdminCredentials, code: string): number | null {
    if (!totp) return null;
    const token = code.replace(/\s/g, '');
    if (!SIX_DIGITS.test(token)) return null;
    const timestamp = this.#now();
    const app = totpOf(this.#opened(totp.sealedSecret, id), username);
    const delta = app.validate({ token, timestamp, window: STEPS_EITHER_WAY });
    return delta === null ? null : app.counter({ timestamp }) + delta;
  }

  /**
   * The factor that a code stands for; null where it stands for none. Whether it was used before, the store knows that
   * uses it up.
   * @throws {SecretsUnavailableError}
   */
  async check(account: AdminCredentials, code: string): Promise<SecondFactor | null> {
    if (SIX_DIGITS.test(code.replace(/\s/g, ''))) {
      const step = this.stepOf(account, code);
      return step === null ? null : { kind: 'totp', step };
    }
    const recovery = readRecoveryCode(code);
    return (await this.#store.isRecoveryCode(account.id, recovery))
      ? { kind: 'recovery', code: recovery }
      : null;
  }

  #opened(sealed: Uint8Array, id: string): Uint8Array {
    try {
      return this.#box.open(sealed, `totp:${id}`);
    } catch (error) {
      throw new SecretsUnavailableError({ cause: error });
    }
  }
}
